/**
 * The payer's questions to its rail about due payouts: as many at once as there is room for, each on its own.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import { type AskDeps, askRail, CLAIM_MS } from './ask.ts'
import { type ClaimedPayout, claimDuePayouts, type Room } from './claims.sql.ts'
import { clearFromBefore } from './from-before.ts'
import { isOfTwins, refuseTwins } from './twins.sql.ts'
import { findMaybeHad, type MaybeHad } from './unretried.sql.ts'

/** What was claimed before a process slept for longer is not asked about by it: a question must end while it alone has the claim. */
const SLEPT_MS = CLAIM_MS / 2
/** Claimed by one statement. */
const CLAIMED_AT_ONCE = 16
/** Questions under way at once. A bank that does not answer keeps one open for seconds, while the others go on. */
const MOST_AT_ONCE = 256
/** Of these, those that the rail has left without an answer before. */
const MOST_ASKED_BEFORE = 128

export type QuestionsDeps = AskDeps & { nowMs?: () => number }

export type Questions = {
  /**
   * Claims as many due payouts as there is room for, up to `CLAIMED_AT_ONCE`, and begins to ask about each.
   * @param onEnded called whenever one of these questions has ended, and so made room
   */
  begin(onEnded?: () => void): Promise<{ begun: number; mayBeMore: boolean }>
  /** Resolves when all that have begun by now have ended. */
  ended(): Promise<void>
}

/** Makes the questions of one payer. One that takes long holds up no other. */
export function createQuestions(deps: QuestionsDeps): Questions {
  const open = new Map<Promise<void>, ClaimedPayout>()
  return {
    async begin(onEnded) {
      const room = Math.min(CLAIMED_AT_ONCE, MOST_AT_ONCE - open.size)
      if (room <= 0) return { begun: 0, mayBeMore: false }
      const again = [...open.values()].filter(({ timesAsked }) => timesAsked > 1).length
      const ofEach = Map.groupBy(open.values(), ({ integrationId }) => integrationId)
      const claimed = await claim(deps, {
        limit: room,
        askedBefore: MOST_ASKED_BEFORE - again,
        open: new Map([...ofEach].map(([integrationId, own]) => [integrationId, own.length])),
      })
      const maybeHad = await findMaybeHad(
        deps.db,
        claimed.map(({ payoutId }) => payoutId),
      )
      for (const payout of claimed) {
        const question = askAndTell(deps, payout, maybeHad.get(payout.payoutId)).finally(() => {
          open.delete(question)
          onEnded?.()
        })
        open.set(question, payout)
      }
      return { begun: claimed.length, mayBeMore: claimed.length === room }
    },
    async ended() {
      await Promise.all(open.keys())
    },
  }
}

const TWIN =
  "payout refused: its end-to-end id is that of another payout's payment; an operator must act. Does a partner choose such references?"

async function claim(deps: QuestionsDeps, room: Room): Promise<ClaimedPayout[]> {
  const { db, rail, logger, nowMs = () => performance.now() } = deps
  const mayAsk = rail.status !== undefined
  const beganMs = nowMs()
  const fromBefore = await clearFromBefore(deps, room)
  const options = { ...room, rail: rail.name, claimMs: CLAIM_MS, mayAsk, fromBefore }
  const claimed = await claimDuePayouts(db, options).catch(async (error: unknown) => {
    if (!isOfTwins(error)) throw error
    for (const payoutId of await refuseTwins(db, options)) logger.error({ payoutId }, TWIN)
    return await claimDuePayouts(db, options)
  })
  if (nowMs() - beganMs < SLEPT_MS || claimed.length === 0) return claimed
  // Others may have claimed them since, and people have seen to them: they are claimed again where they are still due.
  logger.warn({ payouts: claimed.length }, 'this process slept after it had claimed payouts: it asks nobody about them')
  return []
}

/** Never rejects: what was not recorded is claimed again. */
async function askAndTell(deps: AskDeps, payout: ClaimedPayout, maybeHad?: MaybeHad): Promise<void> {
  try {
    await askRail(deps, payout, maybeHad)
  } catch (error) {
    deps.logger.error({ err: error }, 'a payout attempt was not recorded')
  }
}
