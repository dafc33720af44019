/** The line or the statement of a bank that a command would act on, as it is now, and what would become of it. */
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { formatAmount, sayRinggit } from '../../money.ts'
import type { Belonging } from '../../statements/lines.sql.ts'
import { type BelongingLine, findLine } from '../../statements/lines-of.sql.ts'
import { findPaymentsItMayBe } from '../../statements/may-be.sql.ts'
import { findReversed, listMintsPaidBy } from '../../statements/reversals.sql.ts'
import { whyNotReversed } from '../../statements/reverse.ts'
import { findWaiting, missingNumbers, type WaitingStatement } from '../../statements/waiting.sql.ts'
import { findStatement } from '../../statements/withdraw.sql.ts'
import { sayGiven } from '../amounts.ts'
import { viewLine, viewWaiting } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'
import { namesIn, serialIn } from '../parse.ts'
import { sayCount } from '../say-count.ts'
import { describeAllocation } from './about-allocation.ts'
import { withIntegration } from './about-partner.ts'
import { describePayment } from './about-payment.ts'
import type { Asked } from './asked.ts'

type Facts = Record<string, unknown>
type Secrets = OperatorDeps['secrets']

/**
 * A line, and what assigning it or taking it back would do; undefined when there is none.
 * @param command as its route names it, not as the path does: there a letter written as `%62`, or a query, would make one act look like the other
 */
export async function describeLine(
  db: Queryable,
  secrets: Secrets,
  command: string,
  { params: { lineId = '' }, body }: Asked,
): Promise<Facts | undefined> {
  const line = await findNumbered(lineId, (lineNo) => findLine(db, lineNo))
  if (line === undefined) return undefined
  const said = await showDetails(db, secrets, [line.bankId])
  const view = viewLine(line, said.get(line.bankId ?? ''))
  const { state, kind, to } = line
  const allocation =
    command === 'bank unallocated allocate' ? await describeAllocation(db, secrets, line, body) : undefined
  const would = allocation?.would ?? (command === 'bank lines take-back' ? takingBack(line) : assigning(line, body))
  const { replacedBy } = body
  const other = typeof replacedBy === 'string' ? await describeOther(db, secrets, { replacedBy, to, body }) : {}
  const reversed = typeof body.reverses === 'string' ? await describeReversed(db, secrets, line, body.reverses) : {}
  return {
    ...view,
    state,
    as: kind,
    belongsTo: to,
    ...allocation,
    would: `${sayRinggit(line.amountMicro)} of ${view.bookedOn} ${would}`,
    ...(state === 'unallocated' ? await describePayments(db, line, body) : {}),
    ...(await describePayout(db, line, body)),
    ...(typeof body.integration === 'string' ? await withIntegration(db, body.integration) : {}),
    ...other,
    ...reversed,
  }
}

/** The credit that a debit is to reverse, and what that is for those whom it has paid. */
async function describeReversed(
  db: Queryable,
  secrets: Secrets,
  debit: BelongingLine,
  reverses: string,
): Promise<Facts> {
  const credit = await findNumbered(reverses, (lineNo) => findLine(db, lineNo))
  const reversed = credit && (await findReversed(db, credit.lineNo))
  if (credit === undefined || reversed === undefined)
    return { reverses, reversal: 'There is no such line: nothing is reversed.' }
  const said = await showDetails(db, secrets, [credit.bankId])
  const { bookedOn, statement, counterparty, remittance } = viewLine(credit, said.get(credit.bankId ?? ''))
  const mints = await listMintsPaidBy(db, credit.lineNo)
  const part = -debit.amountMicro === credit.amountMicro ? '' : `, ${sayRinggit(-debit.amountMicro)} of that`
  const awaited = mints.length === 0 ? '' : `, and these mints would wait for it by name: ${mints.join(', ')}`
  return {
    reverses,
    reversesStatement: statement,
    reversesCounterparty: counterparty,
    reversesRemittance: remittance,
    reversal:
      whyNotReversed(debit, reversed) ??
      `${sayRinggit(credit.amountMicro)} of ${bookedOn} came in for ${credit.to}${part}. It would owe that again${awaited}.`,
    ...(await withIntegration(db, credit.to)),
  }
}

/** The payout that the line is to be about, and which payment of it that would be. */
async function describePayout(db: Queryable, line: BelongingLine, { payout, claim }: Facts): Promise<Facts> {
  const named = payout ?? claim
  if (typeof named !== 'string') return {}
  const as = payout === undefined ? 'claim' : 'payout'
  const described = await describePayment(db, line, { payoutId: named, as })
  return described === undefined ? {} : { payout: described }
}

/** What a debit may be the payment of, where the bank has left our ids out: called something else, it no longer speaks against paying twice. */
async function describePayments(
  db: Queryable,
  { lineNo }: BelongingLine,
  { payout, payouts, with: others }: Facts,
): Promise<Facts> {
  const lineNos = [lineNo, ...namesIn(others).flatMap((name) => serialIn(name) ?? [])]
  const butNot = [...(typeof payout === 'string' ? [payout] : []), ...namesIn(payouts)]
  const found = new Set<string>()
  for (const each of lineNos) for (const payoutId of await findPaymentsItMayBe(db, each, butNot)) found.add(payoutId)
  if (found.size === 0) return {}
  const amount = lineNos.length === 1 ? 'this amount' : 'the amount of one of these lines'
  const count = found.size === 1 ? 'that payment' : 'one of these payments'
  return {
    mayBe: `The debit of ${[...found].join(' or ')}: of ${amount}, sent or paid, and shown by no statement. Called something else, ${count} can then be called unpaid, and be made twice.`,
  }
}

/** What somebody has asked for by a number that may be none. */
async function findNumbered<T>(text: string, find: (serial: bigint) => Promise<T | undefined>): Promise<T | undefined> {
  const serial = serialIn(text)
  return serial === undefined ? undefined : await find(serial)
}

/** The line that is to be what the first one was taken for. */
async function describeOther(
  db: Queryable,
  secrets: Secrets,
  { replacedBy, to, body }: { replacedBy: string; to: string | null; body: Facts },
): Promise<Facts> {
  const line = await findNumbered(replacedBy, (lineNo) => findLine(db, lineNo))
  if (line === undefined) return { replacedBy, instead: 'There is no such line: nothing is reversed.' }
  const said = await showDetails(db, secrets, [line.bankId])
  const { bookedOn, statement, counterparty, remittance } = viewLine(line, said.get(line.bankId ?? ''))
  const instead =
    line.state === 'unallocated'
      ? `${sayRinggit(line.amountMicro)} of ${bookedOn} would be that of ${to}${besides(body)}.`
      : `It belongs to ${line.to ?? 'nothing yet'}: nothing is taken back.`
  const whose = {
    replacedByStatement: statement,
    replacedByCounterparty: counterparty,
    replacedByRemittance: remittance,
  }
  return { replacedBy, ...whose, instead }
}

/** A statement, and what withdrawing it or bridging the gap before it would do. @param command as of `describeLine` */
export async function describeStatement(
  db: Queryable,
  command: string,
  { params: { statementNo = '' }, body }: Asked,
): Promise<Facts> {
  const waiting = await findNumbered(statementNo, (named) => findWaiting(db, named))
  if (waiting === undefined) {
    const found = await findNumbered(statementNo, (named) => findStatement(db, named))
    const { bankAccount, statementId, closedOn, state } = found ?? {}
    return { bankAccount, statementId, closedOn, state, would: `It does not wait: nothing becomes of it.` }
  }
  const { importedAt, ...view } = viewWaiting(waiting)
  const { closingMicro, openingMicro, lineCount } = waiting
  const shown = { ...view, closing: formatAmount(closingMicro), lines: String(lineCount), takenIn: importedAt }
  const nets = `${sayCount(lineCount, 'line')} of ${sayRinggit(closingMicro - openingMicro)} in all`
  const would = command === 'bank statements bridge' ? bridging(waiting, body) : `${nets} would never be booked.`
  return { ...shown, would }
}

function bridging(waiting: WaitingStatement, { parts }: Asked['body']): string {
  const { openingMicro, lastStatementId, lastClosedOn, lastClosingMicro } = waiting
  if (lastClosingMicro === null) return 'No statement of its account was applied yet: nothing is bridged.'
  const numbers = missingNumbers(waiting)
  if (openingMicro === lastClosingMicro && numbers !== '')
    return `No ringgit would be booked: it says that no statement of the bank has ${numbers}, between ${lastStatementId} and this one, which is applied then with what follows it. One that comes after all is taken in late, but not where it is of the day of this one.`
  const difference = sayRinggit(openingMicro - lastClosingMicro)
  const lines = typeof parts === 'string' ? `lines of ${parts} that nothing explains` : 'a line that nothing explains'
  return `${difference} of ${lastClosedOn} would be booked as ${lines}, between ${lastStatementId} and this one, which is applied then with what follows it. Another difference is refused.`
}

function takingBack({ kind, to }: BelongingLine): string {
  if (kind === null) return 'belong to nothing any more: nothing is taken back.'
  return `would no longer be ${MEANING[kind]} of ${to}, but unallocated.`
}

/** By what a line belongs to. */
export const MEANING: Readonly<Record<Belonging['kind'], string>> = {
  mint: 'for mints',
  remitter: 'for mints',
  fees: 'for fees',
  own_funds: 'own funds',
  own_transfer: 'a transfer',
  payout: 'the payment',
  extra_payout: 'a payment once too often',
  claim: 'what is claimed back',
}

function assigning({ state, amountMicro, to }: BelongingLine, body: Facts): string {
  if (state !== 'unallocated') return `belong to ${to ?? 'nothing yet'}: nothing is assigned.`
  const { integration, payout, claim } = body
  if (typeof integration === 'string') {
    return `would be ${body.fees === true ? 'for fees' : 'for mints'} of ${integration}.`
  }
  if (typeof claim === 'string')
    return amountMicro < 0n
      ? `would be what paid ${claim} once more, to be claimed back${besides(body)}.`
      : `would give back what was claimed of ${claim}${besides(body)}.`
  if (typeof body.reverses === 'string') return `would reverse line ${body.reverses}.`
  if (typeof payout !== 'string') return "would be the issuer's own funds."
  return `would ${amountMicro < 0n ? 'be what paid' : 'give back'} ${payout}${besides(body)}.`
}

function besides({ charges, surplus }: Facts): string {
  if (typeof charges === 'string') return `, ${sayGiven(charges)} of it charges that are the issuer's own cost`
  return typeof surplus === 'string' ? `, ${sayGiven(surplus)} of it on top and the issuer's own` : ''
}
