/** Forgets remembered answers whose time is over. Orders are never deleted. */
import type { Queryable } from '../../db/database.ts'

/**
 * Deletes at most `limit` remembered answers older than `days`.
 * @returns how many were deleted
 */
export async function forgetAnswers(db: Queryable, { days, limit }: { days: number; limit: number }): Promise<number> {
  const rows = await db.query(
    `delete from idempotency_keys where (integration_id, idempotency_key) in (
       select integration_id, idempotency_key from idempotency_keys
       where created_at < now() - $1 * interval '1 day' order by created_at limit $2)
     returning 1`,
    [days, limit],
  )
  return rows.length
}
