/**
 * Another line is what a line was taken for: the payment stays as it is, its debit or its return is the other line, and what the first one
 * is has to be said anew.
 */
import type { Queryable } from '../db/database.ts'
import { accountOf } from '../ledger/accounts.ts'
import { findEntryLines, recordEntries } from '../ledger/entries.sql.ts'
import { moveReference } from '../payouts/attempts.sql.ts'
import { BY_HAND } from '../payouts/rail.ts'
import { dissolve } from './allocations.sql.ts'
import { whyNotAsked, whyNotByHand } from './asked.sql.ts'
import { chargesIn, chargesSaidOf, type SaidCharges } from './charges.ts'
import { findPaymentOf, lockLine, namesAnother } from './facts.sql.ts'
import { type Belonging, markAssigned, markTakenBack } from './lines.sql.ts'
import type { Line } from './match.ts'
import { entryOfAssignment, entryOfLineFreed, entryOfUnassigned, referenceOf } from './postings.ts'
import { lockBelonging, type TakenBack, type TakingBack } from './take-back.ts'

export type Replacement = { lineNo: bigint } & SaidCharges

/** Takes a line of a payment back and assigns another one to it. The caller's transaction also records who did it and why. */
export async function replaceLine(
  { tx, secrets }: TakingBack,
  lineNo: bigint,
  { replacement, reason, now }: { replacement: Replacement; reason: string; now: Date },
): Promise<TakenBack> {
  const locked = await lockBelonging({ tx, secrets }, lineNo)
  if (locked === undefined) return { result: 'belongs_to_nothing' }
  const { line, belonged, isAssigned } = locked
  const other = await lockLine(tx, secrets, replacement.lineNo, 'unallocated')
  const sentence = whyNot(line, other, belonged, replacement)
  if (other === undefined || sentence !== undefined) return { result: 'refused', sentence: sentence ?? '' }
  const moved = await exchange(tx, { line, other, belonged, isAssigned, replacement, now })
  if (moved !== undefined) return { result: 'refused', sentence: moved }
  await markAssigned(tx, other.lineNo, belonged, reason)
  const mints = await markTakenBack(tx, lineNo, `Taken back: ${reason}`)
  await dissolve(tx, lineNo, `Taken back: ${reason}`)
  return { result: 'taken_back', amountMicro: line.amountMicro, place: line.place, belonged, mints, paidAgain: [] }
}

function whyNot(line: Line, other: Line | undefined, { kind, to }: Belonging, { lineNo }: Replacement) {
  if (kind !== 'payout' && kind !== 'extra_payout')
    return `The line belongs to ${to}, which is no payment: take it back without --replaced-by.`
  if (other === undefined) return `No unallocated line has the number ${lineNo}: see "coin bank unallocated list".`
  const isSame = line.amountMicro > 0n === other.amountMicro > 0n
  return isSame ? undefined : 'One of the lines is a debit and the other a credit: neither can replace the other.'
}

type Exchange = {
  line: Line
  other: Line
  belonged: Belonging
  isAssigned: boolean
  replacement: Replacement
  now: Date
}

/** @returns why not; what was written must not stay then */
async function exchange(
  tx: Queryable,
  { line, other, belonged, isAssigned, replacement, now }: Exchange,
): Promise<string | undefined> {
  const [payoutId = '', number] = belonged.to.split('/')
  const another = await namesAnother(tx, other, (name) => name === belonged.to)
  if (another !== undefined) return another
  const payment = await findPaymentOf(tx, payoutId)
  if (payment === undefined) return `There is no payout ${payoutId} any more.`
  const chargesMicro = chargesSaidOf(other, { ...payment, ...replacement })
  if (typeof chargesMicro === 'string') return chargesMicro
  const isByHand = number === BY_HAND
  const later = isByHand
    ? await whyNotByHand(tx, other, payoutId)
    : await whyNotAsked(tx, other, { payoutId, attempt: Number(number) })
  if (later !== undefined) return later
  // What the payment's own entries have moved stays: both lines go through this account, which ends as it was.
  const through = isByHand ? accountOf('payout_clearing', BY_HAND) : accountOf('reserve', line.bankAccount)
  // What an operator has assigned was unallocated before, and so is in the books; what was made of others, with those.
  const isBooked = isAssigned || (await findEntryLines(tx, referenceOf(line, false))) !== undefined
  await recordEntries(tx, [
    isBooked ? entryOfUnassigned(line, through, now, chargesIn(line, payment)) : entryOfLineFreed(line, now),
    entryOfAssignment(other, through, now, chargesMicro),
  ])
  const what = line.amountMicro > 0n ? 'returned' : 'paid'
  const { bankAccount, place } = other
  if (!isByHand)
    await moveReference(tx, { payoutId, attempt: Number(number) }, { what, from: line.place, to: place, bankAccount })
  return undefined
}
