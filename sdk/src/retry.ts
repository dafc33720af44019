/** What is tried again, and when (contract "Errors": the retry rule). */

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])
const BASE_MS = 250
const CEILING_MS = 8_000
/** The API's windows last a minute; a longer wait than this is for the caller to decide. */
const LONGEST_RETRY_AFTER_MS = 120_000
const LONGEST_RETRY_AFTER_TEXT = 40

/**
 * Whether the same request may be sent again: 429, 502, 503 and 504 with any code, 500 only as `SERVER_ERROR`, whose
 * row in the contract says "retry with backoff". Never another 4xx. Safe for a POST because its Idempotency-Key goes
 * with it.
 */
export function isRetryable(status: number, code: string): boolean {
  return RETRIED_STATUSES.has(status) || (status === 500 && code === 'SERVER_ERROR')
}

/**
 * How long to wait before the next attempt: exponential with jitter (half fixed, half random), and never shorter than the
 * API asked for. Nor is it shorter because the API asked for less: with a `Retry-After` of 0, or a date that has passed by
 * this clock, all attempts would be used up within a second.
 * @param attempt the number of failed attempts so far, from 1
 * @returns undefined when the API asks for a longer wait than a call should make
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number | undefined {
  const backoffMs = Math.min(CEILING_MS, BASE_MS * 2 ** (attempt - 1))
  const jitteredMs = backoffMs / 2 + (backoffMs / 2) * random
  if (retryAfterMs === undefined) return jitteredMs
  // Every caller is told the same second, so jitter keeps them from coming back all at once.
  return retryAfterMs > LONGEST_RETRY_AFTER_MS ? undefined : Math.max(jitteredMs, retryAfterMs + BASE_MS * random)
}

/** `Retry-After` in milliseconds: seconds, or a date as proxies send it (RFC 9110 10.2.3); undefined when it is neither. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.length > LONGEST_RETRY_AFTER_TEXT) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const at = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
