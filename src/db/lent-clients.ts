/** Connections of a bounded pool, lent for one piece of work each. */
import pg from 'pg'
import type { Breaker } from './breaker.ts'
import { DatabaseUnavailableError } from './database.ts'
import { breaksConnection, toDatabaseError, WorkError } from './failures.ts'
import { keepClients } from './kept-clients.ts'
import { connectFailure, type PostgresSettings } from './postgres-client.ts'

const MAX_WAITING = 10_000

export type LentClients = {
  /** Runs `work` with a connection of its own. @throws DatabaseUnavailableError when none can be had, and what `work` throws */
  withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>
  /** To be called a few times a second. */
  tick(): void
  /** Lends none any more, and resolves when all are given back and ended. */
  close(): Promise<void>
}

/** @param deps.secret cut out of every message */
export function lendClients(
  settings: PostgresSettings,
  deps: { makeClient: () => pg.Client; unlessGivenUp: Breaker['unlessGivenUp']; secret: string },
): LentClients {
  const { makeClient, unlessGivenUp, secret } = deps
  const pool = createPool(settings, makeClient)
  const onLoss = (error: Error) =>
    settings.logger?.warn({ reason: toDatabaseError(error, secret).message }, 'a database connection was lost')
  pool.on('error', onLoss)
  const kept = keepClients(pool, onLoss)

  function connect(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= MAX_WAITING)
      throw new DatabaseUnavailableError('too many statements wait for a connection')
    const connecting = pool.connect().catch((error) => {
      throw connectFailure(error, secret)
    })
    return unlessGivenUp(connecting, (late) => late.release())
  }

  return {
    async withClient(work) {
      const client = kept.take() ?? (await connect())
      let broken = false
      try {
        return await work(client)
      } catch (error) {
        broken = !(error instanceof WorkError) && breaksConnection(error)
        throw error
      } finally {
        kept.give(client, broken)
      }
    },
    tick: () => kept.tick(),
    close() {
      kept.close()
      return pool.end()
    },
  }
}

function createPool(settings: PostgresSettings, makeClient: () => pg.Client): pg.Pool {
  // The pool would use one timeout for both opening a connection and waiting for a free one.
  function Client(): pg.Client {
    return makeClient()
  }
  return new pg.Pool({
    max: settings.poolSize ?? 10,
    connectionTimeoutMillis: settings.acquireTimeoutMs ?? 5_000,
    idleTimeoutMillis: settings.idleMs ?? 60_000,
    // By its connections a process is known to run, also where nobody asks it for anything.
    min: 1,
    Client: Client as unknown as new () => pg.Client,
  } as pg.PoolConfig)
}
