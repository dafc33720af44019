/** The payer: asks the rail to carry out due payouts, and completes the redeems whose payouts it accepted. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { completeRedeem } from '../orders/progress/outcome.ts'
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import { stepOf } from './payout.ts'
import type { Rail, RailAnswer } from './rail.ts'
import { acceptPayout, type ClaimedPayout, claimDuePayouts, postponePayout, refusePayout } from './store.ts'

const POLL_MS = 1_000
/** Longer than any rail call takes. */
const CLAIM_MS = 60_000
const BATCH = 16

export type PayerMetrics = { answered(result: RailAnswer['result']): void }

export type PayerDeps = { db: Database; rail: Rail; logger: Logger; metrics?: PayerMetrics; pollMs?: number }

/** Makes the payer of this process; several processes may each have one. */
export function createPayer(deps: PayerDeps): WorkLoop {
  const { db, rail, logger } = deps
  return createWorkLoop({
    name: 'payer',
    logger,
    pollMs: deps.pollMs ?? POLL_MS,
    async work() {
      const claimed = await claimDuePayouts(db, { rail: rail.name, limit: BATCH, claimMs: CLAIM_MS })
      const outcomes = await Promise.allSettled(claimed.map((payout) => pay(deps, payout)))
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') logger.error({ err: outcome.reason }, 'a payout attempt was not recorded')
      }
      return claimed.length === BATCH
    },
  })
}

/** One attempt at one payout. The rail is asked outside of any transaction. */
async function pay({ db, rail, logger, metrics }: PayerDeps, claimed: ClaimedPayout): Promise<void> {
  const { payoutId, orderId, attempts } = claimed
  const answer = await ask(rail, claimed)
  metrics?.answered(answer.result)
  const step = stepOf(answer, attempts)
  if (step.kind === 'accept') {
    await db.transaction(async (tx) => {
      await acceptPayout(tx, payoutId, step.railReference)
      await completeRedeem(tx, orderId)
    })
    logger.info({ payoutId }, 'payout accepted by the rail')
  } else if (step.kind === 'refuse') {
    await refusePayout(db, claimed, step.reason)
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
