/** One row as the driver returns it: int8 → bigint, timestamptz → Date, text[] → string[], jsonb → parsed value. */
export type Row = Record<string, unknown>

/** A value that both engines accept as a query parameter. JSON is passed as a string, bytes as hex text. */
export type Param = string | number | bigint | boolean | Date | null | readonly string[] | readonly bigint[] | readonly number[]

/** Anything that runs SQL: the database itself or an open transaction. */
export type Queryable = {
  /**
   * Runs one statement with `$1…` parameters and returns its rows.
   * @throws DatabaseUnavailableError when the statement may be retried later (connection lost, timeout, pool exhausted)
   * @throws the driver's error (with `code` and `constraint`) for everything else
   */
  query<R extends Row = Row>(text: string, params?: readonly Param[]): Promise<R[]>
}

/** The database of the service: PGlite (embedded sandbox) or PostgreSQL. The same SQL runs on both. */
export type Database = Queryable & {
  readonly kind: 'pglite' | 'postgres'
  /** Runs `work` in one READ COMMITTED transaction; commits its result, rolls back when it throws. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Calls `onNotify` for every NOTIFY on `channel`, across reconnects. Resolves to a function that stops listening. */
  listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>>
  /** Runs a script of several statements without parameters (migrations only). */
  script(sql: string): Promise<void>
  close(): Promise<void>
}

/** The database cannot be asked right now; nothing is known about the statement. A retry can help. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  readonly retryable = true
}

/** The violated constraint's name, when `error` is a constraint violation raised by either engine. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string' ? constraint : undefined
}
