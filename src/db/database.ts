/**
 * One row. Both engines return: int8 → bigint, int2/int4/oid/float → number, numeric → string, bool → boolean,
 * timestamptz → Date, date → `YYYY-MM-DD`, json(b) → parsed value, bytea → Buffer, arrays of these → arrays, the rest → text.
 */
export type Row = Record<string, unknown>

/**
 * A value that both engines accept as a query parameter. JSON is passed as a string; bytes as `\x…` hex text.
 * Where the type is not clear from the statement, cast it (`$1::bigint`).
 */
export type Param =
  | string
  | number
  | bigint
  | boolean
  | Date
  | null
  | readonly (string | null)[]
  | readonly (bigint | null)[]
  | readonly (number | null)[]
  | readonly (boolean | null)[]
  | readonly (Date | null)[]

/** Anything that runs SQL: the database itself or an open transaction. */
export type Queryable = {
  /**
   * Runs one statement with `$1…` parameters and returns its rows.
   * @throws DatabaseUnavailableError when the statement may be retried later (connection lost, timeout, pool exhausted)
   * @throws the driver's error (with `code` and `constraint`, without values) for everything else
   */
  query<R extends Row = Row>(text: string, params?: readonly Param[]): Promise<R[]>
}

/** The database of the service: PGlite (embedded sandbox) or PostgreSQL. The same SQL runs on both. */
export type Database = Queryable & {
  readonly kind: 'pglite' | 'postgres'
  /**
   * Runs `work` in one READ COMMITTED transaction; commits its result, rolls back when it throws. After a deadlock or
   * serialization failure `work` runs again (three times in all), so it must not have effects outside the transaction.
   * Inside it use only `tx`: a query through the database itself could wait for the transaction to end.
   * @throws DatabaseUnavailableError also when the connection is lost during the commit; the outcome is then unknown
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /**
   * Calls `onNotify` for every NOTIFY on `channel`, across reconnects. Resolves to a function that stops listening.
   * Notifications sent while the connection is down are lost, so every listener also polls.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>
  /**
   * Runs a script of several statements without parameters as one transaction without a time limit (migrations only).
   */
  script(sql: string): Promise<void>
  /** Lets running statements end, then closes every connection. Later calls throw DatabaseUnavailableError. */
  close(): Promise<void>
}

/** What the adapters log to; a pino logger fits. */
export type DatabaseLogger = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** The database cannot be reached right now; whether the statement took effect is unknown. A retry can help. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError'
}

/**
 * The statement alone was ended, by a time limit or because it waited too long for a locked row. Nothing was changed.
 * The database is there, and other statements may well succeed.
 */
export class StatementCancelledError extends DatabaseUnavailableError {
  override readonly name = 'StatementCancelledError'
}

/** Whether an error says that the database itself is away. A statement that was cancelled alone says nothing about the next one. */
export function isDatabaseAway(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && !(error instanceof StatementCancelledError)
}

/** The database answers, but must not be used as it is. The message says why and what to do. */
export class DatabaseUnsuitableError extends Error {
  override readonly name = 'DatabaseUnsuitableError'
}

/** The violated constraint's name, when `error` is a constraint violation raised by either engine. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string' ? constraint : undefined
}
