/** A call: attempts until there is a final answer. */
import { rememberAnswer } from './answer.ts'
import { type ApiRequest, attempt, type Outcome } from './attempt.ts'
import { CoinApiError } from './errors.ts'
import { retryDelayMs } from './retry.ts'
import { type AttemptReport, maxRetriesOf, type Settings, timeoutMsOf } from './settings.ts'
import type { CallOptions, WriteOptions } from './types.ts'

export type Transport = {
  get<T>(path: string, options?: CallOptions & { anonymous?: boolean }): Promise<T>
  post<T>(path: string, body: object, options?: WriteOptions): Promise<T>
}

/** As the API accepts it: visible ASCII, with blanks allowed inside. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** The two kinds of calls, with the retries of the contract. Paths begin after `/v1`. */
export function createTransport(settings: Settings): Transport {
  const authorization = { authorization: `Bearer ${settings.apiKey}` }
  return {
    async get<T>(path: string, { anonymous = false, ...options }: CallOptions & { anonymous?: boolean } = {}) {
      const headers = anonymous ? {} : authorization
      const request = { method: 'GET' as const, headers, body: undefined, idempotencyKey: undefined, isKeyGiven: false }
      return (await call(settings, path, request, options)) as T
    },
    async post<T>(path: string, body: object, { idempotencyKey, ...options }: WriteOptions = {}) {
      const key = idempotencyKey ?? globalThis.crypto.randomUUID()
      if (!IDEMPOTENCY_KEY.test(key)) throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters')
      const headers = { ...authorization, 'content-type': 'application/json', 'idempotency-key': key }
      // Made once: every attempt sends the same text.
      const request = {
        method: 'POST' as const,
        headers,
        body: JSON.stringify(body),
        idempotencyKey: key,
        isKeyGiven: idempotencyKey !== undefined,
      }
      return (await call(settings, path, request, options)) as T
    },
  }
}

async function call(
  settings: Settings,
  path: string,
  parts: Omit<ApiRequest, 'url' | 'undecided'>,
  options: CallOptions,
): Promise<Record<string, unknown>> {
  const { fetch, timers } = settings
  const maxRetries = maxRetriesOf(options.maxRetries, settings.maxRetries)
  const timeoutMs = timeoutMsOf(options.timeoutMs, settings.timeoutMs)
  const request: ApiRequest = { ...parts, url: `${settings.baseUrl}${path}`, undecided: false }
  for (let count = 1; ; count += 1) {
    const which = { method: request.method, path, attempt: count }
    options.signal?.throwIfAborted()
    const outcome = await attempt({ fetch, nowMs: timers.now() }, request, timeoutMs, options.signal).catch(
      (reason: unknown) => {
        // Aborted, but sent: what it posted may have been accepted.
        report(settings, { ...which, ...NO_ANSWER, retryInMs: undefined })
        throw reason
      },
    )
    const retryInMs = count > maxRetries ? undefined : delayAfter(outcome, count, timers.random())
    report(settings, { ...which, ...reportOf(outcome), retryInMs })
    if (outcome.error === undefined) {
      rememberAnswer(outcome.body, outcome.answer)
      return outcome.body
    }
    if (retryInMs === undefined) throw outcome.error
    if (!outcome.isRefused) request.undecided = true
    await timers.delay(retryInMs, options.signal)
  }
}

function delayAfter({ error }: Outcome, count: number, random: number): number | undefined {
  if (error === undefined || !error.retryable) return undefined
  return retryDelayMs(count, error instanceof CoinApiError ? error.retryAfterMs : undefined, random)
}

function report({ onAttempt }: Settings, facts: AttemptReport): void {
  try {
    onAttempt(facts)
  } catch {
    // A failing log must not fail a call that moves money.
  }
}

type AnswerReport = Pick<AttemptReport, 'status' | 'code' | 'replayed' | 'rateLimit' | 'correlationId'>

const NO_ANSWER: AnswerReport = {
  status: undefined,
  code: 'NO_ANSWER',
  replayed: false,
  rateLimit: undefined,
  correlationId: undefined,
}

function reportOf({ error, answer }: Outcome): AnswerReport {
  const code = error === undefined ? undefined : error instanceof CoinApiError ? error.code : NO_ANSWER.code
  const { status, replayed = false, rateLimit, correlationId } = answer ?? {}
  return { status, code, replayed, rateLimit, correlationId }
}
