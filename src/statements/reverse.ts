/**
 * The bank takes back what came in: a transfer that its sender's bank recalls, a payment by FPX or DuitNow that is disputed, a cheque that bounces. An
 * operator says which credit a debit reverses. Its partner owes that ringgit again, and the credit no longer pays mints by name.
 */
import type { Queryable } from '../db/database.ts'
import { accountOf } from '../ledger/accounts.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { sayRinggit } from '../money.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import type { Assignment } from './assign.ts'
import { lockLine, namesAnother } from './facts.sql.ts'
import { type Belonging, freePaidMints, insertPaidMints, lockBooking } from './lines.sql.ts'
import type { Line } from './match.ts'
import { mintsNamedIn } from './named-mints.ts'
import { entryOfAssignment } from './postings.ts'
import { findReversed, listReversing, markReversing, type ReversedCredit } from './reversals.sql.ts'

/** Says of an unallocated debit which credit it reverses, or a part of which. The caller's transaction also records who did it and why. */
export async function reverseCredit(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  lineNo: bigint,
  { credit: creditNo, reason, now }: { credit: bigint; reason: string; now: Date },
): Promise<Assignment> {
  await lockBooking(tx)
  const debit = await lockLine(tx, secrets, lineNo, 'unallocated')
  if (debit === undefined) return { result: 'not_unallocated' }
  const credit = await findReversed(tx, creditNo)
  const sentence =
    credit === undefined
      ? `There is no line ${creditNo}.`
      : (whyNotReversed(debit, credit) ?? (await namesAnother(tx, debit, () => false)))
  if (credit === undefined || sentence !== undefined) return { result: 'contradiction', sentence: sentence ?? '' }
  const { kind, to } = credit
  const belongsTo: Belonging = { kind: kind === 'fees' ? 'fees' : 'remitter', to: to ?? '' }
  const owing = accountOf(kind === 'fees' ? 'fees_receivable' : 'mint_receivable', belongsTo.to)
  await recordEntries(tx, [entryOfAssignment(debit, owing, now)])
  await markReversing(tx, { lineNo, credit: creditNo }, belongsTo, reason)
  // A part of it, too, leaves the mints unpaid: what is awaited of them is what the partner owes.
  const mints = await freePaidMints(tx, creditNo)
  return { result: 'assigned', amountMicro: debit.amountMicro, place: debit.place, belongsTo, mints }
}

/** Why a debit does not reverse a credit; undefined where it may (pure). */
export function whyNotReversed(
  debit: Pick<Line, 'bankAccount' | 'amountMicro' | 'bookedOn'>,
  credit: ReversedCredit,
): string | undefined {
  const { lineNo, kind, to, amountMicro, takenMicro } = credit
  if (debit.amountMicro > 0n) return 'The line is a credit: only a debit reverses one.'
  if (amountMicro < 0n) return `Line ${lineNo} is a debit: nothing came in by it.`
  if (kind === null || to === null)
    return `Line ${lineNo} is ${credit.state}: say first whose it is ("--integration"), then that this debit reverses it.`
  if (kind !== 'mint' && kind !== 'remitter' && kind !== 'fees')
    return `Line ${lineNo} belongs to ${to} and pays no mints or fees: say what the debit is as of any other.`
  if (debit.bankAccount !== credit.bankAccount) return 'The two lines are of different bank accounts.'
  if (debit.bookedOn < credit.bookedOn) return `The debit is of ${debit.bookedOn}, and line ${lineNo} came later.`
  const leftMicro = amountMicro - takenMicro
  if (-debit.amountMicro <= leftMicro) return undefined
  return leftMicro === 0n
    ? `All of line ${lineNo} was reversed before.`
    : `Of line ${lineNo} ${sayRinggit(leftMicro)} can be reversed, not ${sayRinggit(-debit.amountMicro)}.`
}

/** Why a credit stays what it is: debits that reverse it belong to the same. */
export async function whyReversed(tx: Queryable, creditNo: bigint): Promise<string | undefined> {
  const debits = await listReversing(tx, creditNo)
  if (debits.length === 0) return undefined
  return `Line ${debits.join(' and ')} reverses line ${creditNo}: take that line back first.`
}

/**
 * A debit that was said to reverse a credit is another thing: unless others do, the credit pays the mints that it names again, if nothing else has paid
 * them since. What was known by its account alone pays as before.
 * @returns the mints that it pays again
 */
export async function payMintsAgain(tx: Queryable, secrets: SecretBox, creditNo: bigint): Promise<readonly bigint[]> {
  if ((await listReversing(tx, creditNo)).length > 0) return []
  const credit = await findReversed(tx, creditNo)
  if (credit?.kind !== 'mint' || (credit.state !== 'matched' && credit.state !== 'assigned')) return []
  const line = await lockLine(tx, secrets, creditNo, credit.state)
  const mints = line === undefined ? [] : await mintsNamedIn(tx, secrets, line, credit.to ?? '')
  await insertPaidMints(tx, creditNo, mints)
  return mints
}
