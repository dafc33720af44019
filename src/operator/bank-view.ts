/** What the operator API shows about bank files, statements and their lines. Of accounts, the last four digits. */
import type { BankDetails } from '../bank-details/bank-details.ts'
import { formatAmount, sayRinggit } from '../money.ts'
import type { AppliedStatement } from '../statements/applied.sql.ts'
import type { BankBalance } from '../statements/balances.sql.ts'
import type { ListedFile, ListedLine } from '../statements/lists.sql.ts'
import type { Notified } from '../statements/notified.sql.ts'
import { missingNumbers, opensAsLast, type WaitingStatement } from '../statements/waiting.sql.ts'

export function viewBalance(balance: BankBalance) {
  const { bankAccount, statementId, closedOn, closingMicro, importedAt, creditsSinceMicro, unbookedMicro } = balance
  return {
    bankAccount,
    statementId,
    closedOn,
    closing: formatAmount(closingMicro),
    creditsSince: formatAmount(creditsSinceMicro),
    unbooked: formatAmount(unbookedMicro),
    importedAt: importedAt.toISOString(),
  }
}

/** Without who paid or was paid: the statement has that. */
export function viewNotified({ amountMicro, importedAt, ...notified }: Notified) {
  return { ...notified, amount: formatAmount(amountMicro), importedAt: importedAt.toISOString() }
}

/** With a sentence that says which statement is missing. */
export function viewWaiting(waiting: WaitingStatement) {
  const { statementNo, bankAccount, statementId, openedOn, openingMicro, closedOn, importedAt } = waiting
  const { lastStatementId, lastClosedOn, lastClosingMicro } = waiting
  const before = lastClosingMicro === null ? 'RM ?' : sayRinggit(lastClosingMicro)
  const numbers = missingNumbers(waiting)
  const last = `${lastStatementId ?? 'the last one'} (closed on ${lastClosedOn ?? '?'} with ${before})`
  return {
    statementNo: String(statementNo),
    bankAccount,
    statementId,
    openedOn,
    opening: formatAmount(openingMicro),
    closedOn,
    importedAt: importedAt.toISOString(),
    missing: opensAsLast(waiting)
      ? `nothing after ${last}: it tells again what others tell, or more of its days is missing`
      : `${numbers && `${numbers}, `}after ${last}, before ${openedOn}`,
  }
}

export function viewApplied(statement: AppliedStatement) {
  const { statementNo, statementId, sequence, openedOn, openingMicro, closedOn, closingMicro } = statement
  const { lineCount: lines, file, appliedAt, without } = statement
  return {
    statementNo: String(statementNo),
    statementId,
    sequence,
    openedOn,
    opening: formatAmount(openingMicro),
    closedOn,
    closing: formatAmount(closingMicro),
    lines,
    daysWithout: without && sayDays(without),
    file,
    appliedAt: appliedAt.toISOString(),
  }
}

function sayDays({ first, last }: { first: string; last: string }): string {
  return first === last ? first : `${first} to ${last}`
}

/** What became of a file, and why nothing, or not all, of it counts. */
export function viewFile({ contentHash, name, definition, messageId, refusal, withdrawn, importedAt }: ListedFile) {
  const taken = withdrawn?.all ? 'withdrawn' : 'taken'
  const why = refusal ?? (withdrawn && { code: 'withdrawn', sentence: sayWithdrawn(withdrawn.said) })
  return {
    contentHash,
    name,
    definition,
    messageId,
    state: refusal === null ? taken : 'set_aside',
    code: why?.code ?? null,
    reason: why?.sentence ?? null,
    at: importedAt.toISOString(),
  }
}

/** @param statements with the reason of each */
export function sayWithdrawn(statements: string): string {
  return `Withdrawn since, for good, so that nothing of it is booked: ${statements}. If the bank stands by it, ask for it in another file.`
}

/** A line, with what its sealed bank details say. */
export function viewLine(line: ListedLine, said: BankDetails | undefined) {
  const { lineNo, bankAccount, statementId, entry, detail, amountMicro, bookedOn, madeOf } = line
  return {
    lineId: String(lineNo),
    bankAccount,
    statement: `${statementId}/${entry}.${detail}`,
    amountMyr: formatAmount(amountMicro),
    bookedOn,
    remittance: said?.text ?? (entry === 0 ? 'Opening balance' : ''),
    counterparty: said?.name ?? null,
    counterpartyAccount: said?.account ? `…${said.account.slice(-4)}` : null,
    endToEndId: line.endToEndId,
    reason: line.reason,
    madeOf,
  }
}
