/**
 * A debit for a payment file of which the bank rejects a part, told before the rejections: once these are known, it comes to the payments that
 * are left, and is taken apart as if they had come first.
 */
import type { Database, Queryable } from '../db/database.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { findPayments } from '../payouts/attempts.sql.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { allocateLines } from './allocate.ts'
import type { NamedPayment } from './allocation.ts'
import { findLateTogether, type LateDebit } from './allocations.sql.ts'
import type { FindTogether, TogetherPayment } from './apart.ts'

export type LateDeps = {
  db: Database
  secrets: SecretBox
  logger: { info(fields: object, message: string): void; error(fields: object, message: string): void }
  now: () => Date
  findTogether: FindTogether
  /** Line → how many rejections were known when it was looked at last: it is looked at again when there are others. */
  seen?: Map<bigint, bigint>
  /** The line after which the next look at those that name a payment goes on; without it, each begins with the oldest. */
  named?: { after: bigint }
}

const REASON = 'The bank has since reported which payments of the file it has rejected.'

/** Ends the transaction of what cannot be. */
const NOT_IT = new Error('not it')

/** Takes apart what fits by now. What does not is left as it is. */
export async function takeApartLate(deps: LateDeps): Promise<void> {
  const { db, logger, seen = new Map() } = deps
  for (const debit of await findLateTogether(db, seen)) {
    try {
      const count = await db.transaction((tx) => takeApart(tx, deps, debit))
      if (count > 0) logger.info({ line: String(debit.lineNo), payments: count }, 'a debit was taken apart late')
      seen.set(debit.lineNo, debit.rejected)
    } catch (error) {
      if (error === NOT_IT) seen.set(debit.lineNo, debit.rejected)
      else logger.error({ err: error, line: String(debit.lineNo) }, 'a debit was not taken apart; it is tried again')
    }
  }
}

/** @returns of how many payments the debit is; 0 when it is not known */
async function takeApart(tx: Queryable, { secrets, findTogether, now }: LateDeps, debit: LateDebit): Promise<number> {
  const { lineNo, amountMicro, together } = debit
  const payments = await named(tx, await findTogether(tx, { ...together, amountSen: -amountMicro / SEN_IN_MICRO }))
  if (payments.length === 0) return 0
  const why = { reason: REASON, now: now() }
  // Of one payment, too, a line is made: what the bank has said of it stays, and has no name.
  const { result } = await allocateLines({ tx, secrets }, { lineNos: [lineNo], payments }, why)
  if (result !== 'allocated') throw NOT_IT
  return payments.length
}

/** The payments of ours; none where one of them is not known. */
async function named(tx: Queryable, found: readonly TogetherPayment[]): Promise<NamedPayment[]> {
  const payments: NamedPayment[] = []
  for (const { endToEndId, amountSen } of found) {
    const [payment] = await findPayments(tx, endToEndId)
    if (payment === undefined) return []
    payments.push({ payoutId: payment.payoutId, attempt: payment.attempt, amountSen, endToEndId })
  }
  return payments
}
