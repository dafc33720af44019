/**
 * Looks, before a rail is first asked for what a lost history may have had, whether that has had its coin minted back, or may have asked another rail.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { AskDeps } from './ask.ts'
import { tellReminted } from './burns.ts'
import type { Room } from './claims.sql.ts'
import { findFromBefore, postponeUnfenced } from './from-before.sql.ts'
import { holdMaybeElsewhere } from './other-rail.sql.ts'
import { refuseReminted } from './reminted.sql.ts'

/** Until what waits for a fence is looked at again. */
const AGAIN_MS = 5_000
/** The same of what else waits for one: it may be very much, and is written each time. */
const OTHERS_AGAIN_MS = 60_000

const ELSEWHERE =
  'payouts are held: what the database has lost may have asked another rail for them; look at both, see "coin payout list --status held"'

/**
 * Refuses what was minted back, of those that the rail would be asked about next; and holds what another rail may have been asked for.
 * @returns which of them may be paid
 */
export async function clearFromBefore(
  { db, rail, logger }: Pick<AskDeps, 'db' | 'rail' | 'logger'>,
  room: Room,
): Promise<string[]> {
  const at = { rail: rail.name, mayAsk: rail.status !== undefined }
  const found = await findFromBefore(db, { ...room, ...at })
  if (found.length === 0) return []
  const unfenced = found.filter(({ isUnfenced }) => isUnfenced).map(({ payoutId }) => payoutId)
  const fenced = found.filter(({ isUnfenced }) => !isUnfenced)
  if (unfenced.length > 0) {
    const payouts = await postponeUnfenced(db, unfenced, { ...at, afterMs: AGAIN_MS, othersAfterMs: OTHERS_AGAIN_MS })
    logger.warn({ payouts }, 'payouts wait: what is lost may have minted their coin back')
  }
  const reminted = await db.transaction((tx) => refuseReminted(tx, fenced, { unlessExplained: true }))
  tellReminted(logger, reminted)
  const refused = new Set(reminted.map(({ payoutId }) => payoutId))
  const left = fenced.map(({ payoutId }) => payoutId).filter((payoutId) => !refused.has(payoutId))
  const held = new Set(left.length === 0 ? [] : await holdMaybeElsewhere(db, left, rail.name))
  if (held.size > 0) logger.error({ rail: rail.name, payouts: held.size }, ELSEWHERE)
  return left.filter((payoutId) => !held.has(payoutId))
}
