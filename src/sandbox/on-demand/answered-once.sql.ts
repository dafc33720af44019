/** How much an integration had made lately. */
import type { Queryable } from '../../db/database.ts'

/**
 * How many requests were answered in the last 24 hours (in the table `operator_answers`), or how many customers were begun, whichever is more.
 * @param given.externalId how the external ids of such customers begin
 */
export async function countMade(
  db: Queryable,
  { askedBy, integrationId, externalId }: { askedBy: string; integrationId: string; externalId: string },
): Promise<number> {
  const [row] = await db.query<{ count: bigint }>(
    `select greatest(
       (select count(*) from operator_answers where asked_by = $1 and answered_at > now() - interval '1 day'),
       (select count(*) from customers where integration_id = $2 and created_at > now() - interval '1 day'
          and starts_with(external_id, $3))) as count`,
    [askedBy, integrationId, externalId],
  )
  return Number(row?.count ?? 0n)
}
