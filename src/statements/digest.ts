/** What a statement says, as one hash: a row that was changed, lost or added later no longer gives it. */
import { createHash } from 'node:crypto'

/** The fields of a line that a digest covers, in their order. */
export type DigestedLine = {
  entry: number
  detail: number
  amountMicro: bigint
  bookedOn: string
  valueOn: string
  isReversal: boolean
  servicerReference: string | null
  endToEndId: string | null
  remittance: string
  remitterName: string | null
  remitterAccount: string | null
  returnCode: string | null
}

export type DigestedStatement = {
  bankAccount: string
  openedOn: string
  openingMicro: bigint
  closedOn: string
  closingMicro: bigint
}

/**
 * SHA-256, hexadecimal. The bank's name of the statement is left out, so that the same content under another name is
 * recognised. Of accounts it covers the last four digits, so that it does not tell the others to whoever tries out numbers.
 * @param lines in the order of the statement
 */
export function digestOf(statement: DigestedStatement, lines: readonly DigestedLine[]): string {
  const { bankAccount, openedOn, openingMicro, closedOn, closingMicro } = statement
  const head = [bankAccount, openedOn, String(openingMicro), closedOn, String(closingMicro)]
  const hash = createHash('sha256').update(JSON.stringify(head))
  for (const line of lines) hash.update('\n').update(JSON.stringify(fieldsOf(line)))
  return hash.digest('hex')
}

function fieldsOf(line: DigestedLine): unknown[] {
  return [
    line.entry,
    line.detail,
    String(line.amountMicro),
    line.bookedOn,
    line.valueOn,
    line.isReversal,
    line.servicerReference,
    line.endToEndId,
    line.remittance,
    line.remitterName,
    line.remitterAccount?.slice(-4) ?? null,
    line.returnCode,
  ]
}
