/** Rate limits of a key and their headers (contract "Response headers", "Limits"). */
import type { RateConfig } from '../config.ts'
import type { ApiKey } from '../integrations/api-key.ts'
import { type Bucket, type RateCounter, WINDOW_SECONDS, windowStartOf } from './rate-counter.ts'

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
 * Judges a key's bucket in the window of `nowMs`. Requests over the limit count too, which changes nothing: the window is fixed.
 * @param counting `count` counts this request; `look` does not (a request refused before its turn)
 */
export async function standingOf(
  deps: { rateCounter: RateCounter; rates: RateConfig },
  key: ApiKey,
  bucket: Bucket,
  nowMs: number,
  counting: 'count' | 'look',
): Promise<RateStanding> {
  const windowStart = windowStartOf(nowMs)
  const limit = limitOf(key, bucket, deps.rates)
  const { rateCounter } = deps
  const asked =
    counting === 'count'
      ? rateCounter.hit(key.keyId, bucket, windowStart)
      : rateCounter.peek(key.keyId, bucket, windowStart)
  const used = typeof asked === 'number' ? asked : await asked
  const resetAt = windowStart + WINDOW_SECONDS
  return {
    exceeded: counting === 'count' && used > limit,
    limit,
    remaining: Math.max(0, limit - used),
    resetAt,
    retryAfterSeconds: Math.max(1, Math.ceil(resetAt - nowMs / 1000)),
  }
}
