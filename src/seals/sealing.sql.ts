/** SQL that sealing needs whatever the log. */
import type { Queryable } from '../db/database.ts'

/** An instant as a seal covers it: UTC with microseconds, because a seal covers every digit. */
export const sealedInstant = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Takes the right to seal until the transaction ends. Returns false while another process has it. */
export async function trySealing(tx: Queryable, lock: number): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as taken', [lock])
  return row?.taken === true
}
