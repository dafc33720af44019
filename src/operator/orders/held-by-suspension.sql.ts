/** Orders that are held because their integration, or their customer, was suspended, and for nothing else that a person has said. */
import type { Queryable } from '../../db/database.ts'

/** Whose suspension has held them. */
export type Suspended = { integrationId: string } | { customerId: string }

/** A hold by a person on top of that leaves the first reason, and a line in the audit log: such an order is let go by itself alone. */
const heldBy = (whose: string, reason: string) => `from order_holds h join orders o using (order_id)
  where o.${whose} = $1 and h.reason = '${reason}' and o.status = 'pending'
    and not exists (select from audit_log a
      where a.target = o.integration_id || '/' || o.reference_id and a.action = 'order.hold')`

const BY_INTEGRATION = heldBy('integration_id', 'integration_suspended')
const BY_CUSTOMER = heldBy('customer_id', 'customer_suspended')

function heldAndId(of: Suspended): [string, string] {
  return 'customerId' in of ? [BY_CUSTOMER, of.customerId] : [BY_INTEGRATION, of.integrationId]
}

export type HeldOrder = { orderId: bigint; name: string; amountMicro: bigint }

/** The oldest of them, `limit` at most. */
export async function listHeldBySuspension(tx: Queryable, of: Suspended, limit: number): Promise<HeldOrder[]> {
  const [held, id] = heldAndId(of)
  return await tx.query<HeldOrder>(
    `select o.order_id as "orderId", o.integration_id || '/' || o.reference_id as name, o.amount_micro as "amountMicro" ${held}
     order by o.order_id limit $2::int`,
    [id, limit],
  )
}

/** How many there are, how much that is, and the newest of them: null where there is none. */
export async function sumHeldBySuspension(
  db: Queryable,
  of: Suspended,
): Promise<{ orders: number; amountMicro: bigint; newestOrderId: bigint | null }> {
  const [held, id] = heldAndId(of)
  const [row] = await db.query<{ orders: bigint; amount: string; newest: bigint | null }>(
    `select count(*) as orders, coalesce(sum(o.amount_micro), 0)::text as amount, max(o.order_id) as newest ${held}`,
    [id],
  )
  return {
    orders: Number(row?.orders ?? 0n),
    amountMicro: BigInt(row?.amount ?? 0),
    newestOrderId: row?.newest ?? null,
  }
}
