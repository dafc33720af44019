/**
 * What rails, statements and operators say about payments, recorded in the caller's transaction: the payout, its attempts,
 * its redeem and the books at once.
 */
import type { Queryable } from '../db/database.ts'
import { lockPayout, type PaymentKey } from './attempts.sql.ts'
import { type ClaimedPayout, isNewestClaim } from './claims.sql.ts'
import { lookAtOnce } from './hurry.sql.ts'
import { applySteps, type News } from './news.sql.ts'
import { type NewsOutcome, planNews } from './news.ts'
import { hasCameBack, type PayoutStatus } from './payout.ts'

/** `status`: the payout's, afterwards. */
export type NewsResult = { outcome: NewsOutcome; status: PayoutStatus }

/**
 * Records news of a payment, in the transaction of whatever brought it. Saying the same again changes nothing.
 * @returns undefined when there is no such payout, or it never had such an attempt
 */
export async function recordNews(
  tx: Queryable,
  { payoutId, attempt }: PaymentKey,
  news: News,
): Promise<NewsResult | undefined> {
  const locked = await lockPayout(tx, payoutId)
  if (locked === undefined) return undefined
  const isKnown = locked.attempts.some((each) => each.attempt === attempt) || attempt === locked.attempt
  if (!isKnown) return undefined
  const plan = planNews(locked, attempt, news.kind)
  const status = await applySteps(tx, locked, plan.steps, { news, attempt })
  if (status !== locked.status && hasCameBack(status)) await lookAtOnce(tx, payoutId)
  return { outcome: plan.outcome, status }
}

/** A payment was paid, as a statement shows, or as its rail alone says. See `recordNews`. */
export async function markPaid(
  tx: Queryable,
  payment: PaymentKey,
  line: { bankAccount: string; reference: string; effectiveAt: Date; isShown?: true },
): Promise<NewsResult | undefined> {
  return await recordNews(tx, payment, { kind: 'paid', ...line })
}

/** A payment came back, as a statement shows, or as its rail alone says. See `recordNews`. */
export async function markReturned(
  tx: Queryable,
  payment: PaymentKey,
  line: { bankAccount: string; reference: string; effectiveAt: Date; reason: string; isShown?: true },
): Promise<NewsResult | undefined> {
  return await recordNews(tx, payment, { kind: 'returned', ...line })
}

/** A payment was certainly not carried out, and never will be. See `recordNews`. */
export async function markRejected(
  tx: Queryable,
  payment: PaymentKey,
  refusal: { reason: string; effectiveAt: Date },
): Promise<NewsResult | undefined> {
  return await recordNews(tx, payment, { kind: 'rejected', ...refusal })
}

/**
 * The rail says that it did not take a claimed payout.
 * @returns whether that was recorded: a refusal of an earlier question says nothing, since a later one may have been accepted
 */
export async function markRefused(tx: Queryable, claim: ClaimedPayout, reason: string): Promise<boolean> {
  if (!(await isNewestClaim(tx, claim))) return false
  return (await recordNews(tx, claim, { kind: 'rejected', reason, effectiveAt: new Date() })) !== undefined
}

/** The rail has the payment. See `recordNews`. */
export async function markSent(
  tx: Queryable,
  payment: PaymentKey,
  acceptance: { railReference: string; effectiveAt: Date; rail?: string },
): Promise<NewsResult | undefined> {
  return await recordNews(tx, payment, { kind: 'sent', ...acceptance })
}
