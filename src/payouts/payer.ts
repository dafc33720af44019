/** The payer: asks the rail to carry out due payouts, and completes the redeems whose payouts it accepted. */
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import { type AskDeps, type AskMetrics, askAboutSent, askRail, CLAIM_MS } from './ask.ts'
import { type ClaimedPayout, claimDuePayouts, claimSentPayments, tendPayouts } from './claims.sql.ts'
import { hurryPayouts } from './hurry.sql.ts'
import { HOLD_REASONS } from './payout.ts'
import { askAboutRetries } from './unretried.ts'

const POLL_MS = 1_000
/** What was claimed before a process slept for longer is not asked about by it: a question must end while it alone has the claim. */
const SLEPT_MS = CLAIM_MS / 2
const TEND_MS = 60_000
/** Claimed by one statement. */
const BATCH = 16
/** Questions under way at once. A bank that does not answer keeps one open for seconds, while the others go on. */
const MOST_AT_ONCE = 256
/** Of these, those that the rail has left without an answer before. */
const MOST_ASKED_BEFORE = 128

export type PayerMetrics = AskMetrics

type ClaimingDeps = AskDeps & { nowMs?: () => number }

export type PayerDeps = ClaimingDeps & {
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
  const asking = new Map<Promise<void>, ClaimedPayout>()
  let watching: Promise<unknown> | undefined
  let isStopping = false
  const watchAllSent = async () => {
    while (!isStopping && (await watchSent(deps)) === BATCH);
    await askAboutRetries(deps, () => isStopping)
  }
  const loop = createWorkLoop({
    name: 'payer',
    logger,
    pollMs: deps.pollMs ?? POLL_MS,
    async work() {
      if (performance.now() - tendedAtMs >= tendMs) {
        // Where it fails, too: neither what is due is to wait for it, nor what was sent.
        tendedAtMs = performance.now()
        watching ??= watchAllSent()
          .catch((error: unknown) => logger.error({ err: error }, 'accepted payouts were not asked about'))
          .finally(() => {
            watching = undefined
          })
        await tend(deps)
      }
      const room = Math.min(BATCH, MOST_AT_ONCE - asking.size)
      if (room <= 0) return false
      const again = [...asking.values()].filter(({ attempts }) => attempts > 1).length
      const claimed = await claim(deps, room, MOST_ASKED_BEFORE - again)
      for (const payout of claimed) {
        const question = askAndTell(deps, payout).finally(() => {
          asking.delete(question)
          loop.wake()
        })
        asking.set(question, payout)
      }
      return claimed.length === room
    },
  })
  return {
    ...loop,
    async stop() {
      isStopping = true
      await loop.stop()
      await Promise.all([...asking.keys(), watching])
    },
  }
}

/** A round of the payer that ends when every question is answered, for tests. @returns how many payouts it asked about, at most a batch */
export async function payDue(deps: ClaimingDeps): Promise<number> {
  const claimed = await claim(deps, BATCH, BATCH)
  await Promise.all(claimed.map((payout) => askAndTell(deps, payout)))
  return claimed.length
}

async function claim(deps: ClaimingDeps, limit: number, askedBefore: number): Promise<ClaimedPayout[]> {
  const { db, rail, logger, nowMs = () => performance.now() } = deps
  const mayAsk = rail.status !== undefined
  const beganMs = nowMs()
  const claimed = await claimDuePayouts(db, { rail: rail.name, limit, claimMs: CLAIM_MS, mayAsk, askedBefore })
  if (nowMs() - beganMs < SLEPT_MS || claimed.length === 0) return claimed
  // Others may have claimed them since, and people have seen to them: they are claimed again where they are still due.
  logger.warn({ payouts: claimed.length }, 'this process slept after it had claimed payouts: it asks nobody about them')
  return []
}

/** Never rejects: what was not recorded is claimed again. */
async function askAndTell(deps: AskDeps, payout: ClaimedPayout): Promise<void> {
  try {
    await askRail(deps, payout)
  } catch (error) {
    deps.logger.error({ err: error }, 'a payout attempt was not recorded')
  }
}

/** Asks what became of payments that the rail has accepted: it may not have carried them out, or given them back. */
export async function watchSent(deps: AskDeps): Promise<number> {
  const { db, rail, logger } = deps
  if (rail.status === undefined) return 0
  const sent = await claimSentPayments(db, rail.name, BATCH)
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
