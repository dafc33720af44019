/** Payments that come after all others for a file, because those before them could not go into one. */
import type { Queryable } from '../db/database.ts'

/** Puts payments behind all others, also behind what was put there while the clock of the database was ahead. */
export async function passOver(tx: Queryable, endToEndIds: readonly string[]): Promise<void> {
  if (endToEndIds.length === 0) return
  await tx.query(
    `update filed_payments set passed_over_at = greatest(now(), (select max(greatest(w.not_opened_since, w.passed_over_at)) + interval '1 microsecond'
       from filed_payments w where w.message_id is null)) where end_to_end_id = any ($1::text[])`,
    [endToEndIds],
  )
}

/** Says of payments that they wait because their payees do not open. */
export async function markUnopened(tx: Queryable, endToEndIds: readonly string[]): Promise<void> {
  if (endToEndIds.length === 0) return
  await tx.query(
    'update filed_payments set not_opened_since = now() where end_to_end_id = any ($1::text[]) and not_opened_since is null',
    [endToEndIds],
  )
}
