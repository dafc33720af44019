/** Where the counters of usage and their orders differ. */
import type { Queryable } from '../../db/database.ts'
import { KINDS } from '../../orders/kinds.ts'
import { DIRECTIONS, type Direction } from '../../orders/order.ts'
import { byNumber, COUNTED, usageOf, type WrongUsage } from './counted.sql.ts'
import type { Pass } from './passes.sql.ts'

const MAX_FINDINGS = 100
/** More than may be accepted while an order is too young for a pass. */
const MAX_YOUNG = 2_000_000

/** Mints from before the pass that were confirmed in the month `$3` and count there. */
const CONFIRMED_LATER = `(select ${COUNTED} from generate_series($3::date, $3::date + interval '1 month' - interval '1 day', interval '1 day') as d (day)
    cross join lateral (select * from orders where mint_cap_day = d.day::date and mint_cap_day <> (created_at at time zone 'UTC')::date
      and order_id <= $4 order by mint_cap_day, order_id limit ${MAX_YOUNG}) o)`

const COUNTERS = DIRECTIONS.map((direction) => {
  const { table, owner, period } = KINDS[direction].usage
  return `select '${direction}' as direction, ${owner} as owner, ${period} as period, committed_micro as amount_micro from ${table}
      where ${period} >= $3::date`
}).join(' union all ')

/** What the orders of a pass come to now: the sums of those that had ended, and the others by themselves. `$1`: the pass. */
const OF_PASS = `select direction, owner, period, amount_micro from reconcile_usage where pass_no = $1
    union all ${usageOf(byNumber('(select order_id from reconcile_open where pass_no = $1)'))}`

const FIND_WRONG = `with orders_of_month as (
    select direction, owner, period, sum(amount_micro) as amount from (
      ${OF_PASS}
      union all ${usageOf(`(select ${COUNTED} from orders o where o.order_id > $2 order by o.order_id limit ${MAX_YOUNG})`)}
      union all ${usageOf(CONFIRMED_LATER)}) u
    where period >= $3::date group by 1, 2, 3)
  select coalesce(c.direction, u.direction) as direction, coalesce(c.owner, u.owner) as owner, coalesce(c.period, u.period) as period,
    coalesce(c.amount_micro, 0)::text as recorded, coalesce(u.amount, 0)::text as actual
  from (${COUNTERS}) c full join orders_of_month u using (direction, owner, period)
  where coalesce(c.amount_micro, 0) <> coalesce(u.amount, 0) order by 1, 2, 3`

type Row = { direction: Direction; owner: string; period: string; recorded: string; actual: string }

const toWrongUsage = ({ direction, owner, period, recorded, actual }: Row): WrongUsage => ({
  direction,
  owner,
  period,
  recordedMicro: BigInt(recorded),
  ordersMicro: BigInt(actual),
})

/** Compares this month's counters with their orders, at one moment; the first of each direction. */
export async function findWrongUsage(tx: Queryable, pass: Pass): Promise<WrongUsage[]> {
  const { passNo, throughOrderId, month, afterOrderId } = pass
  const rows = await tx.query<Row>(
    `select * from (select f.*, row_number() over (partition by direction) as place from (${FIND_WRONG}) f) l
     where place <= ${MAX_FINDINGS} order by direction, owner, period`,
    [passNo, throughOrderId, month, afterOrderId],
  )
  return rows.map(toWrongUsage)
}

/** Compares two passes that went equally far, at one moment. @returns where they differ: `recorded` is what the first one says */
export async function comparePasses(tx: Queryable, first: Pass, second: Pass): Promise<WrongUsage[]> {
  const sums = (pass: '$1' | '$2') =>
    `select direction, owner, period, sum(amount_micro) as amount from (${OF_PASS.replaceAll('$1', pass)}) p where period >= $3::date group by 1, 2, 3`
  const rows = await tx.query<Row>(
    `select direction, owner, period, coalesce(a.amount, 0)::text as recorded, coalesce(b.amount, 0)::text as actual
     from (${sums('$1')}) a full join (${sums('$2')}) b using (direction, owner, period)
     where coalesce(a.amount, 0) <> coalesce(b.amount, 0) order by 1, 2, 3 limit ${MAX_FINDINGS}`,
    [first.passNo, second.passNo, first.month],
  )
  return rows.map(toWrongUsage)
}
