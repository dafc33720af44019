/** PostgreSQL through a bounded pool of connections. */
import pg from 'pg'
import { createBreaker } from './breaker.ts'
import { type Database, DatabaseUnavailableError } from './database.ts'
import { createDeadlines } from './deadlines.ts'
import { breaksConnection, toDatabaseError } from './failures.ts'
import { keepClients } from './kept-clients.ts'
import { createNotificationHub } from './listener.ts'
import { createClientMaker } from './new-client.ts'
import {
  answers,
  answerTimeoutOf,
  clientConfigOf,
  connectFailure,
  decoderOf,
  type PostgresSettings,
  passwordOf,
  probeConfigOf,
} from './postgres-client.ts'
import { attempt, retryConflicts, WorkError } from './postgres-transaction.ts'
import { createRunner } from './runner.ts'
import { createStatementNames } from './statements.ts'

const MAX_PREPARED_STATEMENTS = 500
const MAX_WAITING = 10_000
const TICK_MS = 250

/**
 * Opens a pool. The first connection is tried at once, the others are made when they are needed.
 * @throws TypeError when the URL is not a PostgreSQL URL
 * @throws DatabaseUnavailableError when the server cannot be reached
 */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const secret = passwordOf(settings.url)
  const { logger } = settings
  const clientConfig = clientConfigOf(settings)
  const unlimited = { ...clientConfig, statement_timeout: 0, query_timeout: 0 }
  const makeClient = createClientMaker(clientConfig)
  const makeProbe = createClientMaker(probeConfigOf(settings))
  const deadlines = createDeadlines(answerTimeoutOf(settings))
  const pool = createPool(settings, createClientMaker({ ...clientConfig, query_timeout: 0 }))
  const onLoss = (error: Error) =>
    logger?.warn({ reason: toDatabaseError(error, secret).message }, 'a database connection was lost')
  pool.on('error', onLoss)
  const kept = keepClients(pool, onLoss)
  const runner = createRunner({
    nameOf: createStatementNames(MAX_PREPARED_STATEMENTS),
    reading: { known: new WeakMap(), decodeOf: decoderOf },
    deadlines,
  })
  const { guard, unlessGivenUp, tick } = createBreaker({
    logger,
    isThere: () => answers(makeProbe),
  })
  const ticking = setInterval(() => {
    deadlines.tick()
    tick()
    kept.tick()
  }, TICK_MS).unref()
  const hub = createNotificationHub({ makeClient, secret, logger })

  function connect(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= MAX_WAITING)
      throw new DatabaseUnavailableError('too many statements wait for a connection')
    const connecting = pool.connect().catch((error) => {
      throw connectFailure(error, secret)
    })
    return unlessGivenUp(connecting, (late) => late.release())
  }

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
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
  }

  let closing: Promise<void> | undefined
  const database: Database = {
    kind: 'postgres',
    query: (text, params) =>
      guard(() =>
        retryConflicts(() => withClient((client) => unlessGivenUp(runner.run(client, text, params))), secret),
      ),
    transaction: (work) =>
      guard(() => retryConflicts(() => withClient((client) => attempt(client, runner, work, secret)), secret)),
    listen: hub.listen,
    async script(sql) {
      const client = new pg.Client(unlimited)
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query(sql)
      } catch (error) {
        throw toDatabaseError(error, secret)
      } finally {
        client.end().catch(() => {})
      }
    },
    close() {
      kept.close()
      // What still runs has its deadline, too.
      closing ??= Promise.all([hub.close(), pool.end()]).then(() => clearInterval(ticking))
      return closing
    },
  }
  try {
    await database.query('select 1')
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

function createPool(settings: PostgresSettings, makeClient: () => pg.Client): pg.Pool {
  // The pool would use one timeout for both opening a connection and waiting for a free one.
  function Client(): pg.Client {
    return makeClient()
  }
  return new pg.Pool({
    max: settings.poolSize ?? 10,
    connectionTimeoutMillis: settings.acquireTimeoutMs ?? 5_000,
    idleTimeoutMillis: 60_000,
    Client: Client as unknown as new () => pg.Client,
  } as pg.PoolConfig)
}
