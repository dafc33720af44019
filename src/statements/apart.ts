/** A debit that the bank booked for several payments of ours at once: each of them becomes a line of its own. */
import { createHash } from 'node:crypto'
import type { Queryable } from '../db/database.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { digestOf } from './digest.ts'
import type { NewNotified, NewStatement } from './statement.ts'
import type { Together } from './together.ts'

export type TogetherPayment = { endToEndId: string; amountSen: bigint }

/** The payments of ours that a debit of this amount was; none when it is not certain which. */
export type FindTogether = (
  tx: Queryable,
  debit: Together & { amountSen: bigint },
) => Promise<readonly TogetherPayment[]>

/** A statement in which each payment of such a debit is a line of its own; places are counted anew within its entry. */
export async function apart(tx: Queryable, statement: NewStatement, find: FindTogether): Promise<NewStatement> {
  const lines: NewStatement['lines'][number][] = []
  for (const line of statement.lines) {
    const payments = line.together === null ? [] : await findFor(tx, { ...line, together: line.together }, find)
    if (payments.length === 0) lines.push(line)
    for (const { endToEndId, amountSen } of payments)
      lines.push({ ...line, endToEndId, amountMicro: -amountSen * SEN_IN_MICRO, together: null })
  }
  if (lines.length === statement.lines.length && lines.every((line, index) => line === statement.lines[index]))
    return statement
  const details = new Map<number, number>()
  const numbered = lines.map((line) => {
    const detail = (details.get(line.entry) ?? 0) + 1
    details.set(line.entry, detail)
    return { ...line, detail }
  })
  return { ...statement, lines: numbered, digest: digestOf(statement, numbered) }
}

/** The same of what was notified. */
export async function notifiedApart(
  tx: Queryable,
  notified: readonly NewNotified[],
  find: FindTogether,
): Promise<NewNotified[]> {
  const all: NewNotified[] = []
  for (const one of notified) {
    const payments = one.together === null ? [] : await findFor(tx, { ...one, together: one.together }, find)
    if (payments.length === 0) all.push(one)
    for (const { endToEndId, amountSen } of payments) {
      const key = createHash('sha256').update(`${one.key}/${endToEndId}`).digest('hex')
      all.push({ ...one, key, endToEndId, amountMicro: -amountSen * SEN_IN_MICRO })
    }
  }
  return all
}

type Debit = { amountMicro: bigint; ownAccount: string | null; together: Together }

/** What went to another account of ours paid nobody. */
async function findFor(tx: Queryable, { amountMicro, ownAccount, together }: Debit, find: FindTogether) {
  if (ownAccount !== null || amountMicro >= 0n) return []
  return await find(tx, { ...together, amountSen: -amountMicro / SEN_IN_MICRO })
}
