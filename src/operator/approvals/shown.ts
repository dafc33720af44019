/** What a command that waits would act on, as it is now: whoever decides sees it beside what was asked for. */
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import type { Approval } from '../../operators/approval.ts'
import { type BelongingLine, findLine } from '../../statements/lines-of.sql.ts'
import { findWaiting, type WaitingStatement } from '../../statements/waiting.sql.ts'
import { findStatement } from '../../statements/withdraw.sql.ts'
import { viewLine, viewWaiting } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'

const OF_LINE = /\/bank\/(?:unallocated|lines)\/(\d{1,18})\/(?:assign|take-back)$/
const OF_STATEMENT = /\/bank\/statements\/(\d{1,18})\/(?:withdraw|bridge)$/

/** The line or statement of a bank that a command is about, and what the command would do; undefined for commands about something else. */
export async function showConcern(
  db: Queryable,
  secrets: OperatorDeps['secrets'],
  { path }: Pick<Approval, 'path'>,
  body: unknown,
): Promise<Record<string, unknown> | undefined> {
  const statementNo = OF_STATEMENT.exec(path)?.[1]
  if (statementNo !== undefined) return await showStatement(db, BigInt(statementNo), path)
  const lineNo = OF_LINE.exec(path)?.[1]
  const line = lineNo === undefined ? undefined : await findLine(db, BigInt(lineNo))
  if (line === undefined) return undefined
  const said = await showDetails(db, secrets, [line.bankId])
  const view = viewLine(line, said.get(line.bankId ?? ''))
  const { state, kind, to } = line
  const given = body as Record<string, unknown>
  const would = path.endsWith('/take-back') ? takingBack(line) : assigning(line, given)
  const { replacedBy } = given
  const other = typeof replacedBy === 'string' ? await showOther(db, secrets, { replacedBy, to, given }) : {}
  return {
    ...view,
    state,
    as: kind,
    belongsTo: to,
    would: `RM ${view.amountMyr} of ${view.bookedOn} ${would}`,
    ...other,
  }
}

/** The line that is to be what the first one was taken for. */
async function showOther(
  db: Queryable,
  secrets: OperatorDeps['secrets'],
  { replacedBy, to, given }: { replacedBy: string; to: string | null; given: Record<string, unknown> },
): Promise<Record<string, unknown>> {
  const line = /^\d{1,18}$/.test(replacedBy) ? await findLine(db, BigInt(replacedBy)) : undefined
  if (line === undefined) return { replacedBy, instead: 'There is no such line: nothing is taken back.' }
  const said = await showDetails(db, secrets, [line.bankId])
  const { amountMyr, bookedOn, statement, counterparty, remittance } = viewLine(line, said.get(line.bankId ?? ''))
  const instead =
    line.state === 'unallocated'
      ? `RM ${amountMyr} of ${bookedOn} would be that of ${to}${besides(given)}.`
      : `It belongs to ${line.to ?? 'nothing yet'}: nothing is taken back.`
  const whose = {
    replacedByStatement: statement,
    replacedByCounterparty: counterparty,
    replacedByRemittance: remittance,
  }
  return { replacedBy, ...whose, instead }
}

async function showStatement(db: Queryable, statementNo: bigint, path: string) {
  const waiting = await findWaiting(db, statementNo)
  if (waiting === undefined) {
    const { bankAccount, statementId, closedOn, state } = (await findStatement(db, statementNo)) ?? {}
    return { bankAccount, statementId, closedOn, state, would: `It does not wait: nothing becomes of it.` }
  }
  const { importedAt, ...view } = viewWaiting(waiting)
  const { closingMicro, openingMicro, lineCount } = waiting
  const shown = { ...view, closing: formatAmount(closingMicro), lines: String(lineCount), takenIn: importedAt }
  const nets = `${lineCount === 1 ? '1 line' : `${lineCount} lines`} of RM ${formatAmount(closingMicro - openingMicro)} in all`
  const would = path.endsWith('/bridge') ? bridging(waiting) : `${nets} would never be booked.`
  return { ...shown, would }
}

function bridging({ openingMicro, lastStatementId, lastClosedOn, lastClosingMicro }: WaitingStatement): string {
  if (lastClosingMicro === null) return 'No statement of its account was applied yet: nothing is bridged.'
  const difference = formatAmount(openingMicro - lastClosingMicro)
  return `RM ${difference} of ${lastClosedOn} would be booked as a line that nothing explains, between ${lastStatementId} and this one, which is applied then with what follows it. Another difference is refused.`
}

function takingBack({ kind, to }: BelongingLine): string {
  if (kind === null) return 'belong to nothing any more: nothing is taken back.'
  return `would no longer be ${MEANING[kind] ?? kind} of ${to}, but unallocated.`
}

/** By what a line belongs to. */
const MEANING: Readonly<Record<string, string>> = {
  ...{ mint: 'for mints', remitter: 'for mints', fees: 'for fees', own_funds: 'own funds', own_transfer: 'a transfer' },
  ...{ payout: 'the payment', extra_payout: 'a payment once too often' },
}

function assigning({ state, amountMicro, to }: BelongingLine, body: Record<string, unknown>): string {
  if (state !== 'unallocated') return `belong to ${to ?? 'nothing yet'}: nothing is assigned.`
  const { integration, payout } = body
  if (typeof integration === 'string') {
    return `would be ${body.fees === true ? 'for fees' : 'for mints'} of ${integration}.`
  }
  if (typeof payout !== 'string') return "would be the issuer's own funds."
  return `would ${amountMicro < 0n ? 'be what paid' : 'give back'} ${payout}${besides(body)}.`
}

function besides({ charges, surplus }: Record<string, unknown>): string {
  if (typeof charges === 'string') return `, RM ${charges} of it charges that are the issuer's own cost`
  return typeof surplus === 'string' ? `, RM ${surplus} of it on top and the issuer's own` : ''
}
