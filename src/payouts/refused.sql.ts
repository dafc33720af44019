/**
 * Payments that a rail had refused.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Queryable } from '../db/database.ts'

/** The payments of a payout before one of them that this rail had not made, as it says itself: people have not called them unpaid. */
export async function findRefused(
  db: Queryable,
  { payoutId, before, rail }: { payoutId: string; before: number; rail: string },
): Promise<{ attempt: number; endToEndId: string }[]> {
  return await db.query<{ attempt: number; endToEndId: string }>(
    `select attempt, end_to_end_id as "endToEndId" from payout_attempts
     where payout_id = $1 and attempt < $2 and rail = $3 and status = 'rejected' and not is_called_unpaid order by attempt`,
    [payoutId, before, rail],
  )
}
