/** An operator says which payments one line is together, or several are: what banks book in one sum, or in parts, under no name of ours. */
import type { Queryable } from '../db/database.ts'
import { findPayments } from '../payouts/attempts.sql.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { type NamingLine, type Part, planAllocation, type SaidPayments } from './allocation.ts'
import { makeLines } from './allocations.sql.ts'
import { assignLine, type Explanation } from './assign.ts'
import { lockLine } from './facts.sql.ts'
import { lockBooking } from './lines.sql.ts'

/** The payments are those that count of their payouts; a line that names a payment says itself which one it is about. */
export type Allocating = { lineNos: readonly bigint[] } & SaidPayments

export type AllocatedPart = { lineNo: bigint; amountMicro: bigint; to: string }

export type Allocated =
  | { result: 'allocated'; amountMicro: bigint; parts: readonly AllocatedPart[] }
  | { result: 'not_unallocated'; lineNo: bigint }
  /** Rolled back by the caller, which refuses the command. */
  | { result: 'contradiction'; sentence: string }

/**
 * Makes a line for each payment, for each claim and for what is the issuer's own, which come to the same sum, and assigns each. All of it or nothing: the
 * caller's transaction also records who did it and why.
 */
export async function allocateLines(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  allocating: Allocating,
  { reason, now }: { reason: string; now: Date },
): Promise<Allocated> {
  await lockBooking(tx)
  const lines: NamingLine[] = []
  for (const lineNo of new Set(allocating.lineNos)) {
    const line = await lockLine(tx, secrets, lineNo, 'unallocated')
    if (line === undefined) return { result: 'not_unallocated', lineNo }
    lines.push({ ...line, names: await findPayments(tx, line.endToEndId) })
  }
  const parts = planAllocation(lines, allocating)
  if (typeof parts === 'string') return { result: 'contradiction', sentence: parts }
  const lineNos = lines.map(({ lineNo }) => lineNo)
  const made = await makeLines(tx, lineNos, parts, reason)
  const allocated: AllocatedPart[] = []
  for (const [index, part] of parts.entries()) {
    const lineNo = made[index] ?? 0n
    const assigned = await assignLine({ tx, secrets }, lineNo, { explanation: explanationOf(part), reason, now })
    if (assigned.result === 'contradiction') {
      const whose = part.kind === 'own_funds' ? '' : `${part.payment.payoutId}: `
      return { result: 'contradiction', sentence: `${whose}${assigned.sentence}` }
    }
    if (assigned.result !== 'assigned') throw new Error(`line ${lineNo} was made and is gone`)
    allocated.push({ lineNo, amountMicro: part.amountMicro, to: assigned.belongsTo.to })
  }
  const amountMicro = lines.reduce((total, line) => total + line.amountMicro, 0n)
  return { result: 'allocated', amountMicro, parts: allocated }
}

function explanationOf(part: Part): Explanation {
  return part.kind === 'own_funds' ? { kind: 'own_funds' } : { kind: part.kind, ...part.payment }
}
