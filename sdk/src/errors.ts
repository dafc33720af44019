/** What this package throws. */
import type { Answer } from './answer.ts'
import type { ErrorMetaByCode, KnownErrorCode } from './generated/api.ts'
import type { Order } from './types.ts'

/** Symbols known to both builds of the package: a program may load one by `import` and the other by `require`. */
const ANY_ERROR = Symbol.for('stablecoin-partner-sdk.CoinError')
const API_ERROR = Symbol.for('stablecoin-partner-sdk.CoinApiError')

type CallFacts = { idempotencyKey?: string | undefined; undecided?: boolean | undefined; cause?: unknown }

/** Base of every error of a call. Arguments that can never be right throw `TypeError` instead, before anything is sent. */
export class CoinError extends Error {
  /** Whether the same call may succeed later. A POST must then carry the same Idempotency-Key and body. */
  readonly retryable: boolean
  /** The key that a POST carried: pass it as `idempotencyKey` to continue the same operation. */
  readonly idempotencyKey: string | undefined
  /**
   * Whether what the call posted may have been accepted all the same: not every attempt was refused by the API with a 4xx, or the caller gave the
   * `idempotencyKey`, and what refused it, such as `UNAUTHORIZED`, says nothing of an earlier call with it. Then nothing is to be done under another
   * referenceId: post the same again with `idempotencyKey`, or read the order.
   */
  readonly undecided: boolean

  constructor(message: string, facts: CallFacts & { retryable: boolean }) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause })
    this.name = new.target.name
    this.retryable = facts.retryable
    this.idempotencyKey = facts.idempotencyKey
    this.undecided = facts.undecided ?? false
  }

  get [ANY_ERROR](): true {
    return true
  }
}

// `instanceof CoinError` holds for errors of the other build, too: an undecided one that was not known would be taken for a refusal.
Object.defineProperty(CoinError, Symbol.hasInstance, {
  value(this: unknown, thrown: unknown): boolean {
    // A class that extends it inherits this.
    if (this !== CoinError) return Function.prototype[Symbol.hasInstance].call(this as typeof CoinError, thrown)
    return typeof thrown === 'object' && thrown !== null && ANY_ERROR in thrown
  },
})

/**
 * The code of an answer that is not from the API but, say, from a proxy. Its `status` is all there is to know.
 */
export const UNEXPECTED_RESPONSE = 'UNEXPECTED_RESPONSE'

/** A known code, or one that this version does not know yet: fall back on `status` and `retryable`. */
export type ErrorCode = KnownErrorCode | typeof UNEXPECTED_RESPONSE | (string & {})

export type ApiErrorFacts = {
  code: ErrorCode
  status: number
  /** The API's own text; it may be reworded. */
  text: string
  meta: Record<string, unknown> | undefined
  retryable: boolean
  retryAfterMs: number | undefined
  answer: Answer | undefined
  idempotencyKey: string | undefined
  undecided?: boolean | undefined
}

/** The API refused, or could not do, what was asked. Branch on `code`, never on `message`. */
export class CoinApiError extends CoinError {
  readonly code: ErrorCode
  /** HTTP status. */
  readonly status: number
  readonly meta: Record<string, unknown> | undefined
  /** The id to quote to support: `meta.correlationId`, or else the answer's `X-Request-Id`. */
  readonly correlationId: string | undefined
  /** How long the API asked to wait. */
  readonly retryAfterMs: number | undefined
  /** Private, so that a log of the error shows no headers and no body. */
  readonly #answer: Answer | undefined

  constructor(facts: ApiErrorFacts) {
    super(`${facts.code} (HTTP ${facts.status}): ${facts.text}`, facts)
    this.code = facts.code
    this.status = facts.status
    this.meta = facts.meta
    const correlationId = facts.meta?.correlationId
    this.correlationId = typeof correlationId === 'string' ? correlationId : facts.answer?.correlationId
    this.retryAfterMs = facts.retryAfterMs
    this.#answer = facts.answer
  }

  get [API_ERROR](): true {
    return true
  }

  /** The answer with its headers and its text as it came. */
  get answer(): Answer | undefined {
    return this.#answer
  }
}

/**
 * No answer came: the connection failed or the time was up. Whether a POST took effect is unknown until it is sent
 * again.
 */
export class CoinConnectionError extends CoinError {
  readonly timedOut: boolean

  constructor(message: string, facts: CallFacts & { timedOut: boolean }) {
    super(message, { ...facts, retryable: true })
    this.timedOut = facts.timedOut
  }
}

/**
 * `mints.confirm` submitted nothing:
 * - `cancelled`: the mint had been cancelled
 * - `details_differ`: the recorded mint has a different amount, wallet, customer or chain from the one to be confirmed
 */
export class CoinMintNotConfirmedError extends CoinError {
  readonly reason: 'cancelled' | 'details_differ'
  /** The mint as it is recorded. */
  readonly order: Order

  constructor(order: Order, reason: 'cancelled' | 'details_differ', idempotencyKey: string | undefined) {
    const why = reason === 'cancelled' ? 'it was cancelled' : 'its recorded details differ'
    super(`The mint ${order.referenceId} was not submitted: ${why}`, { retryable: false, idempotencyKey })
    this.reason = reason
    this.order = order
  }
}

/** `waitForOrder` gave up. The order continues: wait again, or read it later. */
export class CoinWaitTimeoutError extends CoinError {
  readonly referenceId: string
  /** The order as last read; undefined when no read succeeded. */
  readonly lastOrder: Order | undefined

  constructor(referenceId: string, timeoutMs: number, lastOrder: Order | undefined, cause: unknown) {
    const state = lastOrder === undefined ? 'it could not be read' : `it is ${lastOrder.status} (${lastOrder.phase})`
    super(`The order ${referenceId} did not get there within ${timeoutMs} ms: ${state}`, { retryable: true, cause })
    this.referenceId = referenceId
    this.lastOrder = lastOrder
  }
}

/** The type of `meta` for a code. */
export type MetaOf<Code extends string> = Code extends keyof ErrorMetaByCode
  ? ErrorMetaByCode[Code]
  : Record<string, unknown> | undefined

/** Whether a thrown value is the API's error, with this code when one is given; `meta` is then typed. */
export function isCoinApiError<Code extends KnownErrorCode>(
  error: unknown,
  code: Code,
): error is CoinApiError & { code: Code; meta: MetaOf<Code> }
export function isCoinApiError(error: unknown): error is CoinApiError
export function isCoinApiError(error: unknown, code?: string): boolean {
  if (typeof error !== 'object' || error === null || !(API_ERROR in error)) return false
  return code === undefined || (error as CoinApiError).code === code
}
