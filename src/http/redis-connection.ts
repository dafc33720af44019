/** A connection to Redis that takes in only so much, and says what failed without the password. */
import { Redis } from 'ioredis'
import { onOneLine } from '../values/on-one-line.ts'

const MAX_LENGTH = 300
/** Far above any answer to what is asked here: the longest one is what Redis says of itself when a connection begins. */
const MAX_UNREAD_BYTES = 256 * 1024

export type RedisConnection = {
  redis: Redis
  /** Says that something was answered: what comes from now on is counted from zero. */
  answered(): void
}

/**
 * Connects, and connects again whenever that ends. What comes is counted as it comes from the network: whatever Redis holds, or whoever has
 * taken its place, one answer could otherwise fill this process's memory, and end it.
 */
export function connectRedis(url: string, commandTimeoutMs: number): RedisConnection {
  const redis = new Redis(url, {
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
  })
  let bytes = 0
  redis.on('connect', () => {
    const { stream } = redis
    bytes = 0
    stream.on('data', (piece: Buffer) => {
      bytes += piece.length
      if (bytes > MAX_UNREAD_BYTES) stream.destroy(new Error('the answer is too long'))
    })
  })
  return {
    redis,
    answered() {
      bytes = 0
    },
  }
}

/**
 * Why Redis failed, as it may be logged: the message alone, without the password. The client adds the command to its errors, which for a refused greeting
 * has the password in it; and an old Redis repeats in its message what it does not know, which the greeting may be.
 */
export function redisFailure(error: unknown, url: string): string {
  const message = error instanceof Error ? error.message : 'failed'
  const secrets = URL.canParse(url) ? new URL(url).password : ''
  const shown = [secrets, decoded(secrets)]
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '…'), message)
  return onOneLine(shown, MAX_LENGTH)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
