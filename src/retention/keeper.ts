/** Limits growth: months are made ahead, and dropped when their retention is over. */
import type { Logger } from 'pino'
import type { RetentionConfig } from '../config.ts'
import { type Database, StatementCancelledError } from '../db/database.ts'
import type { MonthlyTable } from '../db/monthly.ts'
import { readNow } from '../db/now.sql.ts'
import { monthsFrom } from './months.ts'
import { deleteStrays, dropPartition, hasStrays, makePartition, nameOf, readPartitions } from './partitions.sql.ts'
import { keptSince, MONTHLY_TABLES, type MonthlyName } from './tables.ts'

/** For this many months nobody needs to look after a table before rows go to its default partition. */
const MONTHS_AHEAD = 3
/** A database whose clock is further than this from ours is not trusted to say what is old. */
const MAX_CLOCK_DIFFERENCE_MS = 3_600_000
const STRAYS_AT_ONCE = 2_000
const STRAY_TURNS = 50

export type RetentionMetrics = {
  dropped(table: MonthlyName): void
  /** Reports how many months a table has after the present one. */
  monthsAhead(table: MonthlyName, months: number): void
  strays(table: MonthlyName, there: boolean): void
}

export type KeeperDeps = {
  db: Database
  retention: RetentionConfig
  logger: Logger
  metrics: RetentionMetrics
  nowMs: () => number
  /** How long this process's clock has yet to run evenly before it is believed. */
  untilSteadyMs: () => number
}

/**
 * Makes the missing months, the present one and those to come. A later round makes what cannot be made now; until then
 * rows go to the default partition.
 */
export async function makeMonths({
  db,
  logger,
  metrics,
}: Pick<KeeperDeps, 'db' | 'logger' | 'metrics'>): Promise<void> {
  const now = await readNow(db)
  for (const table of MONTHLY_TABLES) {
    const { name } = table
    const known = new Set((await readPartitions(db, table)).map((partition) => partition.name))
    let ahead = -1
    for (const month of monthsFrom(now, MONTHS_AHEAD)) {
      const make = () => makePartition(db, table, month)
      if (known.has(nameOf(table, month)) || (await unlessLocked(logger, name, make))) ahead += 1
    }
    metrics.monthsAhead(name, ahead)
    const there = await hasStrays(db, table)
    metrics.strays(name, there)
    if (there)
      logger.warn({ table: name }, 'rows lie in a default partition: they came when their month had no partition')
  }
}

/**
 * Drops what is past its retention, month by month. A later round drops what cannot be dropped now.
 * @returns how long to wait for a clock that may be ahead; 0 when it is believed
 */
export async function dropMonths(deps: KeeperDeps): Promise<number> {
  // The database's may be ahead together with ours, as when their machine begins with a wrong one.
  const unsteadyMs = deps.untilSteadyMs()
  if (unsteadyMs === 0) await dropOld(deps)
  else
    deps.logger.info(
      { forMs: Math.ceil(unsteadyMs) },
      'nothing is dropped until the clock has run evenly for long enough',
    )
  return unsteadyMs
}

async function dropOld({ db, retention, logger, metrics, nowMs }: KeeperDeps): Promise<void> {
  const now = await readNow(db)
  if (Math.abs(now.getTime() - nowMs()) > MAX_CLOCK_DIFFERENCE_MS) {
    logger.error(
      { databaseTime: now },
      "nothing is dropped: the database's clock differs from ours by more than an hour",
    )
    return
  }
  // Deliveries are dropped before the events that they carry.
  for (const table of MONTHLY_TABLES.toReversed()) {
    const before = keptSince(table.name, now, retention)
    const old = (await readPartitions(db, table)).filter(({ until }) => until <= before)
    for (const partition of old) {
      if (!(await unlessLocked(logger, table.name, () => dropPartition(db, table, partition, before)))) continue
      metrics.dropped(table.name)
      logger.info({ partition: partition.name }, 'a month was dropped: its retention is over')
    }
    await unlessLocked(logger, table.name, () => deleteOldStrays(db, table, before))
  }
}

async function deleteOldStrays(db: Database, table: MonthlyTable, before: Date): Promise<boolean> {
  for (let turn = 0; turn < STRAY_TURNS; turn += 1) {
    if ((await deleteStrays(db, table, before, STRAYS_AT_ONCE)) < STRAYS_AT_ONCE) return true
  }
  return false
}

async function unlessLocked(logger: Logger, table: MonthlyName, work: () => Promise<boolean>): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StatementCancelledError)) throw error
    logger.warn({ table }, 'somebody holds a lock on a monthly table; its months are looked after later')
    return false
  }
}
