/** Orders that are held because their integration was suspended, and for nothing else that a person has said. */
import type { Queryable } from '../../db/database.ts'

/** A hold by a person on top of that leaves the first reason, and a line in the audit log: such an order is let go by itself alone. */
const HELD = `from order_holds h join orders o using (order_id)
  where o.integration_id = $1 and h.reason = 'integration_suspended' and o.status = 'pending'
    and not exists (select from audit_log a
      where a.target = o.integration_id || '/' || o.reference_id and a.action = 'order.hold')`

export type HeldOrder = { orderId: bigint; referenceId: string; amountMicro: bigint }

/** The oldest of them, `limit` at most. */
export async function listHeldBySuspension(tx: Queryable, integrationId: string, limit: number): Promise<HeldOrder[]> {
  return await tx.query<HeldOrder>(
    `select o.order_id as "orderId", o.reference_id as "referenceId", o.amount_micro as "amountMicro" ${HELD}
     order by o.order_id limit $2::int`,
    [integrationId, limit],
  )
}

/** How many there are, how much that is, and the newest of them: null where there is none. */
export async function sumHeldBySuspension(
  db: Queryable,
  integrationId: string,
): Promise<{ orders: number; amountMicro: bigint; newestOrderId: bigint | null }> {
  const [row] = await db.query<{ orders: bigint; amount: string; newest: bigint | null }>(
    `select count(*) as orders, coalesce(sum(o.amount_micro), 0)::text as amount, max(o.order_id) as newest ${HELD}`,
    [integrationId],
  )
  return {
    orders: Number(row?.orders ?? 0n),
    amountMicro: BigInt(row?.amount ?? 0),
    newestOrderId: row?.newest ?? null,
  }
}
