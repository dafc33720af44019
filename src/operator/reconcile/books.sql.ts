/**
 * Compares the books with the orders, payouts and residuals behind them. Each query reads everything that it compares at one
 * moment. Sums are compared whole; which batches and payouts are compared one by one, turns.ts says.
 */
import type { Param, Queryable } from '../../db/database.ts'
import { type RowsColumn, rowsOf, rowsParam } from '../../db/rows-param.ts'
import type { AccountKind } from '../../ledger/accounts.ts'
import { TURNOVER } from '../../ledger/balances.sql.ts'
import { batchSource } from '../../values/batch-source.ts'
import { HOUSE } from '../../values/house.ts'
import { type Disagreement, MOVED_COIN } from './findings.sql.ts'

/** More than are listed: what is found is compared again in every run, however many there are. */
export const MOST_FOUND = 10_000

export type BookedThing = 'payable' | 'residual' | 'minted' | 'burnt' | 'fees' | 'sent' | 'unsealed'

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
   from customer_residuals r join customers c using (customer_id) where r.owed_micro <> 0 group by 1`,
)

/** A batch of a chain. */
export type BatchName = { chainId: bigint; batchId: bigint }

const BATCH_COLUMNS: readonly RowsColumn<BatchName>[] = [
  ['chain_id', 'bigint', ({ chainId }) => chainId],
  ['batch_id', 'bigint', ({ batchId }) => batchId],
]
const PAYOUT_COLUMNS: readonly RowsColumn<string>[] = [['payout_id', 'text', (payoutId) => payoutId]]

/** Those of the batches `$1` that are final and that the service made itself. */
const BATCHES = `(select b.* from ${rowsOf('$1', 'n', BATCH_COLUMNS)} cross join lateral (
    select chain_id, batch_id, order_ids, taken_back from batches
    where chain_id = n.chain_id and batch_id = n.batch_id and status = 'final' and not is_foreign limit 1) b)`

/** The orders of a batch, by one walk through their numbers: a join would read all orders where that looks cheaper. */
const ORDERS = 'select * from orders where order_id = any (b.order_ids) offset 0'

/** Under which name the books have what was booked for the batch: what was taken back of it is booked with it, and what had its name taken. */
const BOOKED_FOR = `regexp_replace(split_part(split_part(e.reference, '/unburnt/', 1), '/taken/', 1), '^(batch/[0-9]+/[0-9]+)/again/[0-9]+/', '\\1/')`

/** Of what was booked before under its id, for batches that were taken back or given up, nothing is the batch's. */
const SOURCE = batchSource('b')

/**
 * Mints debit what is receivable; redeems debit coin, but for those that were not burnt after all, which are another batch's by now. The fees of both
 * are booked beside.
 */
const MOVED = `with batch as materialized ${BATCHES},
  booked as (
    select case split_part(l.account, ':', 1) when 'coins' then 'burnt' when 'mint_receivable' then 'minted' else 'fees' end as what, ${BOOKED_FOR} as subject, sum(l.amount) as amount
    from batch b join ledger_entries e on e.reference >= ${SOURCE} || '/' and e.reference < ${SOURCE} || '0'
    cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
    where (l.account like 'coins:%' and (l.amount > 0 or e.reference like '%/unburnt/%') or l.account like 'mint_receivable:%' and l.amount > 0
      or l.account like 'fees_receivable:%')
    group by 1, 2),
  ordered as (
    select m.what, 'batch/' || b.chain_id || '/' || b.batch_id || '/' || o.integration_id as subject, sum(m.amount) as amount
    from batch b cross join lateral (${ORDERS}) o
    cross join lateral (values (case o.direction when 'MINT' then 'minted' else 'burnt' end, o.amount_micro), ('fees', o.fee_micro)) as m (what, amount)
    where o.direction in ('MINT', 'REDEEM') and o.integration_id not in ${HOUSE} and ${MOVED_COIN} and o.batch_id = b.batch_id group by 1, 2)
  select what, subject, coalesce(b.amount, 0) as recorded, coalesce(o.amount, 0) as actual
  from booked b full join ordered o using (what, subject) where coalesce(b.amount, 0) <> coalesce(o.amount, 0)`

/** What was booked from what is payable for the payouts `$1`: the amount of one that is settled, nothing for one that is not, or is gone. */
const SENT = `select * from (
    select 'sent' as what, n.payout_id as subject, coalesce(e.amount, 0) as recorded, coalesce(p.amount, 0) as actual
    from ${rowsOf('$1', 'n', PAYOUT_COLUMNS)}
    left join lateral (
      select case when status in ('queued', 'held', 'rejected', 'returned') then 0 else amount_sen * 10000 end as amount
      from payouts where payout_id = n.payout_id limit 1) p on true
    left join lateral (
      select sum(l.amount) as amount from ledger_entries e cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
      where e.reference >= 'payout/' || n.payout_id || '/' and e.reference < 'payout/' || n.payout_id || '0'
        and l.account like 'redeem_payable:%') e on true) s
  where recorded <> actual`

const UNSEALED = `select 'unsealed' as what, e.reference as subject, 0 as recorded, sum(l.amount) as actual
  from ledger_unsealed join ledger_entries e using (entry_id)
  cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
  where e.recorded_at < now() - interval '1 minute' and l.amount > 0 group by e.reference`

export type WrongBook = Disagreement & { what: BookedThing }

/** Where accounts are not what the rows behind them add up to, and entries that nobody seals. */
export async function findWrongSums(db: Queryable): Promise<WrongBook[]> {
  return (await Promise.all([PAYABLE, RESIDUAL, UNSEALED].map((text) => find(db, text)))).flat()
}

/** Those of the batches, and of the payouts, that differ from what was booked for them: at most `MOST_FOUND` of each. */
export async function findWrongNamed(
  db: Queryable,
  { batches, payoutIds }: { batches: readonly BatchName[]; payoutIds: readonly string[] },
): Promise<WrongBook[]> {
  const found = await Promise.all([
    batches.length === 0 ? [] : find(db, MOVED, [rowsParam(BATCH_COLUMNS, batches)]),
    payoutIds.length === 0 ? [] : find(db, SENT, [rowsParam(PAYOUT_COLUMNS, payoutIds)]),
  ])
  return found.flat()
}

async function find(db: Queryable, text: string, params: readonly Param[] = []): Promise<WrongBook[]> {
  const rows = await db.query<{ what: BookedThing; subject: string; recorded: string; actual: string }>(
    `select what, subject, recorded::text as recorded, actual::text as actual from (${text}) f order by subject limit ${MOST_FOUND}`,
    params,
  )
  return rows.map(({ what, subject, recorded, actual }) => ({
    what,
    subject,
    recordedMicro: BigInt(recorded),
    ordersMicro: BigInt(actual),
  }))
}
