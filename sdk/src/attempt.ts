/** One request and its outcome. */
import { type Answer, describeAnswer } from './answer.ts'
import { MAX_BODY_BYTES, readText } from './body.ts'
import { CoinApiError, CoinConnectionError, type CoinError, UNEXPECTED_RESPONSE } from './errors.ts'
import { isRetryable, parseRetryAfter } from './retry.ts'
import { whenTimeIsUp } from './time-up.ts'
import { isUndecided } from './undecided.ts'
import { whenAborted } from './when-aborted.ts'

export type ApiRequest = {
  method: 'GET' | 'POST'
  url: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
  idempotencyKey: string | undefined
  /** Whether an attempt before this one may have been accepted: what refuses this one, such as a key that was revoked meanwhile, says nothing of that. */
  undecided: boolean
  /** Whether the caller gave the Idempotency-Key: then the same may be said of an earlier call. */
  isKeyGiven: boolean
}
export type AttemptDeps = { fetch: typeof globalThis.fetch; nowMs: number }
/** `error` is undefined when `body` is a success. `answer` is undefined when none came. `isRefused`: by the API, with a 4xx, so that this attempt was not accepted. */
export type Outcome =
  | { body: Record<string, unknown>; error: undefined; answer: Answer }
  | { error: CoinError; answer: Answer | undefined; isRefused: boolean }

/**
 * Sends a request once.
 * @returns the answer, or the error that it means
 * @throws the reason of `signal` when it is aborted, and nothing else
 */
export async function attempt(
  { fetch, nowMs }: AttemptDeps,
  request: ApiRequest,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const controller = new AbortController()
  let timedOut = false
  const stopWaiting = whenTimeIsUp(timeoutMs, () => {
    timedOut = true
    controller.abort()
  })
  const stopListening = whenAborted(signal, () => controller.abort(signal?.reason))
  try {
    const { method, url, headers, body } = request
    // A redirect would carry the key, or turn a POST into a GET.
    const init: RequestInit = { method, headers, redirect: 'manual', signal: controller.signal, ...uncached() }
    const response = await fetch(url, body === undefined ? init : { ...init, body })
    const text = await readText(response).catch((error: unknown) => {
      // What a 4xx says, its status says too, and nobody may repeat it. What else broke off is no answer.
      if (response.status < 400 || response.status >= 500) throw error
      signal?.throwIfAborted()
      return undefined
    })
    return outcomeOf(response, text, request, nowMs)
  } catch (error) {
    signal?.throwIfAborted()
    return { error: connectionError(error, timedOut, timeoutMs, request), answer: undefined, isRefused: false }
  } finally {
    stopWaiting()
    stopListening()
  }
}

/**
 * Some frameworks on servers replace `fetch` by one that keeps what it was not told to ask for: an order would stay as it was first read. Runtimes without
 * caches may refuse the option (Cloudflare's workers did), and do not know it of a request.
 */
function uncached(): Pick<RequestInit, 'cache'> {
  const { Request: known } = globalThis as { Request?: typeof Request }
  return known !== undefined && 'cache' in known.prototype ? { cache: 'no-store' } : {}
}

/**
 * @param text undefined when it was too long or broke off: what the status and the headers say counts all the same
 * @throws Error when it broke off and the runtime has not said so
 */
function outcomeOf(response: Response, text: string | undefined, request: ApiRequest, nowMs: number): Outcome {
  const { status, headers, ok } = response
  const answer = describeAnswer(response, text ?? '')
  const body = text === undefined ? undefined : parseObject(text)
  if (ok && body?.ok === true) return { body, error: undefined, answer }
  if (text !== undefined && isTorn(response, text)) throw new Error('the text of the answer broke off')
  const refusal = ok ? undefined : refusalOf(body)
  const refusedWith = refusedAs(response, refusal)
  const code = refusal?.code ?? UNEXPECTED_RESPONSE
  const unread = `the text of the answer broke off, or is longer than ${MAX_BODY_BYTES} bytes`
  const why = text === undefined ? unread : 'the answer is not one of the API'
  const error = new CoinApiError({
    code,
    status,
    text: refusal?.message ?? why,
    meta: refusal?.meta,
    retryable: isRetryable(status, code),
    retryAfterMs: parseRetryAfter(headers.get('retry-after'), nowMs),
    answer,
    idempotencyKey: request.idempotencyKey,
    undecided: isUndecided(request, refusedWith),
  })
  return { error, answer, isRefused: refusedWith !== undefined }
}

/**
 * Whether a text that calls itself JSON is none, and its status alone decides nothing. Node 20 takes chunks for whole that
 * broke off after `Connection: close`, and without chunks or a length no runtime can tell.
 */
function isTorn({ status, headers, ok }: Response, text: string): boolean {
  if (!(ok || status >= 500) || isRetryable(status, UNEXPECTED_RESPONSE)) return false
  return /^application\/json\b/i.test(headers.get('content-type') ?? '') && !isJson(text)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function connectionError(error: unknown, timedOut: boolean, timeoutMs: number, request: ApiRequest): CoinError {
  const { idempotencyKey } = request
  const message = timedOut ? `no whole answer within ${timeoutMs} ms` : `the connection failed${reasonOf(error)}`
  return new CoinConnectionError(message, {
    timedOut,
    idempotencyKey,
    undecided: isUndecided(request, undefined),
    cause: error,
  })
}

/** How far down the code may stand: Node's `fetch` wraps its errors once or twice. */
const MOST_CAUSES = 5

/** The system's or the runtime's code for it, such as `ECONNREFUSED`, where there is one. */
function reasonOf(error: unknown): string {
  let each = error
  for (let depth = 0; depth < MOST_CAUSES && isObject(each); depth += 1) {
    if (typeof each.code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(each.code)) return `: ${each.code}`
    each = each.cause
  }
  return ''
}

/** Undefined unless the API itself has refused with a 4xx: whatever looks at answers on their way may put a page of its own in their place. */
function refusedAs({ status, headers }: Response, refusal: Refusal | undefined): string | undefined {
  if (status < 400 || status >= 500) return undefined
  return refusal?.code ?? (headers.has('x-coin-api-version') ? '' : undefined)
}

type Refusal = { code: string; message: string; meta: Record<string, unknown> | undefined }

function refusalOf(answer: Record<string, unknown> | undefined): Refusal | undefined {
  const error = answer?.error
  if (answer?.ok !== false || !isObject(error) || typeof error.code !== 'string') return undefined
  const message = typeof error.message === 'string' ? error.message : ''
  return { code: error.code, message, meta: isObject(error.meta) ? error.meta : undefined }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
