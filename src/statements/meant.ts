/** Which payment of a payout a line is about. */
import type { Queryable } from '../db/database.ts'
import { findPayments, paymentName } from '../payouts/attempts.sql.ts'
import { byHandName, findByHand } from '../payouts/by-hand.sql.ts'
import { findEarlier, findShownThen } from './asked.sql.ts'
import { findCameBack, findStillOut } from './facts.sql.ts'
import { hasLineOf } from './lines.sql.ts'
import type { Line } from './match.ts'

/** Which payment of a payout a line that is assigned to it can only be about; undefined where it is about the one that counts. */
export async function findMeant(tx: Queryable, line: Said, payoutId: string): Promise<number | undefined> {
  return (await findSurely(tx, line, payoutId)) ?? (await findEarlier(tx, line, payoutId))
}

async function findSurely(tx: Queryable, line: Said, payoutId: string): Promise<number | undefined> {
  const named = await findNamed(tx, line, payoutId)
  return named ?? (await findCameBack(tx, line, payoutId)) ?? (await findStillOut(tx, line, payoutId))
}

/**
 * The payment that a debit which names none has made once more, where it may also be an earlier one's: that had failed before this one was asked
 * for, and only whoever asks the bank knows which of them it has carried out.
 */
export async function findTwice(tx: Queryable, line: Said, payoutId: string): Promise<number | undefined> {
  if ((await findSurely(tx, line, payoutId)) !== undefined) return undefined
  const attempt = await findEarlier(tx, line, payoutId)
  return attempt === undefined ? undefined : await findShownThen(tx, line, { payoutId, attempt })
}

/** Whether a line that is assigned to a payout is about what operators have paid by hand: the debit of that, or what gives it back. */
export async function isByHand(db: Queryable, line: Said, payoutId: string): Promise<boolean> {
  const number = await findByHand(db, payoutId)
  if (number === undefined || (await findMeant(db, line, payoutId)) !== undefined) return false
  return (await hasLineOf(db, byHandName(payoutId, number), 'debit')) === line.amountMicro > 0n
}

/**
 * What lines that are taken together or apart say of each payout. What is made of them stands on the day of the newest, under the end-to-end id by which one
 * of them names the payout.
 */
export async function saidByAll<Of extends Said & Pick<Line, 'lineNo'>>(
  tx: Queryable,
  lines: readonly Of[],
): Promise<(payoutId: string) => Of | undefined> {
  const names = new Map<string, string>()
  for (const { endToEndId } of lines) {
    for (const { payoutId } of await findPayments(tx, endToEndId))
      if (endToEndId !== null && !names.has(payoutId)) names.set(payoutId, endToEndId)
  }
  const [newest] = lines.toSorted((one, other) =>
    one.bookedOn === other.bookedOn ? Number(other.lineNo - one.lineNo) : one.bookedOn < other.bookedOn ? 1 : -1,
  )
  return (payoutId) => newest && { ...newest, endToEndId: names.get(payoutId) ?? null }
}

/** What a line says of which payment it is. */
export type Said = Pick<Line, 'amountMicro' | 'bookedOn' | 'endToEndId'>

/** The payment of a payout that a line names. */
export async function findAttemptIn(
  tx: Queryable,
  { endToEndId }: Pick<Line, 'endToEndId'>,
  payoutId: string,
): Promise<number | undefined> {
  const payments = await findPayments(tx, endToEndId)
  return payments.find((each) => each.payoutId === payoutId)?.attempt
}

/** The attempt that a line names, as long as no other line has said the same of it. */
async function findNamed(tx: Queryable, line: Said, payoutId: string): Promise<number | undefined> {
  const attempt = await findAttemptIn(tx, line, payoutId)
  if (attempt === undefined) return undefined
  const isTold = await hasLineOf(tx, paymentName({ payoutId, attempt }), line.amountMicro > 0n ? 'credit' : 'debit')
  return isTold ? undefined : attempt
}
