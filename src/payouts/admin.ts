/** What operators do with payouts. */
import type { Queryable } from '../db/database.ts'
import { type LockedPayout, listPayments, lockPayout, type Payment } from './attempts.sql.ts'
import { payByHand, returnByHand } from './by-hand.sql.ts'
import type { News } from './news.sql.ts'
import type { Payout } from './payout.ts'
import {
  assignPayout,
  bringForward,
  findPayout,
  holdPayout,
  listPayouts,
  type PayoutPage,
  queueAttempt,
  releasePayout,
} from './payouts.sql.ts'
import { BY_HAND } from './rail.ts'
import { recordNews } from './record-news.ts'
import { beginRefund } from './refund.sql.ts'
import { queueResidual, type Residual, readResidual } from './residual.sql.ts'

export type PayoutAdmin = {
  /** At most `limit` payouts, oldest first. */
  list(db: Queryable, page: PayoutPage): Promise<Payout[]>
  /** Every payment that was asked for, oldest first. */
  payments(db: Queryable, payoutId: string): Promise<Payment[]>
  /** Says who tends it. Undefined when there is none. */
  assign(tx: Queryable, payoutId: string, owner: string): Promise<Payout | undefined>
  find(db: Queryable, payoutId: string): Promise<Payout | undefined>
  /**
   * Queues a rejected or returned payout as a new attempt under a new end-to-end id. A queued one is brought forward
   * under its own; while it is being asked about, nobody else asks.
   * @returns the payout as it is now; undefined when there is none, or when it is in no such state
   */
  retry(tx: Queryable, payoutId: string): Promise<Payout | undefined>
  /** Mints the coin of one that came back to the wallet that it was burnt from. */
  refund(tx: Queryable, payoutId: string): Promise<Payout | undefined>
  /** What a customer is owed in parts of a sen. */
  residual(tx: Queryable, customerId: string): Promise<Residual>
  /** Queues what is owed to a customer in whole sen as a payout of its own. Undefined when it is less than a sen. */
  settleResidual(tx: Queryable, customerId: string): Promise<Payout | undefined>
  /** Stops a queued payout until it is released. An answer that is under way still counts. */
  hold(tx: Queryable, payoutId: string): Promise<Payout | undefined>
  /**
   * Queues a payout that an operator holds, or that is held because the bank may have paid it before a restore: the caller knows
   * that it has not. Also one that was held because of an earlier attempt, once that one has failed.
   * @returns undefined when it is not held for that
   */
  release(tx: Queryable, payoutId: string): Promise<Payout | undefined>
  /**
   * The bank has paid it under `reference`. A held payout is sent: its own payment was made. One that came back is paid by hand,
   * by another payment than its own. Either way its redeem is complete.
   */
  markPaid(tx: Queryable, payoutId: string, reference: string): Promise<Payout | undefined>
  /**
   * The bank has not carried out what its rail has accepted or called paid, and never will; or nobody has paid what counts as paid by
   * hand. It is an operator's case again. The caller knows that no statement shows the payment.
   */
  markUnpaid(tx: Queryable, payoutId: string, reason: string): Promise<Payout | undefined>
}

/** Makes the operators' side of payouts. */
export function createPayoutAdmin(): PayoutAdmin {
  /** Runs `work` on a locked payout, and returns it as it is afterwards; undefined when `work` says no. */
  const onLocked = async (tx: Queryable, payoutId: string, work: (locked: LockedPayout) => Promise<boolean>) => {
    const locked = await lockPayout(tx, payoutId)
    return locked !== undefined && (await work(locked)) ? await findPayout(tx, payoutId) : undefined
  }
  return {
    list: listPayouts,
    find: findPayout,
    payments: listPayments,
    assign: (tx, payoutId, owner) => onLocked(tx, payoutId, () => assignPayout(tx, payoutId, owner)),
    retry: (tx, payoutId) =>
      onLocked(tx, payoutId, async ({ status, isRefunding }) => {
        if (status === 'queued') await bringForward(tx, payoutId)
        else if ((status === 'rejected' || status === 'returned') && !isRefunding) await queueAttempt(tx, payoutId)
        else return false
        return true
      }),
    refund: (tx, payoutId) => onLocked(tx, payoutId, (locked) => beginRefund(tx, locked)),
    residual: readResidual,
    settleResidual: async (tx, customerId) => {
      const payoutId = await queueResidual(tx, customerId, new Date())
      return payoutId === undefined ? undefined : await findPayout(tx, payoutId)
    },
    hold: (tx, payoutId) => onLocked(tx, payoutId, () => holdPayout(tx, payoutId)),
    release: (tx, payoutId) => onLocked(tx, payoutId, () => releasePayout(tx, payoutId)),
    markPaid: (tx, payoutId, reference) =>
      onLocked(tx, payoutId, async (locked) => {
        if (locked.status === 'held') return await markHeldPaid(tx, locked, reference)
        return await payByHand(tx, locked, reference)
      }),
    markUnpaid: (tx, payoutId, reason) =>
      onLocked(tx, payoutId, async ({ status, attempt }) => {
        const effectiveAt = new Date()
        if (status === 'paid_by_hand') return await returnByHand(tx, payoutId, reason, effectiveAt)
        if (status !== 'sent' && status !== 'paid') return false
        const kind = status === 'paid' ? 'unpaid' : 'rejected'
        const said = await recordNews(tx, { payoutId, attempt }, { kind, reason, effectiveAt } as News)
        return said !== undefined && said.outcome !== 'contradiction'
      }),
  }
}

/** The payment of a held payout was made; or an earlier one was, and an operator has seen that the newest was not. */
async function markHeldPaid(tx: Queryable, locked: LockedPayout, reference: string): Promise<boolean> {
  const { payoutId, attempt } = locked
  const effectiveAt = new Date()
  if (locked.attempts.some(({ isExtra }) => isExtra)) {
    const reason = `An operator has seen that the earlier payment was made, and this one was not: ${reference}`
    return (await recordNews(tx, { payoutId, attempt }, { kind: 'rejected', reason, effectiveAt })) !== undefined
  }
  const acceptance = { kind: 'sent', railReference: reference, rail: BY_HAND, isSaidByHand: true, effectiveAt } as const
  return (await recordNews(tx, { payoutId, attempt }, acceptance)) !== undefined
}
