/** What sealing needs of SQL and its rows, whatever the log. */
import type { Queryable } from '../db/database.ts'
import type { SealedEntry } from './chain.ts'
import type { StoredSeal } from './sealed-log.ts'

/** An instant as a seal covers it: UTC with microseconds, because a seal covers every digit. */
export const sealedInstant = (column: string) =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Takes the right to seal until the transaction ends. Returns false while another process has it. */
export async function trySealing(tx: Queryable, lock: number): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as taken', [lock])
  return row?.taken === true
}

/** A seal with the columns of its entry, which are null when it is gone. */
export type SealRow<Columns> = Columns & { position: bigint; sealed_id: bigint; hash: string; is_there: boolean }

/** @param entryOf makes the entry of its columns */
export function storedSealFromRow<Columns, Entry extends SealedEntry>(
  row: SealRow<Columns>,
  entryOf: (columns: Columns) => Entry,
): StoredSeal<Entry> {
  const { position, sealed_id: entryId, hash, is_there: isThere } = row
  return { position, entryId, hash, entry: isThere ? entryOf(row) : undefined }
}
