/** `Ntry` of camt.053 and camt.054 → lines, one for each transaction that the bank details. */
import { isPlain } from '../definitions.ts'
import { catchRefusal, refuse } from '../refusal.ts'
import { child, children, flagOf, optionalChild, optionalText } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { dayOf, directionOf, senOf } from '../xml/values.ts'
import { type Part, partsOf } from './parts.ts'
import { isCharges, restLine, restOf } from './rest.ts'
import { changeOf, type Direction, givenId, netOf, type StatementLine } from './statement.ts'
import { type EntryContext, readTransaction, type Shared, transactionCodeOf } from './transaction.ts'

export type Entry = { status: string; direction: Direction; amountSen: bigint; lines: StatementLine[] }

/**
 * Reads an entry. What the bank booked beside its transactions becomes a line of its own where the bank states such charges, or where an operator
 * wants entries as they are booked.
 * @throws a refusal when the parts of an entry do not add up to its amount otherwise
 */
export function readEntry(element: XmlElement, entry: number, context: EntryContext): Entry {
  const head = readHead(element, context)
  const shared = readShared(element, entry, context)
  const read = catchRefusal(() => readLines(element, shared, head, context))
  if (read.ok) return { ...head, lines: read.value }
  if (context.asBooked !== true) refuse(read.refusal.code, read.refusal.sentence)
  return { ...head, lines: [wholeLine(element, shared, head, context)] }
}

export type Head = Omit<Entry, 'lines'>

/** What every entry says, booked or not. */
export function readHead(element: XmlElement, context: EntryContext): Head {
  const [amountSen, direction] = [senOf(child(element, 'Amt')), directionOf(element)]
  return { status: statusOf(element, context), direction, amountSen }
}

/** The one line of an entry whose transactions cannot be told apart, or are in another currency. Of a single one it says who and what. */
function wholeLine(element: XmlElement, shared: Shared, { direction, amountSen }: Head, context: EntryContext) {
  const transactions = children(element, 'NtryDtls').flatMap((details) => children(details, 'TxDtls'))
  const only = transactions.length === 1 ? transactions[0] : undefined
  const said = readTransaction(only, direction, { ...context, entryCode: shared.transactionCode })
  return { ...shared, detail: 1, direction, amountSen, bookedTogether: null, ...said }
}

function readLines(element: XmlElement, shared: Shared, head: Head, context: EntryContext): StatementLine[] {
  const { entry } = shared
  const { amountSen, direction } = head
  const told = partsOf(element)
  const parts: Part[] =
    told.length > 0 ? told : [{ transaction: undefined, bookedTogether: null, amountSen, direction }]
  const lines = parts.map((part, index): StatementLine => {
    const isWhole = parts.length === 1 && part.amountSen === null
    const partSen = isWhole ? amountSen : part.amountSen
    if (partSen === null)
      refuse('wrong_content', `Entry ${entry} has several transactions, and one without its amount.`)
    return {
      ...shared,
      detail: index + 1,
      direction: part.direction ?? direction,
      amountSen: partSen,
      bookedTogether: part.bookedTogether,
      ...readTransaction(part.transaction, part.direction ?? direction, {
        ...context,
        entryCode: shared.transactionCode,
      }),
    }
  })
  const restSen = restOf(head, lines)
  if (restSen === 0n) return lines
  if (shared.isReversal && changeOf(head) === -netOf(lines)) return lines.map(turned)
  if (context.asBooked !== true && !isCharges(restSen, element)) {
    refuse('inconsistent_sums', `The transactions of entry ${entry} do not make its amount.`)
  }
  return [...lines, restLine(shared, restSen, lines.length + 1)]
}

/** Of a payment that is taken back some banks state the transaction as it was, and the entry as it is booked. */
const turned = (line: StatementLine): StatementLine => ({
  ...line,
  direction: line.direction === 'credit' ? 'debit' : 'credit',
})

/** Versions up to 6 write the status itself, later ones a choice. */
export function statusOf(element: XmlElement, { definition }: EntryContext): string {
  const status = child(element, 'Sts')
  if (isPlain(definition)) return status.text
  return optionalText(status, 4, 'Cd') ?? refuse('wrong_content', 'An entry has a status of the bank’s own making.')
}

function readShared(element: XmlElement, entry: number, { timeZone }: EntryContext): Shared {
  const reversal = optionalChild(element, 'RvslInd')
  const bookedOn = optionalChild(element, 'BookgDt')
  const valueOn = optionalChild(element, 'ValDt')
  const day = bookedOn ?? valueOn ?? refuse('wrong_content', `Entry ${entry} has neither booking nor value date.`)
  return {
    entry,
    bookedOn: dayOf(day, timeZone),
    valueOn: dayOf(valueOn ?? day, timeZone),
    isReversal: reversal !== undefined && flagOf(reversal),
    servicerReference: givenId(optionalText(element, 35, 'AcctSvcrRef')),
    additionalText: optionalText(element, 500, 'AddtlNtryInf'),
    transactionCode: transactionCodeOf(optionalChild(element, 'BkTxCd')),
  }
}
