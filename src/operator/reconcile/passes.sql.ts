/** The tables `reconcile_passes`, `reconcile_usage` and `reconcile_open`: what was added up of this month's orders. */
import type { Queryable } from '../../db/database.ts'
import { within } from '../../ledger/within.sql.ts'
import { DIRECTIONS, STATUSES } from '../../orders/order.ts'
import { byNumber, COUNTED, ENDED, usageOf, type WrongUsage } from './counted.sql.ts'

/** Whoever changes a pass, or compares with one, holds it. */
const LOCK = 7_261_051
/** Numbers are given at once by several processes, so the first order of a month need not have the lowest. */
const OUT_OF_ORDER = 50_000

export type Pass = {
  passNo: bigint
  month: string
  afterOrderId: bigint
  throughOrderId: bigint
  isComplete: boolean
  disputed: WrongUsage[]
}

type PassRow = Omit<Pass, 'disputed'> & {
  disputed: (Pick<WrongUsage, 'direction' | 'owner' | 'period'> & { was: string; is: string })[]
}

const PASS = `pass_no as "passNo", month, after_order_id as "afterOrderId", through_order_id as "throughOrderId",
  is_complete as "isComplete", disputed`

const toPass = (row: PassRow): Pass => ({
  ...row,
  disputed: row.disputed.map(({ was, is, ...rest }) => ({
    ...rest,
    recordedMicro: BigInt(was),
    ordersMicro: BigInt(is),
  })),
})

/** The passes of this month; those of an earlier one are forgotten. The rest of the transaction has them for itself. */
export async function lockPasses(tx: Queryable): Promise<{ complete: Pass | undefined; running: Pass | undefined }> {
  await tx.query(`select pg_advisory_xact_lock(${LOCK})`)
  const rows = await tx.query<PassRow & { isOld: boolean }>(
    `select ${PASS}, month <> date_trunc('month', now() at time zone 'UTC')::date as "isOld" from reconcile_passes`,
  )
  for (const { passNo, isOld } of rows) if (isOld) await deletePass(tx, passNo)
  const passes = rows.filter(({ isOld }) => !isOld).map(({ isOld: _, ...row }) => toPass(row))
  return { complete: passes.find((pass) => pass.isComplete), running: passes.find((pass) => !pass.isComplete) }
}

/** Begins to read this month's orders from the first one on. */
export async function beginPass(tx: Queryable): Promise<Pass> {
  const [row] = await tx.query<PassRow>(
    `insert into reconcile_passes (month, after_order_id, through_order_id)
     select month, after, after from (
       select m.month, greatest(0, coalesce(min(f.order_id), (select max(order_id) from orders), 0) - ${OUT_OF_ORDER}) as after
       from (select date_trunc('month', now() at time zone 'UTC')::date as month) m
       left join lateral (
         select o.order_id from integrations i cross join unnest($1::text[]) as d (direction)
         cross join unnest($2::text[]) as s (status)
         cross join lateral (
           select order_id from orders where integration_id collate "C" = i.integration_id and direction = d.direction and status = s.status
             and created_at >= m.month::timestamp at time zone 'UTC' order by created_at, order_id limit 1) o) f on true
       group by m.month) b
     returning ${PASS}`,
    [DIRECTIONS, STATUSES],
  )
  if (row === undefined) throw new Error('no pass was begun')
  return toPass(row)
}

/**
 * Reads the next orders, at most `most`: none from the first one on that is younger than `youngMs`, or none above `upTo`, to which another pass has come: they were old enough
 * then, by whatever clock. Those that have ended are added up, the others are listed.
 * @returns the pass as it is now, and how many were read: fewer than `most` when there are no more of these
 */
export async function readOn(
  tx: Queryable,
  pass: Pass,
  { most, ...end }: { most: number } & ({ youngMs: number } | { upTo: bigint }),
): Promise<{ pass: Pass; read: number }> {
  const [row] = await tx.query<{ through: bigint | null; read: bigint }>(
    `with chunk as materialized (
       select ${COUNTED} from orders o where o.order_id > $2 and o.order_id <= coalesce($3::bigint, 9223372036854775807)
       order by o.order_id limit ${most}),
     passed as materialized (
       select * from chunk o where o.order_id < coalesce(
         (select min(order_id) from chunk where created_at > now() - $5::float8 * interval '1 millisecond'), 9223372036854775807)),
     listed as (
       insert into reconcile_open (pass_no, order_id) select $1, o.order_id from passed o where not ${ENDED}),
     added as (${adding(`select $1::bigint as pass_no, u.* from (${usageOf('passed')} and ${ENDED}) u`, '$4')})
     select max(order_id) as through, count(*) as read from passed`,
    [
      pass.passNo,
      pass.throughOrderId,
      'upTo' in end ? end.upTo : null,
      pass.month,
      'youngMs' in end ? end.youngMs : null,
    ],
  )
  const throughOrderId = row?.through ?? pass.throughOrderId
  await tx.query('update reconcile_passes set through_order_id = $2 where pass_no = $1', [pass.passNo, throughOrderId])
  return { pass: { ...pass, throughOrderId }, read: Number(row?.read ?? 0) }
}

/** Adds rows (pass_no, direction, owner, period, amount_micro) of the month to the sums. */
const adding = (rows: string, month: string) =>
  `insert into reconcile_usage (pass_no, direction, owner, period, amount_micro)
    select pass_no, direction, owner, period, sum(amount_micro) from (${rows}) r where period >= ${month}::date group by 1, 2, 3, 4
    on conflict (pass_no, direction, owner, period) do update set amount_micro = ${within('reconcile_usage.amount_micro')} + excluded.amount_micro`

/** Adds up listed orders that have ended since, in all passes. */
export async function addEnded(tx: Queryable, month: string): Promise<void> {
  await tx.query(
    `with ended as (select * from ${byNumber('reconcile_open', 'r.pass_no,')} o where ${ENDED}),
     unlisted as (delete from reconcile_open r using ended e where r.pass_no = e.pass_no and r.order_id = e.order_id)
     ${adding(usageOf('ended', 'o.pass_no,'), '$1')}`,
    [month],
  )
}

/** Takes a pass for the one with which counters are compared, instead of the one before it. */
export async function completePass(tx: Queryable, pass: Pass, previous: Pass | undefined): Promise<Pass> {
  if (previous !== undefined) await deletePass(tx, previous.passNo)
  await tx.query('update reconcile_passes set is_complete = true where pass_no = $1', [pass.passNo])
  return { ...pass, isComplete: true }
}

/** Keeps with a pass where a later one came to other sums, and forgets that one. */
export async function disputePass(tx: Queryable, pass: Pass, by: Pass, disputed: WrongUsage[]): Promise<Pass> {
  await deletePass(tx, by.passNo)
  const kept = disputed.map(({ recordedMicro, ordersMicro, ...rest }) => ({
    ...rest,
    was: String(recordedMicro),
    is: String(ordersMicro),
  }))
  await tx.query('update reconcile_passes set disputed = $2::jsonb where pass_no = $1', [
    pass.passNo,
    JSON.stringify(kept),
  ])
  return { ...pass, disputed }
}

async function deletePass(tx: Queryable, passNo: bigint): Promise<void> {
  await tx.query('delete from reconcile_usage where pass_no = $1', [passNo])
  await tx.query('delete from reconcile_open where pass_no = $1', [passNo])
  await tx.query('delete from reconcile_passes where pass_no = $1', [passNo])
}
