/** Orders of an integration that wait for one reason: what is rejected together. */
import type { Queryable } from '../../db/database.ts'
import type { OrderName } from '../../orders/order.ts'

/** Of which integration, and the reason as it is written there. */
export type HeldFor = { integrationId: string; held: string }

/**
 * What is in no batch and may come into none as things stand, each with all reasons for that: the one in its row, those that people have put on top since it
 * was last released, and, of an integration that is suspended, its suspension, whether or not a settler has come to hold the order for it.
 */
const WAITING = `of_it as materialized (
  select o.order_id, o.reference_id, o.integration_id || '/' || o.reference_id as name, o.amount_micro,
    case when h.order_id is null then case when i.status = 'suspended' then array['integration_suspended'] else '{}' end
    else array(select h.reason union select a.details ->> 'reason' from audit_log a
      where a.target = o.integration_id || '/' || o.reference_id and a.action = 'order.hold'
        and a.audit_id > (select coalesce(max(r.audit_id), 0) from audit_log r where r.target = a.target and r.action = 'order.release')) end as reasons
  from orders o join integrations i using (integration_id) left join order_holds h using (order_id)
  where o.integration_id = $1 and o.status = 'pending'
    and not exists (select from signed_orders s where s.order_id = o.order_id and s.batch_id is not null))`

/** Whoever names one reason has not spoken of what others hold an order for. A suspension on top says nothing against it. */
const IS_MEANT = `$2::text = any (reasons)
  and not exists (select from unnest(reasons) r where r not in ($2, 'integration_suspended', 'customer_suspended'))`

export type HeldOrder = OrderName & { orderId: bigint; name: string; amountMicro: bigint }

/** The oldest of them, `limit` at most. */
export async function listHeldFor(
  tx: Queryable,
  { integrationId, held }: HeldFor,
  limit: number,
): Promise<HeldOrder[]> {
  const rows = await tx.query<Omit<HeldOrder, 'integrationId'>>(
    `with ${WAITING} select order_id as "orderId", reference_id as "referenceId", name, amount_micro as "amountMicro"
     from of_it where ${IS_MEANT} order by order_id limit $3::int`,
    [integrationId, held, limit],
  )
  return rows.map((row) => ({ ...row, integrationId }))
}

/** `digest`: of the ids of all of them. `besides`: how many are held for that and, by people, for something else. */
export type HeldSum = { orders: number; amountMicro: bigint; digest: string | null; besides: number }

/** How many there are, how much that is, and which. */
export async function sumHeldFor(db: Queryable, { integrationId, held }: HeldFor): Promise<HeldSum> {
  const [row] = await db.query<{ orders: bigint; amount: string; digest: string | null; besides: bigint }>(
    `with ${WAITING}, judged as (select *, ${IS_MEANT} as is_meant from of_it where $2::text = any (reasons))
     select count(*) filter (where is_meant) as orders, count(*) filter (where not is_meant) as besides,
       coalesce(sum(amount_micro) filter (where is_meant), 0)::text as amount,
       md5(string_agg(order_id::text, ',' order by order_id) filter (where is_meant)) as digest from judged`,
    [integrationId, held],
  )
  return {
    orders: Number(row?.orders ?? 0n),
    amountMicro: BigInt(row?.amount ?? 0),
    digest: row?.digest ?? null,
    besides: Number(row?.besides ?? 0n),
  }
}

/** For what orders of the integration wait so, and how many for each, the most first. */
export async function listReasons(
  db: Queryable,
  integrationId: string,
  limit: number,
): Promise<{ reason: string; orders: number }[]> {
  const rows = await db.query<{ reason: string; orders: bigint }>(
    `with ${WAITING} select r.reason, count(*) as orders from of_it cross join unnest(reasons) as r (reason)
     group by r.reason order by 2 desc, 1 limit $2::int`,
    [integrationId, limit],
  )
  return rows.map(({ reason, orders }) => ({ reason, orders: Number(orders) }))
}
