/** Acceptance of orders: facts → decision → one statement. Two database round trips for each POST. */
import type { PolicyConfig } from '../../config.ts'
import type { Queryable } from '../../db/database.ts'
import { ApiError, type Refusal } from '../../errors.ts'
import { eventOf } from '../../events/event.ts'
import { viewOrder } from '../order.ts'
import type { ChainFacts, WalletReader } from '../ports.ts'
import { isReferenceId } from '../reference-id.ts'
import { askChain } from './ask-chain.ts'
import type { Answer, PostCall } from './call.ts'
import { decideCancel } from './decide-cancel.ts'
import { decideMint } from './decide-mint.ts'
import { decideRedeem } from './decide-redeem.ts'
import { decideTransfer } from './decide-transfer.ts'
import type { Decision, NewOrder } from './decision.ts'
import { answerBody } from './draft.ts'
import type { CancelFacts, ChainAnswers, Remembered } from './facts/facts.ts'
import { findRemembered, readCancelFacts, readMintFacts, readRedeemFacts, readTransferFacts } from './facts/store.ts'
import { createNotifier } from './notify.ts'
import { type Parsed, parseMintRequest, parseRedeemRequest, parseTransferRequest } from './request.ts'
import { CANCEL_SCOPES, holdsScopes, mintScopes, REDEEM_SCOPES, TRANSFER_SCOPES } from './scopes.ts'
import { recordAcceptance, recordAdvance, recordAnswer, type Written } from './store.ts'

export type { Answer, Caller, PostCall } from './call.ts'

/** How often a request that loses a race reads and decides again before it answers 503. */
const MAX_ATTEMPTS = 10

export type AcceptanceDeps = {
  db: Queryable
  chains: ReadonlyMap<number, ChainFacts>
  /** Used when a request names no chain; one of `chains`. */
  defaultChainId: number
  policy: PolicyConfig
  wallets: WalletReader
  /** Told of each order that now awaits settlement, so that a settler in this process need not wait for a notification. */
  onAccepted?(chainId: number): void
}

/** What one kind of POST does at each step. */
type Steps<Request, Facts extends CancelFacts> = {
  status: 200 | 201
  scopes: readonly string[]
  parsed: Parsed<Request>
  readFacts(request: Request): Promise<Facts>
  decide(request: Request, facts: Facts, answers: ChainAnswers | undefined): Decision
}

export type AcceptanceService = {
  mint(call: PostCall): Promise<Answer>
  redeem(call: PostCall): Promise<Answer>
  transfer(call: PostCall): Promise<Answer>
  cancelMint(call: PostCall & { referenceId: string }): Promise<Answer>
}

/**
 * Makes the acceptance of the four POSTs. Checks come in this order: scopes, remembered answer, field formats, customer,
 * existing reference, verification, amount limits, policy, caps and balance.
 * Each call throws ApiError with the contract's code for a refusal, and lets DatabaseUnavailableError through.
 */
export function createAcceptance(deps: AcceptanceDeps): AcceptanceService {
  const { db, policy, wallets } = deps
  const notifier = createNotifier(db)

  async function answer<Request, Facts extends CancelFacts>(
    call: PostCall,
    steps: Steps<Request, Facts>,
  ): Promise<Answer> {
    if (!holdsScopes(call.caller, steps.scopes)) throw new ApiError('SCOPE_DENIED')
    const { parsed } = steps
    if (!parsed.ok) return replay(await findRemembered(db, call), call.fingerprint) ?? fail(parsed.refusal)
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const facts = await steps.readFacts(parsed.value)
      const replayed = replay(facts.remembered, call.fingerprint)
      if (replayed !== undefined) return replayed
      const decision = await settleDecision(parsed.value, facts, steps)
      const answered = await carryOut(call, decision, steps.status, facts.now)
      if (answered !== undefined) return answered
    }
    throw new ApiError('SERVICE_UNAVAILABLE')
  }

  async function settleDecision<Request, Facts extends CancelFacts>(
    request: Request,
    facts: Facts,
    steps: Steps<Request, Facts>,
  ): Promise<Decision> {
    const first = steps.decide(request, facts, undefined)
    if (first.kind !== 'askChain') return first
    return steps.decide(request, facts, await askChain(wallets, first.questions))
  }

  /** Undefined when another request was first and the facts have to be read again. */
  async function carryOut(
    call: PostCall,
    decision: Decision,
    status: 200 | 201,
    now: Date,
  ): Promise<Answer | undefined> {
    if (decision.kind === 'refuse') return fail(decision.refusal)
    if (decision.kind === 'askChain') throw new Error('a decision asked the chain twice')
    const order = decision.kind === 'accept' ? decision.acceptance.order : decision.order
    const body = answerBody(order)
    const written = await record(call, decision, { status, body }, now)
    if (written.lost) return undefined
    if (decision.kind !== 'existing') wake(order, written.deliveriesDue)
    return { status, body, replay: false }
  }

  function record(
    call: PostCall,
    decision: Exclude<Decision, { kind: 'refuse' | 'askChain' }>,
    stored: { status: number; body: string },
    now: Date,
  ): Promise<Written> {
    if (decision.kind === 'existing') return recordAnswer(db, call, stored)
    if (decision.kind === 'advance') {
      return recordAdvance(db, call, decision.order, stored, eventOf(viewOrder(decision.order), now))
    }
    const { acceptance } = decision
    return recordAcceptance(db, call, acceptance, stored, eventOf(viewOrder(acceptance.order), now))
  }

  function wake(order: NewOrder, deliveriesDue: boolean): void {
    if (order.status === 'pending') {
      deps.onAccepted?.(order.chainId)
      notifier.notify('orders_accepted', String(order.chainId))
    }
    if (deliveriesDue) notifier.notify('deliveries_due', '')
  }

  return {
    mint: (call) =>
      answer(call, {
        status: 201,
        scopes: mintScopes(call.body),
        parsed: parseMintRequest(call.body, deps),
        readFacts: (request) => readMintFacts(db, call, request),
        decide: (request, facts) => decideMint(request, facts, { caller: call.caller, policy }),
      }),
    redeem: (call) =>
      answer(call, {
        status: 201,
        scopes: REDEEM_SCOPES,
        parsed: parseRedeemRequest(call.body, deps),
        readFacts: (request) => readRedeemFacts(db, call, request),
        decide: (request, facts, answers) => decideRedeem(request, facts, { caller: call.caller, policy }, answers),
      }),
    transfer: (call) =>
      answer(call, {
        status: 201,
        scopes: TRANSFER_SCOPES,
        parsed: parseTransferRequest(call.body, deps),
        readFacts: (request) => readTransferFacts(db, call, request),
        decide: (request, facts, answers) => decideTransfer(request, facts, { caller: call.caller, policy }, answers),
      }),
    cancelMint: (call) =>
      answer(call, {
        status: 200,
        scopes: CANCEL_SCOPES,
        parsed: parseCancelRequest(call.referenceId),
        readFacts: (referenceId) => readCancelFacts(db, call, referenceId),
        decide: (_referenceId, facts) => decideCancel(facts),
      }),
  }
}

function parseCancelRequest(referenceId: string): Parsed<string> {
  if (isReferenceId(referenceId)) return { ok: true, value: referenceId }
  return { ok: false, refusal: { code: 'INVALID_REFERENCE_ID' } }
}

/** The remembered answer, when the key was used for the same request; 409 when it was used for another. */
function replay(remembered: Remembered | undefined, fingerprint: string): Answer | undefined {
  if (remembered === undefined) return undefined
  if (remembered.fingerprint !== fingerprint) throw new ApiError('IDEMPOTENCY_CONFLICT')
  return { status: remembered.status, body: remembered.body, replay: true }
}

function fail({ code, meta }: Refusal): never {
  throw new ApiError(code, meta)
}
