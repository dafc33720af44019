/** Turns any error of a driver into one that callers of Database may see. */
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'
import { readFileError } from './file-errors.ts'

/** object_not_in_prerequisite_state: a standby is asked for its own place in the log (timeline.sql.ts). */
const IN_RECOVERY = '55000'
/** SQLSTATE classes and codes after which the same statement may succeed later (PostgreSQL manual, appendix A). */
const UNAVAILABLE_CLASSES = ['08', '53', '58']
/** A time limit ended the statement. */
const QUERY_CANCELED = '57014'
const UNAVAILABLE_CODES = new Set([
  QUERY_CANCELED,
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
  '25P03',
  '25P04',
  '25006',
  '55P03',
  IN_RECOVERY,
])
/** And lock_not_available: they end one statement and say nothing about the next. */
const CANCELLED_CODES = new Set([QUERY_CANCELED, '55P03'])
/** Connection lost, server away, transaction in a state in which no statement helps. */
const BREAKING_CLASSES = ['08', '57', '25']
const CONFLICT_CODES = new Set(['40001', '40P01'])
/** Where PostgreSQL says (0A000) that a migration changed the columns of a prepared statement. Its message is in the server's language. */
const STALE_PLAN_RAISED_IN = 'RevalidateCachedQuery'
/** invalid_sql_statement_name: the session has lost its prepared statements, as by a pooler's DISCARD. */
const STATEMENT_IS_GONE = '26000'

/** Fields that drivers add and that carry parameter values or whole rows. */
const REVEALING_FIELDS = ['detail', 'params', 'query', 'queryOptions', 'internalQuery', 'where', 'client']

/** The work of a transaction has thrown its `cause`: tells that from an error of the engine or the connection. */
export class WorkError extends Error {}

/** The five-character SQLSTATE of a driver's error. */
export function sqlState(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && 'severity' in (error as object) ? code : undefined
}

/** True when the transaction lost to another one (deadlock, serialization) and can simply be run again. */
export function isConflict(error: unknown): boolean {
  return CONFLICT_CODES.has(sqlState(error) ?? '')
}

/** True when the connection that raised `error` must not be used again. */
export function breaksConnection(error: unknown): boolean {
  const state = sqlState(error)
  if (state === undefined || state === IN_RECOVERY) return true
  if (state === QUERY_CANCELED) return false
  return BREAKING_CLASSES.includes(state.slice(0, 2)) || isStalePlan(error)
}

/**
 * The error that leaves the adapter: DatabaseUnavailableError when a retry can help, else the driver's own error
 * without the values it quotes. `secret` (a password) is cut out of messages.
 */
export function toDatabaseError(error: unknown, secret?: string): Error {
  if (error instanceof DatabaseUnavailableError) return error
  const state = sqlState(error)
  if (state === undefined || isConflict(error) || isStalePlan(error) || isUnavailable(state)) {
    const reason = redact(messageOf(error), secret)
    if (state === undefined) return new DatabaseUnavailableError(reason)
    const isCancelled = CANCELLED_CODES.has(state) || isConflict(error)
    return new (isCancelled ? StatementCancelledError : DatabaseUnavailableError)(`${reason} (SQLSTATE ${state})`)
  }
  for (const field of REVEALING_FIELDS) delete (error as Record<string, unknown>)[field]
  return error as Error
}

function isUnavailable(state: string): boolean {
  return UNAVAILABLE_CODES.has(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2))
}

/** Whether the connection has prepared statements that it cannot execute any more; nothing was done, and another connection can. */
export function isStalePlan(error: unknown): boolean {
  const routine = typeof error === 'object' && error !== null ? (error as { routine?: unknown }).routine : undefined
  return sqlState(error) === STATEMENT_IS_GONE || routine === STALE_PLAN_RAISED_IN
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  const trouble = error instanceof Error ? undefined : readFileError(error)
  if (trouble !== undefined) return `the data folder cannot be used: ${trouble.why}`
  const message = error instanceof Error ? error.message : String(error)
  return message === '' ? 'the connection failed' : message
}

/** The text without the secret. */
export function redact(text: string, secret: string | undefined): string {
  return secret === undefined || secret === '' ? text : text.replaceAll(secret, '***')
}
