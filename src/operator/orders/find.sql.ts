/** Finds orders by whatever somebody has in hand. */
import type { Queryable } from '../../db/database.ts'
import { refundNameOf } from '../../payouts/payouts.sql.ts'
import { REFUNDS } from '../../values/house.ts'

/** What is searched without an index of its own: the newest orders and batches, so that a search has an end. */
const NEWEST_ORDERS = 200_000
const NEWEST_BATCHES = 50_000

export type Wanted = {
  text: string
  /** The text as an address, where it is one. */
  address: string | undefined
  /** The text as integration and reference, where it has a slash. */
  named: { integrationId: string; referenceId: string } | undefined
  /** Whether it may be a customer's id at their partner: whoever sees no such id learns by a search whose it is. */
  byExternalId: boolean
  limit: number
}

/**
 * The ids of orders with this reference, transaction, wallet, customer (by our id or the partner's), bank reference, payout (also
 * those that mint its coin back) or end-to-end id; newest first, at most `limit`.
 */
export async function findOrderIds(
  db: Queryable,
  { text, address, named, byExternalId, limit }: Wanted,
): Promise<bigint[]> {
  const rows = await db.query<{ order_id: bigint }>(
    `with recent as (select * from orders order by order_id desc limit ${NEWEST_ORDERS}),
    people as (select customer_id from customers where customer_id = $1
      union select c.customer_id from integrations i join customers c using (integration_id) where $6::boolean and c.external_id = $1)
    select distinct order_id from (
      select o.order_id from integrations i join orders o on o.integration_id = i.integration_id and o.reference_id = $1
      union all select order_id from orders where integration_id = $3 and reference_id = $4
      union all select order_id from payouts where payout_id = $1
      union all select order_id from payouts where end_to_end_id = $1
      union all select r.order_id from payouts p cross join generate_series(1, p.refunds) as n join orders r
        on r.integration_id = '${REFUNDS}' and r.reference_id = ${refundNameOf('n')}
        where p.payout_id = $1
      union all select p.order_id from payout_attempts a join payouts p on p.payout_id = a.payout_id where a.end_to_end_id = $1
      union all select unnest(b.order_ids) from chains c cross join lateral
        (select order_ids, tx_hash from batches t where t.chain_id = c.chain_id order by t.batch_id desc limit ${NEWEST_BATCHES}) b
        where b.tx_hash = lower($1)
      union all select order_id from recent
        where bank_reference = $1 or tx_hash = case when $1 ~* '^0x[0-9a-f]{64}$' then decode(substr($1, 3), 'hex') end or customer_id in (select customer_id from people)
          or ($2::text is not null and (wallet_address = $2 or debit_address = $2))) found
    where order_id is not null order by order_id desc limit $5::int`,
    [text, address ?? null, named?.integrationId ?? null, named?.referenceId ?? null, limit, byExternalId],
  )
  return rows.map((row) => row.order_id)
}

/** When the oldest order was made that is searched for wallets, customers and bank references; null: all are. */
export async function searchedSince(db: Queryable): Promise<Date | null> {
  const [row] = await db.query<{ created_at: Date }>(
    `select created_at from orders
     where order_id = (select order_id from orders order by order_id desc offset ${NEWEST_ORDERS - 1} limit 1)`,
  )
  return row?.created_at ?? null
}
