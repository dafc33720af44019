/** Counts requests in Redis, for several API processes. */
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createMemoryRateCounter, type RateCounter, WINDOW_SECONDS } from './rate-counter.ts'

const COMMAND_TIMEOUT_MS = 200
/** After a failure Redis is left alone for this long, and no request waits for it. */
const PAUSE_MS = 1_000
const KEEP_SECONDS = 2 * WINDOW_SECONDS

const HIT_SCRIPT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count`

type Watching = {
  logger: Logger
  /** Told of each failure, and of each answer. */
  answers?: (does: boolean) => void
  nowMs?: () => number
}

/**
 * A counter shared through Redis: one atomic script a request. While Redis does not answer within 200 ms, each process
 * counts for itself: partners are still served, and no key gets more than its limit from any one process.
 * @returns the counter, and `close`, which ends the connection
 */
export function createRedisRateCounter(
  deps: Watching & { url: string; commandTimeoutMs?: number },
): RateCounter & { close(): void } {
  const { url, commandTimeoutMs = COMMAND_TIMEOUT_MS } = deps
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  })
  redis.defineCommand('countRequest', { numberOfKeys: 1, lua: HIT_SCRIPT })
  const counter = redis as Redis & { countRequest(key: string, keepSeconds: number): Promise<number> }
  const local = createMemoryRateCounter()
  const watch = watchRedis(redis, deps)

  const orLocally = async (ask: () => Promise<number>, locally: () => number | Promise<number>): Promise<number> => {
    if (watch.isPaused()) return locally()
    try {
      const count = await ask()
      watch.answered()
      return count
    } catch (error) {
      watch.failed(error)
      return locally()
    }
  }

  return {
    hit: (keyId, bucket, windowStart) =>
      orLocally(
        () => counter.countRequest(`rate:${keyId}:${bucket}:${windowStart}`, KEEP_SECONDS),
        () => local.hit(keyId, bucket, windowStart),
      ),
    peek: (keyId, bucket, windowStart) =>
      orLocally(
        async () => Number((await redis.get(`rate:${keyId}:${bucket}:${windowStart}`)) ?? 0),
        () => local.peek(keyId, bucket, windowStart),
      ),
    close() {
      watch.end()
      redis.disconnect()
    },
  }
}

/** Knows whether Redis answers: after a failure it is left alone for a while, and then asked until it does. */
function watchRedis(redis: Redis, { logger, answers = () => {}, nowMs = () => performance.now() }: Watching) {
  let pausedUntilMs = 0
  let again: NodeJS.Timeout | undefined

  /** Asks until it answers: where no partner calls, as at night, nothing else would find out. A new connection says so by itself. */
  const askAgain = (): void => {
    again ??= setTimeout(() => {
      again = undefined
      if (redis.status === 'ready') redis.ping().then(() => answers(true), askAgain)
    }, PAUSE_MS).unref()
  }

  const failed = (error: unknown): void => {
    if (nowMs() >= pausedUntilMs)
      logger.warn({ err: error }, 'Redis does not answer: each process counts rate limits for itself')
    pausedUntilMs = nowMs() + PAUSE_MS
    answers(false)
    askAgain()
  }
  redis.on('error', failed)
  redis.on('ready', () => {
    pausedUntilMs = 0
    answers(true)
  })
  return {
    failed,
    answered: () => answers(true),
    isPaused: () => nowMs() < pausedUntilMs,
    end: () => clearTimeout(again),
  }
}
