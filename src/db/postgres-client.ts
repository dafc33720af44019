/** How a connection to PostgreSQL is made: its limits, its session settings, the form of its values. */
import type pg from 'pg'
import { type DatabaseLogger, DatabaseUnavailableError } from './database.ts'
import { redact, sqlState, toDatabaseError } from './failures.ts'
import { decoderOf } from './values.ts'

/**
 * The server ends a statement at its time limit; the client gives up this much later, if the server does not answer at
 * all.
 */
const ANSWER_GRACE_MS = 5_000
/** How long the server has to answer a new connection that only asks whether it is there. */
const PROBE_MS = 2_000

/** Set on every connection, overriding the settings of the server, the database and the role. */
export const SESSION_SETTINGS = {
  /** A commit is durable before it is acknowledged: what a partner was told must survive a crash. */
  synchronous_commit: 'on',
  /** A row that somebody else has changed is waited for and read again. At a stricter level the statement fails, more often than it is tried again. */
  default_transaction_isolation: 'read committed',
  // What statements and values mean is as the service writes and reads them.
  TimeZone: 'UTC',
  DateStyle: 'ISO,YMD',
  IntervalStyle: 'postgres',
  client_encoding: 'UTF8',
  search_path: 'public',
  standard_conforming_strings: 'on',
  /** Without it, a null in a list is the word NULL. */
  array_nulls: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // How long statements wait and connections stay is the service's to say.
  lock_timeout: '0',
  idle_session_timeout: '0',
  // A plan that was prepared while a table was small stays until its statistics are renewed. One that scans the table can be thousands of times
  // slower by then, and every statement of the service has an index to use instead.
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
} as const

export type PostgresSettings = {
  /** `postgres://user:password@host:port/database`; it never appears in an error or a log. */
  url: string
  poolSize?: number
  /** The server cancels a statement after this time. Default 10,000. */
  statementTimeoutMs?: number
  /** How much later a statement is given up that the server has not even cancelled. Default 5,000. */
  answerGraceMs?: number
  /** How long opening a connection may take. Default 5,000. */
  connectTimeoutMs?: number
  /** How long a statement waits for a connection of the pool. Default 5,000. */
  acquireTimeoutMs?: number
  /** How long a connection stays that nobody uses, but for the last one. Default 60,000. */
  idleMs?: number
  /** How long a silent server has to answer whether it is there. Default 2,000. */
  probeMs?: number
  logger?: DatabaseLogger
}

/** By which the service's connections are told from others. */
export const APPLICATION_NAME = 'stablecoin-partner-api'

/** What node-postgres needs to open a connection. */
export function clientConfigOf(settings: PostgresSettings): pg.ClientConfig {
  const statementTimeoutMs = timeoutOf(settings)
  return {
    connectionString: settings.url,
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: settings.connectTimeoutMs ?? 5_000,
    statement_timeout: statementTimeoutMs,
    query_timeout: answerTimeoutOf(settings),
    idle_in_transaction_session_timeout: statementTimeoutMs * 3,
    keepAlive: true,
    options: Object.entries(SESSION_SETTINGS)
      .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
      .join(' '),
    types: { getTypeParser: decoderOf as typeof pg.types.getTypeParser },
  }
}

/** How long a statement may take until it is answered, in milliseconds. */
export function answerTimeoutOf(settings: PostgresSettings): number {
  return timeoutOf(settings) + (settings.answerGraceMs ?? ANSWER_GRACE_MS)
}

function timeoutOf({ statementTimeoutMs = 10_000 }: PostgresSettings): number {
  return statementTimeoutMs
}

/** What node-postgres needs to open a connection that only asks whether the server is there. */
export function probeConfigOf(settings: PostgresSettings): pg.ClientConfig {
  const { probeMs = PROBE_MS } = settings
  return { ...clientConfigOf(settings), connectionTimeoutMillis: probeMs, query_timeout: probeMs }
}

/** Whether the server answers a new connection with anything at all, even a refusal. */
export async function answers(makeProbe: () => pg.Client): Promise<boolean> {
  const client = makeProbe()
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch (error) {
    return sqlState(error) !== undefined
  } finally {
    client.end().catch(() => {})
  }
}

/** Whatever prevents a connection (network, password, missing database) may be mended while we run. */
export function connectFailure(error: unknown, secret: string): DatabaseUnavailableError {
  // The server's own refusals leave `toDatabaseError` as they came.
  return new DatabaseUnavailableError(redact(toDatabaseError(error, secret).message, secret))
}

/** The password in a PostgreSQL URL, to be cut out of every message. @throws TypeError for any other URL */
export function passwordOf(url: string): string {
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
