/** How much an integration had made lately. */
import type { Queryable } from '../../db/database.ts'

/** Answers of the last 24 hours, in the table `operator_answers`. */
export async function countAnswers(db: Queryable, askedBy: string): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from operator_answers where asked_by = $1 and answered_at > now() - interval '1 day'`,
    [askedBy],
  )
  return Number(row?.count ?? 0n)
}
