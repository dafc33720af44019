/**
 * Makes and drops monthly partitions, through functions that run as the tables' owner. An insert never waits for this
 * longer than a fraction of a second: making a partition conflicts with no insert, and dropping one gives up when its
 * lock is not free soon. Several processes take turns.
 */
import type { Database, Queryable } from '../db/database.ts'
import type { MonthlyTable } from '../db/monthly.ts'
import type { Month } from './months.ts'

/** Any number that nothing else in the database locks. */
const ADVISORY_LOCK = '7263002'
/** Shorter than an acceptance waits for a row, so that nobody's request fails because of it. */
const LOCK_TIMEOUT_MS = 200

export type Partition = { name: string; until: Date }

/** The name of a month's partition. */
export function nameOf(table: MonthlyTable, { suffix }: Month): string {
  return `${table.name}_${suffix}`
}

/**
 * The months of a table, oldest first; `until` is the first instant after a month. The default partition is not a
 * month.
 */
export async function readPartitions(db: Queryable, table: MonthlyTable): Promise<Partition[]> {
  return await db.query<Partition>(
    `select * from (
       select c.relname as name,
         substring(pg_get_expr(c.relpartbound, c.oid) from $$ TO \\('([^']+)'\\)$$)::timestamptz as until
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass) months
     where until is not null order by until`,
    [table.name],
  )
}

/**
 * Makes a month's partition. A month of which the default partition already has rows stays there, whole.
 * @returns true when there is one now
 * @throws StatementCancelledError when a lock was not free
 */
export async function makePartition(db: Database, table: MonthlyTable, month: Month): Promise<boolean> {
  return await alone(db, async (tx) => {
    const [row] = await tx.query<{ made: boolean }>('select make_month($1, $2::date, $3::int) as made', [
      table.name,
      month.first,
      table.fillPercent,
    ])
    return row?.made === true
  })
}

/**
 * Drops a month that ended before `before`, with all its rows, unless something in it is still needed.
 * @returns true when it is gone
 * @throws StatementCancelledError when its lock was not free
 */
export async function dropPartition(
  db: Database,
  table: MonthlyTable,
  { name, until }: Partition,
  before: Date,
): Promise<boolean> {
  if (until > before) throw new Error(`${name} is not past its retention`)
  if (!new RegExp(`^${table.name}_\\d{4}_\\d{2}$`).test(name)) throw new Error(`${name} is no month of ${table.name}`)
  return await alone(db, async (tx) => {
    const known = await readPartitions(tx, table)
    if (!known.some((partition) => partition.name === name)) return false
    // The parent is locked first, as every statement does; only then, when nobody can add to it, is the check reliable.
    await tx.query('select hold_months($1)', [table.name])
    if (await isAwaited(tx, table, until)) return false
    await tx.query('select drop_month($1, $2)', [table.name, name])
    return true
  })
}

/** Whether something in the months up to `until` is still needed. */
async function isAwaited(tx: Queryable, { awaited }: MonthlyTable, until: Date): Promise<boolean> {
  const [row] = await tx.query<{ awaited: boolean }>(
    `select ${awaited} as awaited from (select $1::timestamptz) as months (until)`,
    [until],
  )
  return row?.awaited === true
}

/**
 * Deletes rows older than `before` that nothing needs from the default partition.
 * @returns how many were deleted, `limit` at most
 * @throws StatementCancelledError when the table's lock was not free
 */
export async function deleteStrays(
  db: Database,
  { name, instantColumn, decided }: MonthlyTable,
  before: Date,
  limit: number,
): Promise<number> {
  const old = `select t.ctid from ${name}_default t where t.${instantColumn} < $1::timestamptz and ${decided} limit $2::int`
  // A lock that keeps everybody out is taken for a reason only.
  if ((await db.query(old, [before, 1])).length === 0) return 0
  let deleted = 0
  await alone(db, async (tx) => {
    // As with a month: whoever makes something that needs such a row has read it first.
    await tx.query('select hold_months($1)', [name])
    const rows = await tx.query(`delete from ${name}_default where ctid = any (array(${old})) returning 1`, [
      before,
      limit,
    ])
    deleted = rows.length
    return true
  })
  return deleted
}

/** Whether the default partition of a table has rows. */
export async function hasStrays(db: Queryable, table: MonthlyTable): Promise<boolean> {
  return (await db.query(`select from ${table.name}_default limit 1`)).length > 0
}

/** Runs `work` in one process at a time; false when another process is at it. Waits only briefly for locks. */
async function alone(db: Database, work: (tx: Queryable) => Promise<boolean>): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const [lock] = await tx.query<{ taken: boolean }>(
      `select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as taken from set_config('lock_timeout', '${LOCK_TIMEOUT_MS}ms', true)`,
    )
    return lock?.taken === true && (await work(tx))
  })
}
