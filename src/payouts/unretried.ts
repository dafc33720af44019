/**
 * Asks the rail, after a restore or a take-over, whether a lost history has had it make another payment of a payout that came back. Where it has
 * none, the coin may be minted back without anybody's having it asked to pay.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { AskDeps } from './ask.ts'
import { type CameBack, claimCameBack, idsOfRetries, isKnownHere, noteUnretried } from './unretried.sql.ts'

/** Payouts that are asked about side by side. */
export const RETRIES_AT_ONCE = 16

/**
 * Asks about as many as there is room for.
 * @param isStopping what is left then is asked about by the next process
 * @returns how many payouts were to be asked about
 */
export async function askAboutRetries(
  deps: Pick<AskDeps, 'db' | 'rail' | 'logger'>,
  isStopping: () => boolean = () => false,
): Promise<number> {
  const { db, rail, logger } = deps
  if (rail.status === undefined) return 0
  const claimed = await claimCameBack(db, rail.name, RETRIES_AT_ONCE)
  await Promise.all(
    claimed.map(async (payout) => {
      try {
        if (await isUnretried(deps, payout, isStopping)) await noteUnretried(db, payout)
      } catch (error) {
        logger.warn({ err: error, payoutId: payout.payoutId }, 'the rail does not say whether a payout was retried')
      }
    }),
  )
  return claimed.length
}

/** Certainly: what the rail does not say is not taken for a no. */
async function isUnretried(
  { db, rail, logger }: Pick<AskDeps, 'db' | 'rail' | 'logger'>,
  payout: CameBack,
  isStopping: () => boolean,
): Promise<boolean> {
  const { payoutId } = payout
  for (const endToEndId of idsOfRetries(payout)) {
    if (isStopping()) return false
    const status = await rail.status?.({ payoutId, endToEndId })
    if (status?.result === 'none') continue
    const isThere = status !== undefined && status.result !== 'unknown'
    // An operator may have retried it while the rail was asked.
    if (isThere && !(await isKnownHere(db, { payoutId, endToEndId })))
      logger.error({ payoutId, endToEndId, status: status.result }, RETRIED)
    return false
  }
  return true
}

const RETRIED =
  'the rail has a payment of a payout that came back, which this database does not know of: a history that is lost has retried it. ' +
  'Run "coin payout retry", which asks for that very payment'
