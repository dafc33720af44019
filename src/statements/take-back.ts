/** An operator takes back what a line belongs to, by the opposite entry, where nothing else has followed from it. */
import type { Queryable } from '../db/database.ts'
import { findEntryLines, recordEntries } from '../ledger/entries.sql.ts'
import { lockPayout } from '../payouts/attempts.sql.ts'
import { byHandName, lockByHand, payByHand } from '../payouts/by-hand.sql.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { dissolve, listMadeOf } from './allocations.sql.ts'
import { lockLine } from './facts.sql.ts'
import { type Belonging, findBelonging, hasLineOf, lockBooking, markTakenBack, moveByHand } from './lines.sql.ts'
import type { Line } from './match.ts'
import { entryOfTakingBack, referenceOf } from './postings.ts'
import { failAgain, reopenPayment } from './reopen.ts'
import { findReversedBy } from './reversals.sql.ts'
import { payMintsAgain, whyReversed } from './reverse.ts'

export type TakenBack =
  | {
      result: 'taken_back'
      amountMicro: bigint
      place: string
      belonged: Belonging
      mints: readonly bigint[]
      /** Of a debit that was said to reverse a credit: the mints that the credit pays again. */
      paidAgain: readonly bigint[]
    }
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
  if (locked === undefined) return await belongsToNothing(tx, lineNo)
  const { line, belonged, isAssigned } = locked
  const { to } = belonged
  const sentence = isOfRail(belonged)
    ? await reopenPayment(tx, { line, to, isAssigned }, now)
    : await undo(tx, locked, now)
  if (sentence !== undefined) return { result: 'refused', sentence }
  const credit = await findReversedBy(tx, lineNo)
  const mints = await markTakenBack(tx, lineNo, `Taken back: ${reason}`)
  const paidAgain = credit === undefined ? [] : await payMintsAgain(tx, secrets, credit)
  await dissolve(tx, lineNo, `Taken back: ${reason}`)
  if (isOfRail(belonged)) await failAgain(tx, to, { reason: `Taken back: ${reason}`, now })
  return { result: 'taken_back', amountMicro: line.amountMicro, place: line.place, belonged, mints, paidAgain }
}

/** Of what was allocated the lines that were made of it are taken back, each by itself. */
async function belongsToNothing(tx: Queryable, lineNo: bigint): Promise<TakenBack> {
  const made = await listMadeOf(tx, lineNo)
  if (made.length === 0) return { result: 'belongs_to_nothing' }
  const lines =
    made.length === 1
      ? `line ${made[0]}, which was made of it and belongs to a payment`
      : `lines ${made.join(', ')}, which were made of it and belong to payments`
  const sentence = `Line ${lineNo} was allocated: take back ${lines}. Once nothing explains any of them, line ${lineNo} stands again.`
  return { result: 'refused', sentence }
}

/** A line with what it belongs to, while nobody else decides about any line; undefined when it belongs to nothing. */
export async function lockBelonging({ tx, secrets }: TakingBack, lineNo: bigint): Promise<Locked | undefined> {
  await lockBooking(tx)
  const belonging = await findBelonging(tx, lineNo)
  if (belonging === undefined) return undefined
  const { isAssigned, ...belonged } = belonging
  const line = await lockLine(tx, secrets, lineNo, isAssigned ? 'assigned' : 'matched')
  return line && { line, belonged, isAssigned }
}

const isOfPayout = ({ kind }: Belonging) => kind === 'payout' || kind === 'extra_payout'
const isOfRail = (belonged: Belonging) => isOfPayout(belonged) && !belonged.to.includes('/by_hand')

type Locked = { line: Line; belonged: Belonging; isAssigned: boolean }

/** @returns why what the line was taken for cannot be taken back; what was written must not stay then */
async function undo(tx: Queryable, { line, belonged, isAssigned }: Locked, now: Date): Promise<string | undefined> {
  const sentence =
    belonged.kind === 'claim'
      ? await whyClosed(tx, line, belonged.to)
      : isOfPayout(belonged)
        ? await undoByHand(tx, line, belonged.to)
        : await whyReversed(tx, line.lineNo)
  if (sentence !== undefined) return sentence
  const booked = await findEntryLines(tx, referenceOf(line, isAssigned))
  if (booked === undefined) throw new Error(`line ${line.lineNo} belongs to ${belonged.to} without an entry`)
  await recordEntries(tx, [entryOfTakingBack(line, booked, now)])
  return undefined
}

/** @returns why a claim stays */
async function whyClosed(tx: Queryable, line: Line, to: string): Promise<string | undefined> {
  if (line.amountMicro > 0n || !(await hasLineOf(tx, to, 'credit'))) return undefined
  return `A credit has given ${to} back: take that line back first.`
}

/** @returns why what the line has said of a payment by hand cannot be taken back */
async function undoByHand(tx: Queryable, line: Line, to: string): Promise<string | undefined> {
  const [payoutId = ''] = to.split('/by_hand')
  if (line.amountMicro > 0n) return await payAgain(tx, payoutId, to)
  if (!(await hasLineOf(tx, to, 'credit'))) return undefined
  return `A credit that is assigned to ${payoutId} gives this payment back: take that line back first.`
}

/** What was paid by hand did not come back after all: it is paid by hand, by the debit that a line has shown. */
async function payAgain(tx: Queryable, payoutId: string, to: string): Promise<string | undefined> {
  const locked = await lockPayout(tx, payoutId)
  const refusal = `${payoutId} has moved on since this line gave its payment by hand back (it is ${locked?.status ?? 'unknown'}): hold or stop it first.`
  if (locked === undefined || !(await payByHand(tx, locked, to))) return refusal
  const number = await lockByHand(tx, payoutId)
  await moveByHand(tx, to, byHandName(payoutId, number ?? 1))
  return undefined
}
