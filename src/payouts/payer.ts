/** The payer: asks the rail to carry out due payouts, and completes the redeems whose payouts it accepted. */
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import { type AskDeps, askAboutSent, CLAIM_MS } from './ask.ts'
import { claimSentPayments, tendPayouts } from './claims.sql.ts'
import { hurryPayouts } from './hurry.sql.ts'
import { HOLD_REASONS } from './payout.ts'
import { createQuestions, type QuestionsDeps } from './questions.ts'
import { askAboutRetries, RETRIES_AT_ONCE } from './unretried.ts'

const POLL_MS = 1_000
const TEND_MS = 60_000
/** Accepted payments that are asked about side by side. */
const ASKED_AT_ONCE = 16

export type PayerDeps = QuestionsDeps & {
  pollMs?: number
  /** How often to look for payouts of other rails. */
  tendMs?: number
}

/**
 * Makes the payer of this process; several processes may each have one. It claims as much as there is room for, and a
 * question that takes long holds up no other.
 */
export function createPayer(deps: PayerDeps): WorkLoop {
  const { logger, tendMs = TEND_MS } = deps
  let tendedAtMs = Number.NEGATIVE_INFINITY
  const questions = createQuestions(deps)
  let isStopping = false
  // Each by itself: of hundreds that a slow rail says nothing of, the first may be asked about again before the last was.
  const watches = [
    begunOnce(async () => {
      while (!isStopping && (await watchSent(deps)) === ASKED_AT_ONCE);
    }),
    // All that came back: operators are told how long they wait for that.
    begunOnce(async () => {
      while (!isStopping && (await askAboutRetries(deps, () => isStopping)) === RETRIES_AT_ONCE);
    }),
  ]
  const loop = createWorkLoop({
    name: 'payer',
    logger,
    pollMs: deps.pollMs ?? POLL_MS,
    async work() {
      if (performance.now() - tendedAtMs >= tendMs) {
        // Where it fails, too: neither what is due is to wait for it, nor what was sent.
        tendedAtMs = performance.now()
        for (const watch of watches)
          void watch
            .begin()
            .catch((error: unknown) => logger.error({ err: error }, 'accepted payouts were not asked about'))
        await tend(deps)
      }
      const { mayBeMore } = await questions.begin(() => loop.wake())
      return mayBeMore
    },
  })
  return {
    ...loop,
    async stop() {
      isStopping = true
      await loop.stop()
      await Promise.all([questions.ended(), ...watches.map((watch) => watch.ended())])
    },
  }
}

/** Work that is not begun again while it is under way. */
function begunOnce(work: () => Promise<void>): { begin(): Promise<void>; ended(): Promise<void> } {
  let running: Promise<void> | undefined
  return {
    async begin() {
      if (running !== undefined) return
      running = work()
      await running.finally(() => {
        running = undefined
      })
    },
    ended: async () => await running?.catch(() => {}),
  }
}

/** Asks what became of payments that the rail has accepted: it may not have carried them out, or given them back. */
export async function watchSent(deps: AskDeps): Promise<number> {
  const { db, rail, logger } = deps
  if (rail.status === undefined) return 0
  const sent = await claimSentPayments(db, rail.name, ASKED_AT_ONCE)
  const silences = await Promise.all(
    sent.map(async (payment) => {
      try {
        return await askAboutSent(deps, payment)
      } catch (error) {
        const { payoutId, attempt } = payment
        logger.error({ err: error, payoutId, attempt }, 'what became of an accepted payment was not recorded')
        return undefined
      }
    }),
  )
  const unanswered = silences.filter((reason) => reason !== undefined)
  if (unanswered.length > 0)
    logger.warn(
      { rail: rail.name, payments: unanswered.length, reason: unanswered[0] },
      'the rail does not say what became of payments that it has accepted; it is asked again',
    )
  return sent.length
}

async function tend({ db, rail, logger }: PayerDeps): Promise<void> {
  const { held, heldUnasked, released } = await db.transaction((tx) =>
    tendPayouts(tx, rail.name, rail.status !== undefined),
  )
  const hurried = await hurryPayouts(db, CLAIM_MS)
  const fields = { rail: rail.name }
  if (held > 0) logger.error({ ...fields, payouts: held }, `payouts are held: ${HOLD_REASONS.rail_not_configured}`)
  if (heldUnasked > 0)
    logger.error({ ...fields, payouts: heldUnasked }, `payouts are held: ${HOLD_REASONS.maybe_paid_before}`)
  if (hurried > 0)
    logger.error(
      { ...fields, payouts: hurried },
      'payouts waited for a time that is far off: was the clock of the database ahead?',
    )
  if (released > 0) logger.info({ ...fields, payouts: released }, 'payouts of this rail are no longer held')
}
