/** The table `ledger_flows`: what was settled on each day, for each integration and chain. */
import type { Queryable } from '../db/database.ts'
import type { Flow } from './flows.ts'
import { LEDGER_LOCK } from './locks.ts'
import { within } from './within.sql.ts'

/**
 * Keeps the periods as they are until the transaction ends. A statement of its own: the next one must see which days
 * were closed while this one waited.
 */
export async function holdPeriods(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock_shared(${LEDGER_LOCK.periods})`)
}

/**
 * In SQL: when something (`s`) took effect, to the millisecond, but not after now. A process whose clock is ahead would otherwise book what happens now on a
 * day that is still to come, where no closing and no report of today has it.
 */
export const NOT_AFTER_NOW = `least(s.effective_at, date_trunc('milliseconds', now()))`

const COUNTED = ['minted_micro', 'refunded_micro', 'redeemed_micro', 'transferred_micro', 'fees_micro'] as const

const ADD = `insert into ledger_flows as f
    (day, integration_id, chain_id, minted_micro, refunded_micro, redeemed_micro, transferred_micro, fees_micro)
  select greatest((${NOT_AFTER_NOW} at time zone b.timezone)::date, b.closed_through + 1), s.integration_id, s.chain_id,
    sum(s.minted), sum(s.refunded), sum(s.redeemed), sum(s.transferred), sum(s.fees)
  from ledger_book b, jsonb_to_recordset($1::jsonb) as s (
    effective_at timestamptz, integration_id text, chain_id bigint, minted numeric, refunded numeric, redeemed numeric,
    transferred numeric, fees numeric)
  group by 1, 2, 3 order by 1, 2, 3
  on conflict (day, integration_id, chain_id) do update
    set ${COUNTED.map((column) => `${column} = ${within(`f.${column}`)} + excluded.${column}`).join(', ')}`

/** Adds flows to their days, or to the first open one, in a transaction that holds the periods. */
export async function addFlows(tx: Queryable, flows: readonly Flow[]): Promise<void> {
  if (flows.length === 0) return
  await tx.query(ADD, [
    JSON.stringify(
      flows.map((flow) => ({
        effective_at: flow.effectiveAt.toISOString(),
        integration_id: flow.integrationId,
        chain_id: flow.chainId,
        minted: String(flow.mintedMicro),
        refunded: String(flow.refundedMicro),
        redeemed: String(flow.redeemedMicro),
        transferred: String(flow.transferredMicro),
        fees: String(flow.feesMicro),
      })),
    ),
  ])
}

/** An integration's day on a chain. `openingMicro` and `closingMicro`: what it has minted and not redeemed, before and after. */
export type DayFlow = Omit<Flow, 'effectiveAt'> & { openingMicro: bigint; closingMicro: bigint }

/** SQL: what a row of `ledger_flows` adds to the coin that is out. */
export const ISSUED = 'minted_micro + refunded_micro - redeemed_micro'

const DAY = `with base as (select coalesce(max(through), '-infinity') as through from ledger_closings where through < $1::date),
  before as (
    select integration_id, chain_id, sum(issued) as issued from (
      select c.integration_id, c.chain_id, c.issued_micro as issued from ledger_flows_carried c, base where c.through = base.through
      union all
      select f.integration_id, f.chain_id, ${ISSUED} from ledger_flows f, base where f.day > base.through and f.day < $1::date) b
    group by 1, 2),
  moved as (select * from ledger_flows where day = $1::date)
  select integration_id, chain_id, coalesce(b.issued, 0)::text as opening, coalesce(m.minted_micro, 0)::text as minted,
    coalesce(m.refunded_micro, 0)::text as refunded, coalesce(m.redeemed_micro, 0)::text as redeemed,
    coalesce(m.transferred_micro, 0)::text as transferred, coalesce(m.fees_micro, 0)::text as fees
  from before b full join moved m using (integration_id, chain_id)
  where coalesce(b.issued, 0) <> 0 or m.day is not null order by 1, 2`

/** What each integration did on each chain on a day. Costs the same however old the books are, when days are closed. */
export async function readDayFlows(db: Queryable, day: string): Promise<DayFlow[]> {
  const rows = await db.query<
    { integration_id: string; chain_id: bigint } & Record<
      'opening' | 'minted' | 'refunded' | 'redeemed' | 'transferred' | 'fees',
      string
    >
  >(DAY, [day])
  return rows.map((row) => {
    const [openingMicro, mintedMicro] = [BigInt(row.opening), BigInt(row.minted)]
    const [refundedMicro, redeemedMicro] = [BigInt(row.refunded), BigInt(row.redeemed)]
    return {
      integrationId: row.integration_id,
      chainId: Number(row.chain_id),
      openingMicro,
      mintedMicro,
      refundedMicro,
      redeemedMicro,
      transferredMicro: BigInt(row.transferred),
      feesMicro: BigInt(row.fees),
      closingMicro: openingMicro + mintedMicro + refundedMicro - redeemedMicro,
    }
  })
}
