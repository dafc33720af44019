/** What operators do with payouts. */
import type { Queryable } from '../db/database.ts'
import { type LockedPayout, lockPayout } from './attempts.sql.ts'
import { payByHand, returnByHand } from './by-hand.sql.ts'
import type { News } from './news.sql.ts'
import { hasCameBack, type Payout } from './payout.ts'
import { assignPayout, bringForward, findPayout, holdPayout, queueAttempt, releasePayout } from './payouts.sql.ts'
import { BY_HAND } from './rail.ts'
import { recordNews } from './record-news.ts'
import { beginRefund } from './refund.sql.ts'
import { queueResidual } from './residual.sql.ts'

/** Runs `work` on a locked payout, and returns it as it is afterwards; undefined when `work` says no. */
async function onLocked(
  tx: Queryable,
  payoutId: string,
  work: (locked: LockedPayout) => Promise<boolean>,
): Promise<Payout | undefined> {
  const locked = await lockPayout(tx, payoutId)
  return locked !== undefined && (await work(locked)) ? await findPayout(tx, payoutId) : undefined
}

/** Each resolves to the payout as it is then; to undefined where there is none, or its state does not allow it. */
export const payoutAdmin = {
  /** Says who tends it. */
  assign: (tx: Queryable, payoutId: string, owner: string) =>
    onLocked(tx, payoutId, () => assignPayout(tx, payoutId, owner)),
  /**
   * Queues a rejected or returned payout as a new attempt under a new end-to-end id. A queued one is brought forward
   * under its own; while it is being asked about, nobody else asks.
   */
  retry: (tx: Queryable, payoutId: string) =>
    onLocked(tx, payoutId, async ({ status, isRefunding }) => {
      if (status === 'queued') await bringForward(tx, payoutId)
      else if (hasCameBack(status) && !isRefunding) await queueAttempt(tx, payoutId)
      else return false
      return true
    }),
  /** Mints the coin of one that came back to the wallet that it was burnt from. */
  refund: (tx: Queryable, payoutId: string) => onLocked(tx, payoutId, (locked) => beginRefund(tx, locked)),
  /** Stops a queued payout until it is released. An answer that is under way still counts. */
  hold: (tx: Queryable, payoutId: string) => onLocked(tx, payoutId, () => holdPayout(tx, payoutId)),
  /**
   * Queues a payout that an operator holds, or that is held because the bank may have paid it before a restore: the caller knows
   * that it has not. Also one that was held because of an earlier attempt, once that one has failed.
   */
  release: (tx: Queryable, payoutId: string) => onLocked(tx, payoutId, () => releasePayout(tx, payoutId)),
  /**
   * The bank has paid it under `reference`. A held payout is sent: its own payment was made. One that came back is paid by hand,
   * by another payment than its own. Either way its redeem is complete.
   */
  markPaid: (tx: Queryable, payoutId: string, reference: string) =>
    onLocked(tx, payoutId, async (locked) => {
      if (locked.status === 'held') return await markHeldPaid(tx, locked, reference)
      return await payByHand(tx, locked, reference)
    }),
  /**
   * The bank has not carried out what its rail has accepted or called paid, and never will; or nobody has paid what counts as paid by
   * hand. It is an operator's case again. The caller knows that no statement shows the payment.
   */
  markUnpaid: (tx: Queryable, payoutId: string, reason: string) =>
    onLocked(tx, payoutId, async ({ status, attempt }) => {
      const effectiveAt = new Date()
      if (status === 'paid_by_hand') return await returnByHand(tx, payoutId, reason, effectiveAt)
      if (status !== 'sent' && status !== 'paid') return false
      const news: News =
        status === 'paid'
          ? { kind: 'unpaid', reason, effectiveAt }
          : { kind: 'rejected', reason, effectiveAt, isSaidByHand: true }
      const said = await recordNews(tx, { payoutId, attempt }, news)
      return said !== undefined && said.outcome !== 'contradiction'
    }),
  /** Queues what is owed to a customer in whole sen as a payout of its own. Undefined when it is less than a sen. */
  async settleResidual(tx: Queryable, customerId: string) {
    const payoutId = await queueResidual(tx, customerId, new Date())
    return payoutId === undefined ? undefined : await findPayout(tx, payoutId)
  },
} as const

/** The payment of a held payout was made; or an earlier one was, and an operator has seen that the newest was not. */
async function markHeldPaid(tx: Queryable, locked: LockedPayout, reference: string): Promise<boolean> {
  const { payoutId, attempt } = locked
  const effectiveAt = new Date()
  if (locked.attempts.some(({ isExtra }) => isExtra)) {
    const reason = `An operator has seen that the earlier payment was made, and this one was not: ${reference}`
    const news = { kind: 'rejected', reason, effectiveAt, isSaidByHand: true } as const
    return (await recordNews(tx, { payoutId, attempt }, news)) !== undefined
  }
  const acceptance = { kind: 'sent', railReference: reference, rail: BY_HAND, isSaidByHand: true, effectiveAt } as const
  return (await recordNews(tx, { payoutId, attempt }, acceptance)) !== undefined
}
