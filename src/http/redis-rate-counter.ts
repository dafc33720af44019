/** Counts requests in Redis, for several API processes. */
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createMemoryRateCounter, type RateCounter, WINDOW_SECONDS } from './rate-counter.ts'
import { connectRedis, type RedisConnection, redisFailure } from './redis-connection.ts'

const COMMAND_TIMEOUT_MS = 200
/** After a failure Redis is left alone for this long, and no request waits for it. */
const PAUSE_MS = 1_000
const KEEP_SECONDS = 2 * WINDOW_SECONDS

/**
 * After more tries than this in a row that counted nothing, the connection is made anew: half an answer may stand before everything that it says from
 * now on, or another server has taken over at the same address.
 */
const MOST_FAILURES = 5
/** What is counted to see whether it counts. */
const TRIED_KEY = 'rate:tried'

/** What stands there and is no count is replaced: a key that counts as something else must not have all others counted process by process. */
const HIT_SCRIPT = `
local count = redis.pcall('INCR', KEYS[1])
if type(count) ~= 'number' or count < 1 then
  redis.call('SET', KEYS[1], 1)
  count = 1
end
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return count`

/** However long what stands there is, as much of it as a count can have is read. */
const PEEK_SCRIPT = `
local count = redis.pcall('GETRANGE', KEYS[1], 0, 14)
return type(count) == 'string' and string.match(count, '^%d+$') and tonumber(count) or 0`

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
  const connection = connectRedis(url, commandTimeoutMs)
  const { redis } = connection
  redis.defineCommand('countRequest', { numberOfKeys: 1, lua: HIT_SCRIPT })
  redis.defineCommand('peekRequests', { numberOfKeys: 1, lua: PEEK_SCRIPT })
  const counter = redis as Redis & {
    countRequest(key: string, keepSeconds: number): Promise<unknown>
    peekRequests(key: string): Promise<unknown>
  }
  const local = createMemoryRateCounter()
  const tryIt = async () => countIn(await counter.countRequest(TRIED_KEY, KEEP_SECONDS))
  const watch = watchRedis(connection, url, deps, tryIt)

  const orLocally = async (ask: () => Promise<unknown>, locally: () => number | Promise<number>): Promise<number> => {
    if (watch.isPaused()) return locally()
    try {
      const count = countIn(await ask())
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
        () => counter.peekRequests(`rate:${keyId}:${bucket}:${windowStart}`),
        () => local.peek(keyId, bucket, windowStart),
      ),
    close() {
      watch.end()
      redis.disconnect()
    },
  }
}

/** @throws when somebody who is no Redis of ours has answered */
function countIn(answer: unknown): number {
  if (typeof answer !== 'number' || !Number.isSafeInteger(answer) || answer < 0)
    throw new Error('the answer is no count')
  return answer
}

/**
 * Knows whether Redis counts: after a failure it is left alone for a while, and then tried until it does. One that has become a replica, or has no
 * memory left, answers and counts nothing.
 */
function watchRedis(
  { redis, answered: readAnswer }: RedisConnection,
  url: string,
  { logger, answers = () => {}, nowMs = () => performance.now() }: Watching,
  tryIt: () => Promise<unknown>,
) {
  let pausedUntilMs = 0
  let again: NodeJS.Timeout | undefined
  let failures = 0

  const answered = (): void => {
    failures = 0
    readAnswer()
    answers(true)
  }

  /** Tries until it counts: where no partner calls, as at night, nothing else would find out. A new connection is tried by itself. */
  const tryAgain = (): void => {
    again ??= setTimeout(() => {
      again = undefined
      if (redis.status !== 'ready') return
      failures += 1
      if (failures > MOST_FAILURES) beginAnew()
      else tryIt().then(answered, tryAgain)
    }, PAUSE_MS).unref()
  }

  const beginAnew = (): void => {
    failures = 0
    redis.disconnect(true)
  }

  const failed = (error: unknown): void => {
    if (nowMs() >= pausedUntilMs)
      logger.warn(
        { reason: redisFailure(error, url) },
        'Redis does not answer: each process counts rate limits for itself',
      )
    pausedUntilMs = nowMs() + PAUSE_MS
    answers(false)
    tryAgain()
  }
  redis.on('error', failed)
  redis.on('ready', () => {
    pausedUntilMs = 0
    tryIt().then(answered, tryAgain)
  })
  return {
    failed,
    answered,
    isPaused: () => nowMs() < pausedUntilMs,
    end: () => clearTimeout(again),
  }
}
