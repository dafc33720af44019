/** Fills a database with a month of settled orders whose books, counters and payouts agree, by statements over many rows. */
import type { Database } from '../../src/db/database.ts'

const AT_ONCE = 250_000
export const ORDERS_OF_BATCH = 250
const INTEGRATIONS = 10

/** Of an order's number: its integration, its customer, its kind, its amount in micro units (whole sen), and its second of the month. */
const INTEGRATION = `'int_' || lpad((n % ${INTEGRATIONS})::text, 24, '0')`
const KEY = `lpad((n % ${INTEGRATIONS})::text, 16, '0')`
const customerOf = (customers: number) => `'cus_' || lpad((n % ${customers})::text, 24, '0')`
const DIRECTION = `(array['MINT', 'REDEEM', 'TRANSFER'])[n / 7 % 3 + 1]`
const AMOUNT = '((n % 997 + 1) * 10000)'

type Plan = { ofAll: number; customers: number }

/** Integrations, so many customers, and one chain. */
export async function addParties(db: Database, customers: number): Promise<void> {
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash) values (1, '0x1', '0x2', '0x0')`,
  )
  await db.query(
    `insert into integrations (integration_id, name) select ${INTEGRATION}, 'Bench' from generate_series(0, ${INTEGRATIONS - 1}) n`,
  )
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verification_level, verified_at, country_code,
       is_resident, monthly_cap_micro)
     select ${customerOf(customers)}, ${INTEGRATION}, 'RETAIL', 'VERIFIED', 'TIER_2', now(), 'MY', true, 0 from generate_series(0, ${customers - 1}) n`,
  )
  await db.query(
    `insert into wallet_earmarks (chain_id, address, earmarked_micro) select 1, '0x' || lpad(n::text, 40, '0'), 0
     from generate_series(0, ${customers - 1}) n`,
  )
}

/**
 * Adds the orders `from` + 1 to `to`, both multiples of a batch, with their batches, payouts (sent) and entries (sealed).
 * @param plan.ofAll how many there will be: they are spread over this month up to half an hour ago
 * @param plan.customers whose they are
 */
export async function addSettled(db: Database, from: number, to: number, plan: Plan): Promise<void> {
  for (let first = from; first < to; first += AT_ONCE) {
    const last = Math.min(first + AT_ONCE, to)
    await addOrders(db, first, last, plan)
    await addBatches(db, first, last)
    await addPayouts(db, first, last)
    await addEntries(db, first, last)
  }
  await db.query(`update chains set observed_block = (select max(batch_id) from batches)`)
  await countUsage(db)
  await totalEntries(db)
  await db.query('analyze')
}

function addOrders(db: Database, first: number, last: number, { ofAll, customers }: Plan): Promise<unknown> {
  return db.query(
    `insert into orders (order_id, integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       debit_address, customer_id, key_id, amount_micro, created_at, updated_at, mint_cap_key_id, mint_cap_day, batch_id, batch_index, tx_hash,
       block_number)
     overriding system value
     select n, ${INTEGRATION}, 'seeded-' || lpad(n::text, 12, '0'), direction, 'completed', 1, 'Bench', '0x1', wallet,
       case when direction <> 'MINT' then wallet end, ${customerOf(customers)}, ${KEY}, ${AMOUNT}, at, at,
       case when direction = 'MINT' then ${KEY} end, case when direction = 'MINT' then (at at time zone 'UTC')::date end,
       (n - 1) / ${ORDERS_OF_BATCH} + 1, (n - 1) % ${ORDERS_OF_BATCH}, decode(lpad(((n - 1) / ${ORDERS_OF_BATCH} + 1)::text, 64, '0'), 'hex'),
       (n - 1) / ${ORDERS_OF_BATCH} + 1
     from (select n, ${DIRECTION} as direction, '0x' || lpad((n % ${customers})::text, 40, '0') as wallet,
         m.start + (now() - interval '30 minutes' - m.start) * (n::float8 / $3::float8) as at
       from generate_series($1::bigint + 1, $2::bigint) n,
         (select date_trunc('month', now() at time zone 'UTC') at time zone 'UTC' as start) m) o`,
    [first, last, ofAll],
  )
}

function addBatches(db: Database, first: number, last: number): Promise<unknown> {
  return db.query(
    `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, status, tx_hash, mined_block,
       mined_hash, success_bitmap, fencing_token, finalized_at)
     select 1, batch_id, '0x3', batch_id, '0x4', '0x5', array_agg(order_id order by batch_index), count(*), 'final', min('0x' || encode(tx_hash, 'hex')), batch_id,
       '0x6', 0, 1, max(created_at)
     from orders where order_id > $1 and order_id <= $2 group by batch_id`,
    [first, last],
  )
}

function addPayouts(db: Database, first: number, last: number): Promise<unknown> {
  return db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, rail, status, end_to_end_id, times_asked, bank_id,
       rail_reference, created_at)
     select 'po_' || order_id || '_0123456789', order_id, customer_id, amount_micro / 10000, 'simulated', 'sent',
       lpad(order_id::text, 12, '0'), 1, (select bank_id from customers c where c.customer_id = orders.customer_id), 'SIM', created_at
     from orders where order_id > $1 and order_id <= $2 and direction = 'REDEEM'`,
    [first, last],
  )
}

/** One entry for each batch and integration, and one for each payout that was sent. */
async function addEntries(db: Database, first: number, last: number): Promise<void> {
  await db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     select 'batch/1/' || batch_id || '/' || integration_id, at, at::date,
       array['mint_receivable:' || integration_id, 'coins:1', 'coins:1', 'redeem_payable:' || integration_id],
       array[minted, -minted, redeemed, -redeemed]
     from (select batch_id, integration_id, max(created_at) as at, sum(amount_micro) filter (where direction = 'MINT') as minted,
         sum(amount_micro) filter (where direction = 'REDEEM') as redeemed
       from orders where order_id > $1 and order_id <= $2 group by 1, 2) b`,
    [first, last],
  )
  await db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     select 'payout/po_' || order_id || '_0123456789/sent/1', created_at, created_at::date,
       array['redeem_payable:' || integration_id, 'payout_clearing:simulated'], array[amount_micro, -amount_micro]
     from orders where order_id > $1 and order_id <= $2 and direction = 'REDEEM'`,
    [first, last],
  )
}

async function countUsage(db: Database): Promise<void> {
  const cap = 1_000_000_000_000_000n
  await db.query('delete from mint_usage')
  await db.query('delete from transfer_usage')
  await db.query('delete from withdrawal_usage')
  const day = `(created_at at time zone 'UTC')::date`
  for (const [table, direction] of [
    ['mint_usage', 'MINT'],
    ['transfer_usage', 'TRANSFER'],
  ] as const) {
    await db.query(
      `insert into ${table} (key_id, day, committed_micro, cap_micro)
       select key_id, ${day}, sum(amount_micro), $1 from orders where direction = '${direction}' group by 1, 2`,
      [cap],
    )
  }
  await db.query(
    `insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro)
     select customer_id, date_trunc('month', now() at time zone 'UTC')::date, sum(amount_micro), $1 from orders where direction = 'REDEEM' group by 1`,
    [cap],
  )
}

/** As the sealer leaves them; what the seals say is compared by nothing here. */
async function totalEntries(db: Database): Promise<void> {
  await db.query(
    `insert into ledger_seals (position, entry_id, hash)
     select entry_id, entry_id, sha256('') from ledger_entries where entry_id > (select coalesce(max(position), 0) from ledger_seals)`,
  )
  await db.query('delete from ledger_totals')
  await db.query(
    `insert into ledger_totals (account, day, debit_micro, credit_micro)
     select l.account, e.day, sum(greatest(l.amount, 0)), sum(greatest(-l.amount, 0))
     from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount) group by 1, 2`,
  )
}
