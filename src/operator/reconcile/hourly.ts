/** Reconciles every hour by itself, and reads a part of what is old again each minute. Several processes may each have this: one of them works at a time. */
import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { acquireLease, releaseLease } from '../../leases/leases.sql.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import { createWorkLoop, type WorkLoop } from '../../work-loop.ts'
import type { OperatorChain } from '../deps.ts'
import { type Difference, type Reconciliation, reconcile } from './reconcile.ts'
import { insertRun, readNewestRun } from './runs.sql.ts'
import { takePart } from './turns.sql.ts'
import { checkPart } from './turns.ts'
import { checkUsagePart } from './usage.ts'

const EVERY_MS = 60 * 60_000
const POLL_MS = 60_000
const PART_EVERY_MS = 55_000
const LEASE_MS = 10 * 60_000
const MOST_LINES = 50

export type HourlyDeps = {
  db: Database
  chains: readonly OperatorChain[]
  secrets: SecretBox
  logger: Logger
  /** Names this process. */
  holder: string
  pollMs?: number
}

/** What waits for an operator or a node. Everything else says that money or its record is not as it should be. */
const NEEDS_CARE: ReadonlySet<Difference['kind']> = new Set([
  'chain_unreadable',
  'payout_rejected',
  'payout_returned',
  'payout_held',
  'payout_late',
  'payout_unshown',
  'statement_missing',
  'statement_unopened',
])

/** Makes the worker of this process. */
export function createHourlyReconciliation(deps: HourlyDeps): WorkLoop {
  const { logger, pollMs = POLL_MS } = deps
  return createWorkLoop({
    name: 'reconcile',
    logger,
    pollMs,
    async work() {
      if ((await reconcileWhenDue(deps)) === undefined) await checkPartWhenDue(deps)
      return false
    },
  })
}

/** Reconciles when the newest run is an hour old and nobody else is at it. @returns undefined when there was nothing to do */
export async function reconcileWhenDue(deps: HourlyDeps): Promise<Reconciliation | undefined> {
  if (!(await isDue(deps))) return undefined
  // Whoever had the lease until now may have just finished.
  return alone(deps, async () => ((await isDue(deps)) ? await runOnce(deps) : undefined))
}

/**
 * Reads a part again when nobody has for a minute. What turns out to differ is not kept for the next hour: a run follows at once.
 * @returns undefined when there was nothing to do or nothing differed that did not before
 */
export async function checkPartWhenDue(deps: HourlyDeps): Promise<Reconciliation | undefined> {
  return alone(deps, async () => {
    if (!(await takePart(deps.db, PART_EVERY_MS))) return undefined
    const news = [await checkPart(deps.db), await checkUsagePart(deps.db)]
    return news.some(Boolean) ? await runOnce(deps) : undefined
  })
}

async function alone<T>({ db, holder }: HourlyDeps, work: () => Promise<T>): Promise<T | undefined> {
  const lease = await acquireLease(db, 'reconcile', holder, LEASE_MS)
  if (lease === undefined) return undefined
  try {
    return await work()
  } finally {
    await releaseLease(db, lease)
  }
}

async function isDue({ db }: HourlyDeps): Promise<boolean> {
  const newest = await readNewestRun(db)
  return newest === undefined || newest.ageMs >= EVERY_MS
}

async function runOnce({ db, chains, secrets, logger }: HourlyDeps): Promise<Reconciliation> {
  const startMs = performance.now()
  const result = await reconcile(db, chains, secrets)
  const durationMs = performance.now() - startMs
  const differences = new Map<string, number>()
  for (const { kind } of result.differences) differences.set(kind, (differences.get(kind) ?? 0) + 1)
  await insertRun(db, { durationMs, differences })
  tell(logger, result, durationMs)
  return result
}

function tell(logger: Logger, { ok, supply, differences }: Reconciliation, durationMs: number): void {
  if (ok) logger.info({ supply, durationMs: Math.round(durationMs) }, 'the books agree')
  for (const { kind, subject, message } of differences.slice(0, MOST_LINES)) {
    const line = { kind, subject, difference: message }
    if (NEEDS_CARE.has(kind)) logger.error(line, 'the books differ')
    else logger.fatal(line, 'the books differ')
  }
  const left = differences.length - MOST_LINES
  if (left > 0) logger.error({ left }, 'more differences: run "coin reconcile"')
}
