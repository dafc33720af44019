/**
 * A line that names a payment of ours which the database did not know when the line was told: after a restore, the bank's statements come again
 * before the partners post what was lost. Once the payment is asked for under that name, the line is its own.
 */
import type { Queryable } from '../db/database.ts'
import { assignLine } from './assign.ts'
import { lockLine, readFacts } from './facts.sql.ts'
import type { LateDeps } from './late-together.ts'
import { findNamedLate, lockBooking } from './lines.sql.ts'
import { matchLine } from './match.ts'

const REASON = 'The payment that it names became known only later, as after a restore.'

/** Ends the transaction of what cannot be. */
const NOT_IT = new Error('not it')

const AT_ONCE = 100

/**
 * Gives lines to the payments that they name and that are known by now. What does not fit is left to operators, and keeps none of those behind it
 * waiting: the next call goes on where this one ends, and begins with the oldest again after the last.
 */
export async function matchNamedLate(deps: LateDeps, limit = AT_ONCE): Promise<void> {
  const { db, logger, named = { after: 0n } } = deps
  const lines = await findNamedLate(db, { after: named.after, limit })
  named.after = lines.length < limit ? 0n : (lines.at(-1) ?? 0n)
  for (const lineNo of lines) {
    try {
      const payoutId = await db.transaction((tx) => matchNamed(tx, deps, lineNo))
      logger.info({ line: String(lineNo), payoutId }, 'a line was matched late')
    } catch (error) {
      if (error !== NOT_IT)
        logger.error({ err: error, line: String(lineNo) }, 'a line was not matched late; it is tried again')
    }
  }
}

/** @throws NOT_IT where the line is not certainly that of the payment */
async function matchNamed(tx: Queryable, { secrets, now }: LateDeps, lineNo: bigint): Promise<string> {
  await lockBooking(tx)
  const line = await lockLine(tx, secrets, lineNo, 'unallocated')
  const match = line && matchLine(line, await readFacts(tx, secrets, line))
  if (match?.kind !== 'payout') throw NOT_IT
  const why = { explanation: { kind: 'payout' as const, ...match.payment }, reason: REASON, now: now() }
  const { result } = await assignLine({ tx, secrets }, lineNo, why)
  if (result !== 'assigned') throw NOT_IT
  return match.payment.payoutId
}
