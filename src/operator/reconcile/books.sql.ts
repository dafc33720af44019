/**
 * Compares the books with the orders, payouts and residuals behind them. Each query reads everything that it compares at one
 * moment, and costs the same however old the books are: what ended long ago is compared when its turn comes (turns.sql.ts).
 */
import type { Queryable } from '../../db/database.ts'
import type { AccountKind } from '../../ledger/accounts.ts'
import { TURNOVER } from '../../ledger/balances.sql.ts'
import { REFUNDS } from '../../order-tag.ts'
import { type Disagreement, MOVED_COIN } from './findings.sql.ts'

/** More than are listed: what is found is compared again in every run, however many there are. */
export const MOST_FOUND = 10_000
/** Those of several hours at 10,000,000 orders a month; the service compares them every hour. */
const NEWEST_BATCHES = 200
const NEWEST_PAYOUTS = 5_000
/** A payout has two entries or more. */
const NEWEST_ENTRIES = 2 * NEWEST_PAYOUTS
/** Older ones that are compared again in each run, of every chain and of all payouts. */
export const OLD_BATCHES = 100
export const OLD_PAYOUTS = 2_500
export const OLD_ENTRIES = 2 * OLD_PAYOUTS

export type BookedThing = 'payable' | 'residual' | 'minted' | 'burnt' | 'sent' | 'unsealed'

const balances = (kind: AccountKind) =>
  `select split_part(account, ':', 2) as owner, sum(amount) as amount from (${TURNOVER}) t
   where account like '${kind}:%' group by 1`

const compared = (what: BookedThing, booked: string, actual: string) =>
  `select '${what}' as what, coalesce(b.owner, a.owner) as subject, coalesce(b.amount, 0) as recorded, coalesce(a.amount, 0) as actual
   from (${booked}) b full join (${actual}) a using (owner) where coalesce(b.amount, 0) <> coalesce(a.amount, 0)`

const PAYABLE = compared(
  'payable',
  balances('redeem_payable'),
  `select coalesce(o.integration_id, p.integration_id) as owner, -sum(p.amount_sen) * 10000 as amount
   from payouts p left join orders o using (order_id) where p.status in ('queued', 'held', 'rejected', 'returned') group by 1`,
)

const RESIDUAL = compared(
  'residual',
  balances('residual'),
  `select c.integration_id as owner, -sum(r.owed_micro) as amount
   from customer_residuals r join customers c using (customer_id) where r.owed_micro > 0 group by 1`,
)

/**
 * Final batches that the service made itself, of every chain: the newest ones, the older ones whose turn it is, and those that
 * differed before.
 */
const BATCHES = `(
    select b.* from chains c cross join lateral (
      select chain_id, batch_id, order_ids from batches where chain_id = c.chain_id and status = 'final' and not is_foreign
      order by batch_id desc limit ${NEWEST_BATCHES}) b
    union
    select b.* from chains c left join reconcile_cursors t on t.what = 'batches:' || c.chain_id cross join lateral (
      select chain_id, batch_id, order_ids from batches
      where chain_id = c.chain_id and batch_id > coalesce(t.position, 0) and status = 'final' and not is_foreign
      order by batch_id limit ${OLD_BATCHES}) b
    union
    select b.* from reconcile_suspects s cross join lateral (
      select chain_id, batch_id, order_ids from batches where chain_id = split_part(s.subject, '/', 1)::bigint
        and batch_id = split_part(s.subject, '/', 2)::bigint and status = 'final' and not is_foreign limit 1) b
    where s.what = 'batch')`

/** The orders of a batch, by one walk through their numbers: a join would read all orders where that looks cheaper. */
const ORDERS = 'select * from orders where order_id = any (b.order_ids) offset 0'

/** Mints debit what is receivable; redeems debit coin. */
const MOVED = `with batch as materialized ${BATCHES},
  booked as (
    select case when l.account like 'coins:%' then 'burnt' else 'minted' end as what, e.reference as subject, sum(l.amount) as amount
    from batch b join ledger_entries e on e.reference >= 'batch/' || b.chain_id || '/' || b.batch_id || '/'
      and e.reference < 'batch/' || b.chain_id || '/' || b.batch_id || '0'
    cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
    where l.amount > 0 and (l.account like 'coins:%' or l.account like 'mint_receivable:%') group by 1, 2),
  ordered as (
    select case o.direction when 'MINT' then 'minted' else 'burnt' end as what,
      'batch/' || b.chain_id || '/' || b.batch_id || '/' || o.integration_id as subject, sum(o.amount_micro) as amount
    from batch b cross join lateral (${ORDERS}) o
    where o.direction in ('MINT', 'REDEEM') and o.integration_id <> '${REFUNDS}' and ${MOVED_COIN} group by 1, 2)
  select what, subject, coalesce(b.amount, 0) as recorded, coalesce(o.amount, 0) as actual
  from booked b full join ordered o using (what, subject) where coalesce(b.amount, 0) <> coalesce(o.amount, 0)`

/** The newest redeems' payouts, those of parts of a sen, the older ones whose turn it is, and those that differed before. */
const PAYOUTS = `(
    (select payout_id, status, amount_sen from payouts where order_id is not null order by order_id desc limit ${NEWEST_PAYOUTS})
    union
    (select payout_id, status, amount_sen from payouts where order_id is null order by created_at desc limit ${NEWEST_PAYOUTS})
    union
    (select payout_id, status, amount_sen from payouts
      where order_id > coalesce((select position from reconcile_cursors where what = 'payouts'), 0) order by order_id limit ${OLD_PAYOUTS})
    union
    select p.* from reconcile_suspects s cross join lateral (
      select payout_id, status, amount_sen from payouts where payout_id = s.subject limit 1) p where s.what = 'payout')`

/** What was booked from what is payable for a payout: its amount once it is settled, nothing while it is not. */
const SENT = `select * from (
    select 'sent' as what, p.payout_id as subject, coalesce(e.amount, 0) as recorded,
      case when p.status in ('queued', 'held', 'rejected', 'returned') then 0 else p.amount_sen * 10000 end as actual
    from ${PAYOUTS} p
    left join lateral (
      select sum(l.amount) as amount from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
      where e.reference >= 'payout/' || p.payout_id || '/' and e.reference < 'payout/' || p.payout_id || '0'
        and l.account like 'redeem_payable:%') e on true) s
  where recorded <> actual`

/** What was booked from what is payable for payouts that are gone. */
const GONE = `select 'sent' as what, g.payout_id as subject, sum(l.amount) as recorded, 0 as actual
  from (
    select split_part(reference, '/', 2) as payout_id from (
      (select reference from ledger_entries order by entry_id desc limit ${NEWEST_ENTRIES})
      union
      (select reference from ledger_entries where entry_id > coalesce((select position from reconcile_cursors where what = 'entries'), 0)
        order by entry_id limit ${OLD_ENTRIES})) n where reference like 'payout/%'
    union
    select subject from reconcile_suspects where what = 'payout') g
  join ledger_entries e on e.reference >= 'payout/' || g.payout_id || '/' and e.reference < 'payout/' || g.payout_id || '0'
  cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
  where l.account like 'redeem_payable:%' and not exists (select from payouts p where p.payout_id = g.payout_id)
  group by g.payout_id having sum(l.amount) <> 0`

const UNSEALED = `select 'unsealed' as what, e.reference as subject, 0 as recorded, sum(l.amount) as actual
  from ledger_unsealed join ledger_entries e using (entry_id)
  cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
  where e.recorded_at < now() - interval '1 minute' and l.amount > 0 group by e.reference`

const QUERIES = [PAYABLE, RESIDUAL, MOVED, SENT, GONE, UNSEALED]

export type WrongBook = Disagreement & { what: BookedThing }

/** Where the books and what they record differ: the first of each kind, at most `MOST_FOUND`. Read-only. */
export async function findWrongBooks(db: Queryable): Promise<WrongBook[]> {
  const found = await Promise.all(
    QUERIES.map((text) =>
      db.query<{ what: BookedThing; subject: string; recorded: string; actual: string }>(
        `select what, subject, recorded::text as recorded, actual::text as actual from (${text}) f order by subject limit ${MOST_FOUND}`,
      ),
    ),
  )
  return found.flat().map(({ what, subject, recorded, actual }) => ({
    what,
    subject,
    recordedMicro: BigInt(recorded),
    ordersMicro: BigInt(actual),
  }))
}
