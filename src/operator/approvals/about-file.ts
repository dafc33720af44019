/** What a bank file says that somebody wants taken in: whoever approves it sees what would be booked, not its bytes. */
import type { Reading } from '../../bank-files/refusal.ts'
import type { StatusReport } from '../../bank-files/status-report/report.ts'
import type { Queryable } from '../../db/database.ts'
import { sayRinggit } from '../../money.ts'
import { readBankBalances } from '../../statements/balances.sql.ts'
import type { Content } from '../../statements/read-content.ts'
import type { NewNotified, NewStatement } from '../../statements/statement.ts'
import { absolute } from '../../values/bigints.ts'
import type { OperatorDeps } from '../deps.ts'
import { sayCount } from '../say-count.ts'

/** As they are shown. */
export type Facts = Readonly<Record<string, string>>

/** So many statements are shown, and so many lines, those that move most. */
const MOST_SHOWN = 20

/** Undefined where no bank account is configured. */
export async function describeFile(
  db: Queryable,
  { readsBankFile }: Pick<OperatorDeps, 'readsBankFile'>,
  { content, asBooked }: Readonly<Record<string, unknown>>,
): Promise<Facts | undefined> {
  if (readsBankFile === undefined || typeof content !== 'string') return undefined
  const bytes = new Uint8Array(Buffer.from(content, 'base64'))
  const read: Reading<Content> = await readsBankFile({ bytes, isByHand: true, asBooked: asBooked !== undefined })
  if (!read.ok) return { would: `It would be set aside: ${read.refusal.sentence}` }
  const { definition, messageId, statements, notified, report } = read.value
  const listed = statements.slice(0, MOST_SHOWN)
  const lines = [...statements.flatMap((each) => each.lines), ...notified]
  return {
    message: `${definition} ${messageId}`,
    ...(statements.length === 0 ? {} : { newest: await describeNewest(db, statements) }),
    ...(listed.length < statements.length ? { statements: `The first ${listed.length} of ${statements.length}.` } : {}),
    ...Object.fromEntries(listed.map((each, index) => [numbered('statement', index), describeStatement(each)])),
    ...(notified.length === 0 ? {} : { notified: sumsOf(notified) }),
    ...(report === undefined ? {} : { report: describeReport(report) }),
    ...(lines.length > MOST_SHOWN ? { lines: `The ${MOST_SHOWN} of ${lines.length} lines that move most.` } : {}),
    ...Object.fromEntries(largest(lines).map((line, index) => [numbered('line', index), describeLine(line)])),
  }
}

const numbered = (name: string, index: number) => `${name}${index === 0 ? '' : ` ${index + 1}`}`

/** What the books have of its accounts: the file begins there, or waits, or is refused. */
async function describeNewest(db: Queryable, statements: readonly NewStatement[]): Promise<string> {
  const accounts = new Set(statements.map(({ bankAccount }) => bankAccount))
  const newest = (await readBankBalances(db)).filter(({ bankAccount }) => accounts.has(bankAccount))
  const said = newest.map(
    ({ bankAccount, statementId, closedOn, closingMicro }) =>
      `${bankAccount}: ${statementId} closed on ${closedOn} with ${sayRinggit(closingMicro)}`,
  )
  return said.length === 0 ? 'No statement of the account was applied yet.' : said.join('; ')
}

function describeStatement({
  bankAccount,
  statementId,
  openedOn,
  openingMicro,
  closedOn,
  closingMicro,
  lines,
}: NewStatement) {
  const [from, to] = [sayRinggit(openingMicro), sayRinggit(closingMicro)]
  return `${bankAccount}: ${statementId}, from ${from} on ${openedOn} to ${to} on ${closedOn}; ${sumsOf(lines)}`
}

function sumsOf(lines: readonly { amountMicro: bigint }[]): string {
  const said = (of: readonly { amountMicro: bigint }[], what: string) =>
    `${sayCount(of.length, what)} of ${sayRinggit(of.reduce((sum, { amountMicro }) => sum + amountMicro, 0n))}`
  const credits = lines.filter(({ amountMicro }) => amountMicro > 0n)
  const debits = lines.filter(({ amountMicro }) => amountMicro < 0n)
  return `${said(credits, 'credit')}, ${said(debits, 'debit')}`
}

type Line = Pick<NewNotified, 'amountMicro' | 'bookedOn' | 'endToEndId' | 'remittance' | 'remitterAccount'>

function largest<T extends Line>(lines: readonly T[]): T[] {
  const moved = ({ amountMicro }: T) => absolute(amountMicro)
  return lines.toSorted((one, other) => Number(moved(other) - moved(one))).slice(0, MOST_SHOWN)
}

function describeLine({ amountMicro, bookedOn, endToEndId, remittance, remitterAccount }: Line): string {
  const who = remitterAccount === null ? '' : `, ${amountMicro > 0n ? 'from' : 'to'} …${remitterAccount.slice(-4)}`
  const words = [remittance.slice(0, 200), endToEndId].filter((part) => part !== null && part !== '')
  return `${sayRinggit(amountMicro)} of ${bookedOn}${who}${words.length === 0 ? '' : `: ${words.join(', ')}`}`
}

function describeReport({ paymentFileId, status, sections }: StatusReport): string {
  const codes = sections.flatMap((section) => section.payments.map((payment) => payment.status?.code ?? 'no status'))
  const counts = [...new Set(codes)].map((code) => `${codes.filter((each) => each === code).length} ${code}`)
  return `of ${paymentFileId}${status === null ? '' : `, as a whole ${status.code}`}${counts.length === 0 ? '' : `; payments: ${counts.join(', ')}`}`
}
