/** Lines of the model's bank that are not one payment each: what it has booked in one sum, or in parts, once all of it is there. */
import type { Account } from './account.ts'
import type { Line } from './operators.ts'

/** `isNamed`: it names a payment file of ours, and is taken apart by itself unless something speaks against that. */
export type Sum = { name: string; lines: readonly Line[]; payoutIds: readonly string[]; isNamed: boolean }

/** Sums and whole groups of parts among lines. */
export function sumsAmong(lines: readonly Line[], account: Account): Sum[] {
  const sums = new Map<string, Sum & { of: number }>()
  for (const line of lines) {
    const purpose = account.purposeOf(line.reference)
    if (purpose?.kind === 'merged' || (purpose?.kind === 'together' && line.endToEndId === null)) {
      const { payoutIds, kind } = purpose
      const name = line.reference
      sums.set(name, { name, lines: [line], payoutIds, isNamed: kind === 'together', of: 1 })
    } else if (purpose?.kind === 'part') {
      const { group, payoutId, of } = purpose
      const name = `part ${group}`
      const known = sums.get(name)?.lines ?? []
      sums.set(name, { name, lines: [...known, line], payoutIds: [payoutId], isNamed: false, of })
    }
  }
  return [...sums.values()].filter(({ lines: found, of }) => found.length === of)
}
