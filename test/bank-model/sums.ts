/** Lines of the model's bank that are not one payment each: what it has booked in one sum, or in parts, once all of it is there. */
import type { Account, Whose } from './account.ts'
import type { Line } from './operators.ts'

/** `isNamed`: it names a payment file of ours, and is taken apart by itself unless something speaks against that. */
export type Sum = { name: string; lines: readonly Line[]; payments: readonly Whose[]; isNamed: boolean }

/** Sums and whole groups of parts among lines. */
export function sumsAmong(lines: readonly Line[], account: Account): Sum[] {
  const sums = new Map<string, Sum & { of: number }>()
  for (const line of lines) {
    const purpose = account.purposeOf(line.reference)
    const isApart = purpose?.kind === 'together' && (line.endToEndId !== null || purpose.payments.length === 1)
    if (purpose?.kind === 'merged' || (purpose?.kind === 'together' && !isApart)) {
      const { payments, kind } = purpose
      const name = line.reference
      sums.set(name, { name, lines: [line], payments, isNamed: kind === 'together', of: 1 })
    } else if (purpose?.kind === 'part') {
      const { group, of } = purpose
      const name = `part ${group}`
      const known = sums.get(name)?.lines ?? []
      sums.set(name, { name, lines: [...known, line], payments: [purpose], isNamed: false, of })
    }
  }
  return [...sums.values()].filter(({ lines: found, of }) => found.length === of)
}
