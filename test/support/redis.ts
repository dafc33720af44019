/**
 * A real Redis. No npm package brings one: it is `redis-server` from the path (Debian: apt-get install redis-server), or
 * the binary that REDIS_SERVER names; .ci/run provides it.
 */
import { spawnSync } from 'node:child_process'
import { Redis } from 'ioredis'
import { type GuardedProcess, startGuarded } from './guarded-process.ts'
import { waitFor } from './wait-for.ts'

const binary = process.env.REDIS_SERVER ?? 'redis-server'

/** Why a suite that needs it must be skipped, or false. */
export function missingRedis(): string | false {
  if (spawnSync(binary, ['--version']).status === 0) return false
  return `${binary} cannot be run: install Debian's redis-server or set REDIS_SERVER; npm has no package that brings one`
}

/** Starts one on this machine that keeps nothing on disk, and waits until it answers. */
export async function startRedis(port: number): Promise<GuardedProcess> {
  const server = await startGuarded(binary, [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
  ])
  await waitFor('redis to answer', async () => {
    const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => null })
    redis.on('error', () => {})
    try {
      await redis.connect()
      return (await redis.ping()) === 'PONG'
    } finally {
      redis.disconnect()
    }
  })
  return server
}
