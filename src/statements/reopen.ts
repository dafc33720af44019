/**
 * A line that an operator had taken for the debit of a payment by a rail, and that is none: the payment is again what its rail has said of it,
 * and nothing can be paid by that. Whether it was made is another question, which `payout mark-unpaid` answers.
 */
import type { Queryable } from '../db/database.ts'
import { accountOf } from '../ledger/accounts.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { lockPayout, setShown } from '../payouts/attempts.sql.ts'
import { markRejected, recordNews } from '../payouts/record-news.ts'
import { findFailedBefore } from './asked.sql.ts'
import { chargesIn } from './charges.ts'
import type { Line } from './match.ts'
import { findAttemptIn } from './meant.ts'
import { entryOfUnassigned } from './postings.ts'

/** `to`: the payment, `isAssigned`: an operator has said so. */
export type TakenFor = { line: Line; to: string; isAssigned: boolean }

/** @returns why the payment stays as it is; what was written must not stay then */
export async function reopenPayment(tx: Queryable, taken: TakenFor, now: Date): Promise<string | undefined> {
  const { line, to } = taken
  const { place } = line
  const [payoutId = '', attempt] = to.split('/')
  if (line.amountMicro > 0n) return returnedBy(to)
  if (!taken.isAssigned || (await isNamed(tx, line, payoutId))) return paidBy(to)
  const locked = await lockPayout(tx, payoutId)
  const paid = locked?.attempts.find((each) => String(each.attempt) === attempt)
  if (locked === undefined || paid?.status !== 'paid') return movedOn(to)
  // Nothing has followed from a payment too many.
  if (!paid.isExtra && (locked.status !== 'paid' || paid.attempt !== locked.attempt)) return movedOn(to)
  // A payment too many stays in the books where it was booked, whichever line shows it by now.
  const bankAccount = (paid.isExtra ? paid.paidFrom : null) ?? line.bankAccount
  // Where its rail had called it paid before, it stands with the rail again.
  const isSaid = paid.paidReference !== place
  const key = { payoutId, attempt: paid.attempt }
  if (isSaid) await setShown(tx, key, false)
  else await recordNews(tx, key, { kind: 'unshown', bankAccount, effectiveAt: now })
  const standsWith = accountOf('reserve', isSaid ? (paid.paidFrom ?? bankAccount) : bankAccount)
  await recordEntries(tx, [entryOfUnassigned(line, standsWith, now, chargesIn(line, locked))])
  return undefined
}

/** A payment too many that was reopened has failed as before. Once its line is free: what a statement shows has not failed. */
export async function failAgain(
  tx: Queryable,
  to: string,
  { reason, now }: { reason: string; now: Date },
): Promise<void> {
  const failed = await findFailedBefore(tx, to)
  if (failed !== undefined) await markRejected(tx, failed, { reason, effectiveAt: now })
}

/** Whether the bank itself says that the line is about a payment of the payout. */
async function isNamed(tx: Queryable, line: Line, payoutId: string): Promise<boolean> {
  return (await findAttemptIn(tx, line, payoutId)) !== undefined
}

const payoutOf = (payment: string) => payment.split('/')[0] ?? ''

function paidBy(to: string): string {
  return `The line names the payment ${to}, which counts as paid by it. If another line is the debit of that payment, run this with --replaced-by and that line. If that one has not come yet, wait: it will be unallocated when it comes.`
}

function returnedBy(to: string): string {
  return `The payment ${to} came back by this line, and its payout may have been paid again since. If it came back by another line, run this with --replaced-by and that line. If it did not come back, pay nothing: hold what is queued, and record what was paid with "coin payout mark-paid ${payoutOf(to)} --reference …".`
}

function movedOn(to: string): string {
  return `The payment ${to} has moved on since this line was taken for its debit: see "coin payout show ${payoutOf(to)}". If another line is its debit, run this with --replaced-by and that line.`
}
