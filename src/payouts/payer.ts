/** The payer: asks the rail to carry out due payouts, and completes the redeems whose payouts it accepted. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfSent } from '../ledger/postings.ts'
import { completeRedeems } from '../orders/life/outcome.ts'
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import {
  type ClaimedPayout,
  claimDuePayouts,
  markRejected,
  markSent,
  postponePayout,
  tendPayouts,
} from './claims.sql.ts'
import { HOLD_REASONS, stepOf } from './payout.ts'
import type { Rail, RailAnswer } from './rail.ts'

const POLL_MS = 1_000
/** Longer than any rail call takes. */
const CLAIM_MS = 60_000
const TEND_MS = 60_000
const BATCH = 16

export type PayerMetrics = { answered(result: RailAnswer['result']): void }

export type PayerDeps = {
  db: Database
  rail: Rail
  logger: Logger
  metrics?: PayerMetrics
  pollMs?: number
  /** How often to look for payouts of other rails. */
  tendMs?: number
}

/** Makes the payer of this process; several processes may each have one. */
export function createPayer(deps: PayerDeps): WorkLoop {
  const { logger, tendMs = TEND_MS } = deps
  let tendedAtMs = Number.NEGATIVE_INFINITY
  return createWorkLoop({
    name: 'payer',
    logger,
    pollMs: deps.pollMs ?? POLL_MS,
    async work() {
      if (performance.now() - tendedAtMs >= tendMs) {
        await tend(deps)
        tendedAtMs = performance.now()
      }
      return (await payDue(deps)) === BATCH
    },
  })
}

/** Claims due payouts and asks the rail about each of them, side by side. @returns how many, at most a batch */
export async function payDue(deps: Pick<PayerDeps, 'db' | 'rail' | 'logger' | 'metrics'>): Promise<number> {
  const claimed = await claimDuePayouts(deps.db, { rail: deps.rail.name, limit: BATCH, claimMs: CLAIM_MS })
  const outcomes = await Promise.allSettled(claimed.map((payout) => pay(deps, payout)))
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') deps.logger.error({ err: outcome.reason }, 'a payout attempt was not recorded')
  }
  return claimed.length
}

async function tend({ db, rail, logger }: PayerDeps): Promise<void> {
  const { held, released } = await db.transaction((tx) => tendPayouts(tx, rail.name))
  if (held > 0)
    logger.error({ rail: rail.name, payouts: held }, `payouts are held: ${HOLD_REASONS.rail_not_configured}`)
  if (released > 0) logger.info({ rail: rail.name, payouts: released }, 'payouts of this rail are no longer held')
}

/** One attempt at one payout. The rail is asked outside of any transaction. */
async function pay(
  { db, rail, logger, metrics }: Pick<PayerDeps, 'db' | 'rail' | 'logger' | 'metrics'>,
  claimed: ClaimedPayout,
): Promise<void> {
  const { payoutId, orderId, attempts } = claimed
  const answer = await ask(rail, claimed)
  metrics?.answered(answer.result)
  const step = stepOf(answer, attempts)
  if (step.kind === 'sent') {
    await db.transaction(async (tx) => {
      const isNew = await markSent(tx, payoutId, { rail: rail.name, railReference: step.railReference })
      if (isNew)
        await recordEntries(tx, [
          entryOfSent({ ...claimed, attempt: attempts, rail: rail.name, effectiveAt: new Date() }),
        ])
      await completeRedeems(tx, [orderId])
    })
    logger.info({ payoutId }, 'payout accepted by the rail')
  } else if (step.kind === 'rejected') {
    if (!(await markRejected(db, claimed, step.reason))) return
    logger.error({ payoutId, reason: step.reason }, 'payout refused by the rail; an operator must act')
  } else {
    await postponePayout(db, claimed, step)
    logger.warn({ payoutId, attempts, reason: step.reason }, 'payout not answered; it is asked about again')
  }
}

async function ask(rail: Rail, { instruction }: ClaimedPayout): Promise<RailAnswer> {
  if (instruction === undefined) return { result: 'refused', reason: 'The customer has no bank account.' }
  try {
    return await rail.initiate(instruction)
  } catch (error) {
    return { result: 'unknown', reason: error instanceof Error ? error.name : 'unknown cause' }
  }
}
