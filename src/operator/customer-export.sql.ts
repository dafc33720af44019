/** Everything that is kept about a customer beside its own row, for whoever is asked for it by the customer. */
import { shownBytes } from '../db/bytes.ts'
import type { Queryable, Row } from '../db/database.ts'
import { partsBefore } from '../db/parts.ts'
import { BATCH_OF_ORDER, SHOWN_STATUS } from '../orders/row.sql.ts'

/** Of orders and payouts, the newest. */
const MOST = 10_000
/** So many orders of everybody are read by one statement, which none ends for taking too long. */
const AT_ONCE = 500_000n

/**
 * Everything that is kept of a customer. It takes a second or two for each million orders: no index leads to those of a customer, as it would add a seventh
 * to what each order writes to the log, for a look that is rare.
 * - Payouts and accounts name their bank details, which the caller opens: the person they belong to has asked.
 * - `accounts`: all that the customer has or had, also those that were replaced, and those of payments that were made again to another one.
 * - Orders have the status and transaction that partners see, payouts the name of their redeem.
 * - `isWhole`: false when there are more orders or payouts.
 * - `residual`: parts of a sen that are owed, and what of them goes back with refunds that are under way.
 */
export async function readKept(db: Queryable, customerId: string) {
  const wallets = await db.query<Row>(
    `select a.address, coalesce(w.is_primary, false) as "isPrimary", coalesce(w.created_at, min(l.begun_at)) as "createdAt",
       coalesce(jsonb_agg(jsonb_build_object('chainId', l.chain_id, 'linkedAt', l.linked_at) order by l.chain_id)
         filter (where l.chain_id is not null), '[]') as links
     from (select address from wallets where customer_id = $1 union select address from wallet_links where customer_id = $1) a
       left join wallets w on (w.customer_id, w.address) = ($1, a.address)
       left join wallet_links l on (l.customer_id, l.address) = ($1, a.address)
     group by a.address, w.is_primary, w.created_at order by 3, 1`,
    [customerId],
  )
  const orders = await readOrders(db, customerId)
  const payouts = await db.query<Row & { bankId: string | null }>(
    `select p.payout_id as "payoutId", coalesce(o.reference_id, p.reference_id) as "referenceId",
       (p.amount_sen / 100.0)::numeric(30, 2)::text as "amountMyr", p.status, p.status_since as since,
       p.bank_id as "bankId", p.created_at as "createdAt"
     from payouts p left join orders o using (order_id) where p.customer_id = $1 order by p.created_at desc, p.payout_id limit $2`,
    [customerId, MOST + 1],
  )
  const accounts = await db.query<Row & { bankId: string }>(
    `select bank_id as "bankId", created_at as "createdAt" from bank_details where customer_id = $1 order by created_at, bank_id`,
    [customerId],
  )
  const [owed] = await db.query<Row>(
    `select (owed_micro / 1000000.0)::numeric(30, 6)::text as "owedMyr",
       (reserved_micro / 1000000.0)::numeric(30, 6)::text as "reservedMyr" from customer_residuals where customer_id = $1`,
    [customerId],
  )
  const isWhole = orders.length <= MOST && payouts.length <= MOST
  const residual = owed ?? { owedMyr: '0.000000', reservedMyr: '0.000000' }
  return { wallets, accounts, residual, orders: orders.slice(0, MOST), payouts: payouts.slice(0, MOST), isWhole }
}

/** The newest orders of a customer, and one more than is shown where there are more. */
async function readOrders(db: Queryable, customerId: string): Promise<Row[]> {
  const orders: Row[] = []
  for await (const { from, to } of partsBefore(undefined, AT_ONCE, (id) => newestBefore(db, id))) {
    const found = await db.query<Row>(
      `select o.reference_id as "referenceId", o.direction, o.chain_id::float8 as "chainId", o.wallet_address as "walletAddress",
         (o.amount_micro / 1000000.0)::numeric(30, 6)::text as amount, (o.fee_micro / 1000000.0)::numeric(30, 6)::text as "feeMyr",
         ${SHOWN_STATUS} as status, o.bank_reference as "bankReference",
         o.created_at as "createdAt", coalesce(${shownBytes('o.tx_hash')}, b.tx_hash) as "txHash"
       from orders o ${BATCH_OF_ORDER}
       where o.customer_id = $1 and o.order_id >= $2 and o.order_id <= $3 order by o.order_id desc limit $4`,
      [customerId, from, to, MOST + 1 - orders.length],
    )
    orders.push(...found)
    if (orders.length > MOST) break
  }
  return orders
}

async function newestBefore(db: Queryable, id: bigint | null): Promise<bigint | undefined> {
  const [row] = await db.query<{ order_id: bigint }>(
    'select order_id from orders where ($1::bigint is null or order_id < $1) order by order_id desc limit 1',
    [id],
  )
  return row?.order_id
}
