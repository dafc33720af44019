/** The payout of a partner's redeem. */
import type { Queryable } from '../../db/database.ts'

/** Undefined where the integration has no such redeem, or its coin is not burnt yet. */
export async function findPayoutOf(
  db: Queryable,
  integrationId: string,
  referenceId: string,
): Promise<string | undefined> {
  const [row] = await db.query<{ payout_id: string }>(
    `select p.payout_id from orders o join payouts p on p.order_id = o.order_id
     where o.integration_id = $1 and o.reference_id = $2`,
    [integrationId, referenceId],
  )
  return row?.payout_id
}
