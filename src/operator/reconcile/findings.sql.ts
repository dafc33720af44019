/**
 * Read-only facts for reconciliation. Each is read in one statement, so that the values it compares are of the same
 * moment.
 */
import type { Queryable } from '../../db/database.ts'
import { accountOf } from '../../ledger/accounts.ts'
import { TURNOVER } from '../../ledger/balances.sql.ts'
import { BATCH_OF_ORDER } from '../../orders/row.sql.ts'
import { IS_BEING_REFUNDED, REFUND_ORDER } from '../../payouts/payouts.sql.ts'
import { DECIDED_BLOCK } from '../../reserves/proofs.sql.ts'

/** The most differences that are listed; the first ones are enough to act on. */
const MAX_FINDINGS = 100

/** An order `o` of a final batch has moved its coin; that of a refunded redeem was burnt, and then minted back by another order. */
export const MOVED_COIN = `(o.status in ('completed', 'processing') or (o.status = 'failed' and o.failure_reason = 'refunded'))`

/** An order `o` is a redeem that was burnt and waits for its payout. */
const IS_BURNT = `o.status = 'processing'`

/**
 * What a chain's coin supply should be at `block`: the newest block that the settler has recorded and below which every
 * batch is decided. Batches mined later, or not yet final, count on neither side. `bookedMicro` is what the ledger holds as coin;
 * what a foreign batch did for no order is expected beside it once an operator has explained that batch, and
 * not where its chain has lost it, so that it is only given up.
 */
export type ExpectedSupply = { block: bigint; bookedMicro: bigint; expectedMicro: bigint }

/** Final batches above the oldest undecided one are among the newest. */
const NEWEST_BATCHES = 500

/** Undefined when no settler has ever looked at the chain. Costs the same however many orders there are. */
export async function readExpectedSupply(db: Queryable, chainId: number): Promise<ExpectedSupply | undefined> {
  const [row] = await db.query<{ block: bigint; booked: string; explained: string }>(
    `with decided as (
      select ${DECIDED_BLOCK} as block from chains c where c.chain_id = $1),
    newest as (
      select b.mined_block, b.order_ids from batches b where b.chain_id = $1 and b.status = 'final'
      order by b.batch_id desc limit ${NEWEST_BATCHES}),
    later as (
      select coalesce(sum(case o.direction when 'MINT' then o.amount_micro when 'REDEEM' then -o.amount_micro end), 0) as amount
      from decided d join newest b on b.mined_block > d.block cross join lateral unnest(b.order_ids) as s (order_id)
      join orders o on o.order_id = s.order_id where ${MOVED_COIN}),
    explained as (
      select coalesce(sum(case i.direction when 'MINT' then i.amount_micro when 'REDEEM' then -i.amount_micro end), 0) as amount
      from decided d join batch_explanations e on e.chain_id = $1 and not e.gives_up
      join batches b on b.chain_id = e.chain_id and b.batch_id = e.batch_id and b.mined_block <= d.block
      join foreign_instructions i on i.chain_id = e.chain_id and i.batch_id = e.batch_id
      where i.succeeded and i.order_id is null),
    booked as (select coalesce(sum(amount), 0) as amount from (${TURNOVER}) t where account = '${accountOf('coins', '')}' || $1)
    select d.block, (-booked.amount - later.amount)::text as booked, explained.amount::text as explained
    from decided d, later, explained, booked`,
    [chainId],
  )
  if (row === undefined) return undefined
  const bookedMicro = BigInt(row.booked)
  return { block: row.block, bookedMicro, expectedMicro: bookedMicro + BigInt(row.explained) }
}

/** A counter that differs from the orders it counts. */
export type Disagreement = { subject: string; recordedMicro: bigint; ordersMicro: bigint }

/** As texts: what somebody has written past the service may come to more than a bigint. */
type DisagreementRow = { subject: string; recorded: string; orders: string }

const toDisagreement = (row: DisagreementRow): Disagreement => ({
  subject: row.subject,
  recordedMicro: BigInt(row.recorded),
  ordersMicro: BigInt(row.orders),
})

/** What accepted orders that are not recorded as mined will take: rows (chain_id, address, amount_micro). */
export const TAKING = `select o.chain_id, o.debit_address as address, o.amount_micro from orders o ${BATCH_OF_ORDER}
      where o.debit_address is not null and o.status = 'pending' and b.status is distinct from 'mined'`

/** Compares the earmarks of wallets with the accepted orders that are not recorded as mined. */
export async function findWrongEarmarks(db: Queryable): Promise<Disagreement[]> {
  const rows = await db.query<DisagreementRow>(
    `with taking as (
      select chain_id, address, sum(amount_micro) as amount from (${TAKING}) each group by 1, 2)
    select chain_id || ':' || address as subject, coalesce(h.earmarked_micro, 0)::text as recorded, coalesce(t.amount, 0)::text as orders
    from (select * from wallet_earmarks where earmarked_micro > 0) h full join taking t using (chain_id, address)
    where coalesce(h.earmarked_micro, 0) <> coalesce(t.amount, 0) order by 1 limit ${MAX_FINDINGS}`,
  )
  return rows.map(toDisagreement)
}

export type PayoutTrouble = {
  kind:
    | 'payout_rejected'
    | 'payout_returned'
    | 'payout_twice'
    | 'payout_held'
    | 'payout_late'
    | 'payout_missing'
    | 'redeem_not_completed'
  subject: string
  amountMicro: bigint
  error: string | null
  /** The order that mints its coin back, while that is not decided. */
  refundOrder: string | null
}

/** How long a queued payout may take before it counts as stuck. */
const LATE_AFTER = `interval '1 hour'`

/**
 * Payouts that are rejected, held or late, burned redeems without a payout, and redeems still open although the rail
 * has the payout.
 */
export async function findPayoutTroubles(db: Queryable): Promise<PayoutTrouble[]> {
  const rows = await db.query<Omit<PayoutTrouble, 'amountMicro'> & { amount: bigint }>(
    `select case p.status when 'queued' then 'payout_late' else 'payout_' || p.status end as kind, p.payout_id as subject,
      p.amount_sen * 10000 as amount, p.last_error as error, case when ${IS_BEING_REFUNDED} then ${REFUND_ORDER} end as "refundOrder"
    from payouts p where p.status in ('rejected', 'returned', 'held') or (p.status = 'queued' and p.created_at < now() - ${LATE_AFTER})
    union all
    select 'payout_twice', a.payout_id, p.amount_sen * 10000, 'attempt ' || a.attempt, null
    from payout_attempts a join payouts p using (payout_id) where a.is_extra
    union all
    select case when p.payout_id is null then 'payout_missing' else 'redeem_not_completed' end,
      o.integration_id || '/' || o.reference_id, o.amount_micro, null, null
    from orders o left join payouts p on p.order_id = o.order_id
    where ${IS_BURNT} and (p.payout_id is null or p.status in ('sent', 'paid', 'paid_by_hand'))
    order by 2 limit ${MAX_FINDINGS}`,
  )
  return rows.map(({ amount: amountMicro, ...row }) => ({ ...row, amountMicro }))
}
