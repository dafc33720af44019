/** What a bank says of a debit that it booked for several payments of ours at once (pure). */
import { isEndToEndId } from '../bank-files/end-to-end-id.ts'
import type { StatementLine } from '../bank-files/statement/statement.ts'

/** Names that may be those of a payment file or a section of it, and how many payments it was. */
export type Together = { names: readonly string[]; count: number | null }

/** Message ids of payment files and section ids, as we make them. */
const NAME = /(?<![A-Z0-9-])[A-Z0-9]{1,12}-\d{8}(?:-\d{1,5})?(?![A-Z0-9-])/g
const MOST_NAMES = 10

/** What a line says of payments booked together; null when it is no such debit, or names one payment. */
export function togetherOf(line: StatementLine): Together | null {
  const { direction, isReversal, endToEndId, bookedTogether, remittanceText, additionalText } = line
  if (direction !== 'debit' || isReversal || isEndToEndId(endToEndId ?? '')) return null
  const said = [
    bookedTogether?.sectionId,
    line.sectionId,
    bookedTogether?.paymentFileId,
    line.paymentFileId,
    endToEndId,
    line.instructionId,
    remittanceText,
    additionalText,
  ]
  const names = said.flatMap((text) => text?.match(NAME) ?? [])
  if (names.length === 0) return null
  return { names: [...new Set(names)].slice(0, MOST_NAMES), count: bookedTogether?.count ?? null }
}
