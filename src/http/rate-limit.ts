/** Rate limits of a key and their headers (contract "Response headers", "Limits"). */
import type { RateConfig } from '../config.ts'
import type { ApiKey } from '../integrations/api-key.ts'
import { type Bucket, WINDOW_SECONDS, windowStartOf } from './rate-counter.ts'

/** Of every answer to a request with a valid key. */
export const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const

export type RateStanding = {
  exceeded: boolean
  limit: number
  /** Requests left in the window; never below 0. */
  remaining: number
  /** Unix seconds at which the window ends. */
  resetAt: number
  /** Whole seconds until then, at least 1. */
  retryAfterSeconds: number
}

/** Requests a minute that the key may send in the bucket. */
export function limitOf(key: Pick<ApiKey, 'rates'>, bucket: Bucket, defaults: RateConfig): number {
  return key.rates[bucket] ?? defaults[bucket]
}

/**
 * What a count means for a request in the window of `nowMs`.
 * @param used requests of the window so far, this one included when it counts
 */
export function standingOf(limit: number, used: number, nowMs: number): RateStanding {
  const resetAt = windowStartOf(nowMs) + WINDOW_SECONDS
  return {
    exceeded: used > limit,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt,
    retryAfterSeconds: Math.max(1, Math.ceil(resetAt - nowMs / 1000)),
  }
}
