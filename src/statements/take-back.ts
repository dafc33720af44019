/** An operator takes back what a line belongs to, by the opposite entry, where nothing else has followed from it. */
import type { Queryable } from '../db/database.ts'
import { findEntryLines, recordEntries } from '../ledger/entries.sql.ts'
import { lockPayout } from '../payouts/attempts.sql.ts'
import { byHandName, lockByHand, payByHand } from '../payouts/by-hand.sql.ts'
import type { SecretBox } from '../secrets.ts'
import { lockLine } from './facts.sql.ts'
import { type Belonging, findBelonging, hasLineOf, lockBooking, markTakenBack, moveByHand } from './lines.sql.ts'
import type { Line } from './match.ts'
import { entryOfTakingBack, referenceOf } from './postings.ts'

export type TakenBack =
  | { result: 'taken_back'; amountMicro: bigint; place: string; belonged: Belonging; mints: readonly bigint[] }
  /** No such line, or it belongs to nothing. */
  | { result: 'belongs_to_nothing' }
  /** Rolled back by the caller, which refuses the command. */
  | { result: 'refused'; sentence: string }

/** What takes a line back: the transaction, and what opens who paid and who was paid. */
export type TakingBack = { tx: Queryable; secrets: SecretBox }

/** Takes a line back, so that it is unallocated again. The caller's transaction also records who did it and why. */
export async function takeLineBack(
  { tx, secrets }: TakingBack,
  lineNo: bigint,
  { reason, now }: { reason: string; now: Date },
): Promise<TakenBack> {
  const locked = await lockBelonging({ tx, secrets }, lineNo)
  if (locked === undefined) return { result: 'belongs_to_nothing' }
  const { line, belonged, isAssigned } = locked
  const sentence = await undoPayment(tx, line, belonged)
  if (sentence !== undefined) return { result: 'refused', sentence }
  const booked = await findEntryLines(tx, referenceOf(line, isAssigned))
  if (booked === undefined) throw new Error(`line ${lineNo} belongs to ${belonged.to} without an entry`)
  await recordEntries(tx, [entryOfTakingBack(line, booked, now)])
  const mints = await markTakenBack(tx, lineNo, `Taken back: ${reason}`)
  return { result: 'taken_back', amountMicro: line.amountMicro, place: line.place, belonged, mints }
}

/** A line with what it belongs to, while nobody else decides about any line; undefined when it belongs to nothing. */
export async function lockBelonging(
  { tx, secrets }: TakingBack,
  lineNo: bigint,
): Promise<{ line: Line; belonged: Belonging; isAssigned: boolean } | undefined> {
  await lockBooking(tx)
  const belonging = await findBelonging(tx, lineNo)
  if (belonging === undefined) return undefined
  const { isAssigned, ...belonged } = belonging
  const line = await lockLine(tx, secrets, lineNo, isAssigned ? 'assigned' : 'matched')
  return line && { line, belonged, isAssigned }
}

/** @returns why what the line has said of a payment cannot be taken back; undefined when it can, or says nothing of one */
async function undoPayment(tx: Queryable, line: Line, { kind, to }: Belonging): Promise<string | undefined> {
  if (kind !== 'payout' && kind !== 'extra_payout') return undefined
  const [payoutId = '', isByHand] = to.split('/by_hand')
  if (isByHand === undefined) return closedBy(line, to)
  if (line.amountMicro > 0n) return await payAgain(tx, payoutId, to)
  if (!(await hasLineOf(tx, to, 'credit'))) return undefined
  return `A credit is assigned to ${payoutId} that gives this payment back: take that line back first.`
}

function closedBy({ amountMicro }: Line, to: string): string {
  return amountMicro < 0n
    ? `The payment ${to} counts as paid by this line, and its redeem is over. If another line is its debit, run this with --replaced-by and that line. While none is, its own debit will be unallocated when it comes: then do so.`
    : `The payment ${to} came back by this line, and its payout may be paid again since. If it came back by another line, run this with --replaced-by and that line. If it did not come back, pay nothing: hold what is queued, and record what was paid with "payout mark-paid".`
}

/** What was paid by hand did not come back after all: it is paid by hand, by the debit that a line has shown. */
async function payAgain(tx: Queryable, payoutId: string, to: string): Promise<string | undefined> {
  const locked = await lockPayout(tx, payoutId)
  const refusal = `${payoutId} has moved on since this line gave its payment by hand back (${locked?.status ?? 'unknown'}): hold or stop that first.`
  if (locked === undefined || !(await payByHand(tx, locked, to))) return refusal
  const number = await lockByHand(tx, payoutId)
  await moveByHand(tx, to, byHandName(payoutId, number ?? 1))
  return undefined
}
