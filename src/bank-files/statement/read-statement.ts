/** camt.053 → statements that balance. */

import { saySen } from '../../money.ts'
import type { Message } from '../definitions.ts'
import { catchRefusal, masked, quoted, refuse } from '../refusal.ts'
import { child, children, optionalChild, optionalText, textIn } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { readBalances } from './balances.ts'
import { type Entry, readEntry, readHead, statusOf } from './entry.ts'
import { type AccountRules, ownAccountIn, refuseOtherPages, withoutOtherCurrencies } from './header.ts'
import { givenId, netOf, type Statement, type StatementFile } from './statement.ts'
import { refuseWrongSummary } from './summary.ts'

const MAX_LINES = 100_000

/** @throws a refusal; see `readBankFile` */
export function readStatements({ identity, body }: Message, rules: AccountRules): StatementFile {
  refuseOtherPages(child(body, 'GrpHdr'), 'MsgPgntn')
  const { ours, leftOut } = withoutOtherCurrencies(children(body, 'Stmt'), rules)
  const statements = ours.map((element) => readStatement(element, { ...rules, definition: identity.definition }))
  if (statements.length === 0) refuse('wrong_content', 'The file has no statement.')
  const ids = new Set(statements.map(({ account, statementId }) => `${account} ${statementId}`))
  if (ids.size < statements.length) refuse('duplicated_id', 'The file has two statements of one id.')
  return { identity, statements, leftOut }
}

type Context = AccountRules & { definition: Message['identity']['definition'] }

function readStatement(element: XmlElement, context: Context): Statement {
  refuseOtherPages(element, 'StmtPgntn')
  const account = ownAccountIn(element, context)
  const balances = readBalances(children(element, 'Bal'), context.timeZone)
  const listed = children(element, 'Ntry')
  const told = listed.flatMap((entry, index) => {
    const head = readTold(entry, index + 1, context)
    return head === undefined ? [] : [{ element: entry, ...head }]
  })
  const booked = told.filter(({ status }) => status === BOOKED)
  const entries = booked.map((entry) => readEntry(entry.element, entry.place, context))
  const lines = entries.flatMap((entry) => entry.lines)
  if (lines.length > MAX_LINES) refuse('too_large', `The statement has more than ${MAX_LINES} lines.`)
  if (context.asBooked !== true) {
    const elements = booked.map((entry) => entry.element)
    refuseRepeatedEntries(elements, entries)
  }
  // Of ringgit and of another currency together there is no sum, and the balances show that nothing booked was left out. So they do where a bank
  // counts or adds up otherwise, and an operator says so.
  if (told.length === listed.length && context.asBooked !== true)
    refuseWrongSummary(optionalChild(element, 'TxsSummry'), told, entries)
  if (balances.openingSen + netOf(lines) !== balances.closingSen) {
    const made = saySen(balances.openingSen + netOf(lines))
    const stated = saySen(balances.closingSen)
    refuse(
      'does_not_balance',
      `Opening balance and lines of ${masked(account)} make ${made}; the statement closes with ${stated}.`,
    )
  }
  return {
    statementId: textIn(element, 'Id', 35),
    sequence: optionalText(element, 18, 'ElctrncSeqNb'),
    account,
    ...balances,
    lines,
  }
}

const BOOKED = 'BOOK'
/** Under way, for information, or to come: some banks list what is in no balance beside what is, and tell it once more when they have booked it. */
const NOT_BOOKED: ReadonlySet<string> = new Set(['PDNG', 'INFO', 'FUTR'])

/**
 * Reads an entry's head. Balances contain what is booked and nothing else, so they show whether the bank has given each entry the right status.
 * @returns undefined for an entry that is not booked and cannot be read, in another currency perhaps: it is in no sum
 */
function readTold(element: XmlElement, place: number, context: Context) {
  const status = statusOf(element, context)
  if (status !== BOOKED && !NOT_BOOKED.has(status))
    refuse('wrong_content', `Entry ${place} of a statement is ${quoted(status)}, not booked.`)
  const head = catchRefusal(() => readHead(element, context))
  if (head.ok) return { ...head.value, place }
  return status === BOOKED ? refuse(head.refusal.code, head.refusal.sentence) : undefined
}

/**
 * Refuses a statement in which an entry stands twice: with the same reference, direction, amount and day. The reference alone proves nothing: some
 * banks give a payment's reference to its charge as well, and the balances agree only with both.
 */
function refuseRepeatedEntries(elements: readonly XmlElement[], entries: readonly Entry[]): void {
  const seen = new Set<string>()
  for (const [index, { direction, amountSen, lines }] of entries.entries()) {
    const reference = givenId(optionalText(elements[index], 35, 'NtryRef'))
    if (reference === null) continue
    const said = JSON.stringify([reference, direction, String(amountSen), lines[0]?.bookedOn])
    if (seen.has(said)) refuse('duplicated_id', `The entry ${quoted(reference)} stands in the statement twice.`)
    seen.add(said)
  }
}
