/** PostgreSQL through a bounded pool of connections. */
import pg from 'pg'
import { createBreaker } from './breaker.ts'
import { type Database, type DatabaseLogger, DatabaseUnavailableError, type Param, type Row } from './database.ts'
import { breaksConnection, toDatabaseError } from './failures.ts'
import { createNotificationHub } from './listener.ts'
import { attempt, retryConflicts, WorkError } from './postgres-transaction.ts'
import { createStatementNames } from './statements.ts'
import { decoders, encodeParam } from './values.ts'

const MAX_PREPARED_STATEMENTS = 500
const MAX_WAITING = 10_000
/** The server ends a statement by itself; only when it does not answer at all does the client give up this much later. */
const ANSWER_GRACE_MS = 5_000

/**
 * A plan prepared while a table is small stays in use until its statistics are renewed; by then one that scans the table
 * can have become thousands of times slower. Every statement of the service has an index to go by.
 */
const PLANNER_OPTIONS = '-c enable_seqscan=off -c enable_bitmapscan=off -c jit=off'

export type PostgresSettings = {
  /** `postgres://user:password@host:port/database`; it never appears in an error or a log. */
  url: string
  poolSize?: number
  /** The server cancels a statement after this. Default 10,000. */
  statementTimeoutMs?: number
  /** How long opening a connection may take. Default 5,000. */
  connectTimeoutMs?: number
  /** How long a statement waits for a connection of the pool. Default 5,000. */
  acquireTimeoutMs?: number
  logger?: DatabaseLogger
}

/**
 * Opens a pool; connections are made when they are first needed, and the first one is tried at once.
 * @throws TypeError when the URL is not one of PostgreSQL
 * @throws DatabaseUnavailableError when the server cannot be reached
 */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const secret = passwordOf(settings.url)
  const { logger } = settings
  const clientConfig = configure(settings)
  const unlimited = { ...clientConfig, statement_timeout: 0, query_timeout: 0 }
  const pool = createPool(settings, clientConfig)
  pool.on('error', (error) =>
    logger?.warn({ reason: toDatabaseError(error, secret).message }, 'a database connection was lost'),
  )
  // A connection in use reports its loss to the statement, too; without a listener the event would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const nameOf = createStatementNames(MAX_PREPARED_STATEMENTS)
  const { guard } = createBreaker({ logger })
  const hub = createNotificationHub({ clientConfig, secret, logger })

  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    if (pool.waitingCount >= MAX_WAITING)
      throw new DatabaseUnavailableError('too many statements wait for a connection')
    const client = await pool.connect().catch((error) => {
      throw connectFailure(error, secret)
    })
    let broken = false
    try {
      return await work(client)
    } catch (error) {
      broken = !(error instanceof WorkError) && breaksConnection(error)
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function run<R extends Row>(client: pg.ClientBase, text: string, params: readonly Param[] = []): Promise<R[]> {
    const name = nameOf(text)
    const values = params.map(encodeParam)
    const result = await client.query<R>(name === undefined ? { text, values } : { name, text, values })
    return result.rows
  }

  let closing: Promise<void> | undefined
  const database: Database = {
    kind: 'postgres',
    query: (text, params) =>
      guard(() => retryConflicts(() => withClient((client) => run(client, text, params)), secret)),
    transaction: (work) =>
      guard(() => retryConflicts(() => withClient((client) => attempt(client, run, work, secret)), secret)),
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
      closing ??= Promise.all([hub.close(), pool.end()]).then(() => {})
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

function createPool(settings: PostgresSettings, clientConfig: pg.ClientConfig): pg.Pool {
  // The pool would use one timeout for both opening a connection and waiting for a free one.
  function Client(): pg.Client {
    return new pg.Client(clientConfig)
  }
  return new pg.Pool({
    max: settings.poolSize ?? 10,
    connectionTimeoutMillis: settings.acquireTimeoutMs ?? 5_000,
    idleTimeoutMillis: 60_000,
    Client: Client as unknown as new () => pg.Client,
  } as pg.PoolConfig)
}

function configure(settings: PostgresSettings): pg.ClientConfig {
  const statementTimeoutMs = settings.statementTimeoutMs ?? 10_000
  return {
    connectionString: settings.url,
    application_name: 'stablecoin-partner-api',
    connectionTimeoutMillis: settings.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: statementTimeoutMs + ANSWER_GRACE_MS,
    idle_in_transaction_session_timeout: statementTimeoutMs * 3,
    keepAlive: true,
    options: `-c TimeZone=UTC -c DateStyle=ISO,YMD -c IntervalStyle=postgres -c client_encoding=UTF8 ${PLANNER_OPTIONS}`,
    types: { getTypeParser: ((oid: number) => decoders[oid] ?? asIs) as typeof pg.types.getTypeParser },
  }
}

function asIs(text: string): string {
  return text
}

/** Whatever stands between us and a connection (network, password, missing database) may be mended while we run. */
function connectFailure(error: unknown, secret: string): DatabaseUnavailableError {
  const { message } = toDatabaseError(error, secret)
  return new DatabaseUnavailableError(message.replaceAll(secret === '' ? '\0' : secret, '***'))
}

function passwordOf(url: string): string {
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new TypeError('The database URL is not a valid URL')
  }
  if (!['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    throw new TypeError('The database URL does not start with postgres://')
  }
  return decodeURIComponent(parsed.password)
}
