/** The options of a client, checked once. */
import type { RateLimit } from './answer.ts'
import { SYSTEM_TIMERS, type Timers } from './timers.ts'

/** What happened in one attempt. Never contains the API key or a body. */
export type AttemptReport = {
  method: 'GET' | 'POST'
  /** The path as sent, after the base address. */
  path: string
  /** From 1. */
  attempt: number
  /** HTTP status; undefined when no answer came. */
  status: number | undefined
  /** Error code of a failed attempt; `NO_ANSWER` when none came, also because the call's signal was aborted. */
  code: string | undefined
  /** Whether the answer was the stored answer to an earlier POST. */
  replayed: boolean
  /** Where the key stands in its rate bucket, when the answer says so; `resetAt` in seconds since the epoch. */
  rateLimit: RateLimit | undefined
  /** `X-Request-Id` of the answer: quote it to support. */
  correlationId: string | undefined
  /** The milliseconds to the next attempt; undefined when there is none. */
  retryInMs: number | undefined
}

export type ClientOptions = {
  /** The host of the environment, with or without `/v1`: `https://…`. */
  baseUrl: string
  /** `coin_<environment>_<key id>_<secret>`. A secret: for servers only, never for a browser. */
  apiKey: string
  /** Default: the runtime's own. */
  fetch?: typeof globalThis.fetch | undefined
  /** Attempts after the first one, 0 to 20. Default 4. */
  maxRetries?: number | undefined
  /** For each attempt. The API itself may take 10 seconds to answer. Default 15,000. */
  timeoutMs?: number | undefined
  /** Called after every attempt, for logs and metrics. An error it throws is ignored. */
  onAttempt?: ((report: AttemptReport) => void) | undefined
  /** Allows `http:` to other machines, so that the key travels in the clear. Default false. */
  allowHttp?: boolean | undefined
  /** For tests. Default: the system's. */
  timers?: Timers | undefined
}

export type Settings = {
  /** Ends with `/v1`. */
  baseUrl: string
  apiKey: string
  fetch: typeof globalThis.fetch
  maxRetries: number
  timeoutMs: number
  onAttempt: (report: AttemptReport) => void
  timers: Timers
}

const API_KEY = /^coin_(sandbox|live)_[0-9a-f]{16}_[0-9A-Za-z]{43}$/
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/
const MAX_RETRIES = 20
const LONGEST_TIMEOUT_MS = 600_000

/**
 * Checks the options.
 * @throws TypeError naming the option that cannot be right; the API key is never repeated
 */
export function settingsOf(options: ClientOptions): Settings {
  const { apiKey, fetch = globalThis.fetch, onAttempt = () => undefined, timers = SYSTEM_TIMERS } = options
  if (typeof apiKey !== 'string' || !API_KEY.test(apiKey)) {
    throw new TypeError('apiKey must be coin_<environment>_<key id>_<secret>, without blanks or line ends')
  }
  return {
    baseUrl: baseUrlOf(options.baseUrl, options.allowHttp === true),
    apiKey,
    fetch,
    maxRetries: maxRetriesOf(options.maxRetries, 4),
    timeoutMs: timeoutMsOf(options.timeoutMs, 15_000),
    onAttempt,
    timers,
  }
}

/** @throws TypeError outside 0 to 20 */
export function maxRetriesOf(value: number | undefined, fallback: number): number {
  return integerOf('maxRetries', value ?? fallback, 0, MAX_RETRIES)
}

/** @throws TypeError outside 1 to 600,000 */
export function timeoutMsOf(value: number | undefined, fallback: number): number {
  return integerOf('timeoutMs', value ?? fallback, 1, LONGEST_TIMEOUT_MS)
}

function integerOf(name: string, value: number, least: number, most: number): number {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value
  throw new TypeError(`${name} must be an integer from ${least} to ${most}`)
}

function baseUrlOf(text: string, allowHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) {
    throw new TypeError('baseUrl must be an https:// address')
  }
  if (url.protocol === 'http:' && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      'baseUrl must be https://: over http:// the API key travels in the clear (allowHttp permits it)',
    )
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl must have no credentials, query or fragment')
  }
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path.endsWith('/v1') ? path : `${path}/v1`}`
}
