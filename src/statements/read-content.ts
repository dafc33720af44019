/** The bytes of a bank file, XML or CSV, as what is to be recorded; or why nothing of it is taken (pure). */
import { readCsvStatement } from '../bank-files/csv/read-csv.ts'
import { addDays, BANK_TIME_ZONE, localTime } from '../bank-files/day.ts'
import { type BankFile, readBankFile } from '../bank-files/read-bank-file.ts'
import { catchRefusal, type Reading, refuse } from '../bank-files/refusal.ts'
import { accountRulesOf, type BankSetup, keyOfAccount, ownAccountOf } from '../bank-files/setup.ts'
import type { NotificationFile, StatementFile } from '../bank-files/statement/statement.ts'
import type { StatusReport } from '../bank-files/status-report/report.ts'
import { type NewNotified, type NewStatement, notifiedOf, type OwnAccountOf, statementOf } from './statement.ts'

/** A file as it is to be recorded. */
export type Content = {
  definition: string
  messageId: string
  /** When the bank wrote it, as it says; null of a CSV. */
  createdAt: string | null
  statements: readonly NewStatement[]
  /** What else the file is about, and why it does not count. */
  leftOut: readonly string[]
  notified: readonly NewNotified[]
  report: StatusReport | undefined
}

/** A file, and how it came. */
export type Brought = {
  bytes: Uint8Array
  /** Entries count as the bank booked them, although their transactions do not make their amounts, or two say the same: an operator says so. */
  asBooked?: boolean
  /** Brought by an operator, who may export a CSV at any hour; what the bank's transport brings is its own end of the day. */
  isByHand?: boolean
}

/** `now`: by it days are over. The database's, which all processes share: what is refused stays refused, and what is taken in stays. */
export type Reads = { setup: Pick<BankSetup, 'accounts' | 'csv'>; now: Date }

/** XML begins with `<`, after a byte order mark perhaps; anything else is read as CSV. */
export function readContent(
  { setup, now }: Reads,
  { bytes, asBooked = false, isByHand = false }: Brought,
): Reading<Content> {
  const today = localTime(BANK_TIME_ZONE, now).day
  const start = Buffer.from(bytes.subarray(0, 100))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (start.startsWith('<')) {
    const read = readBankFile(bytes, { ...accountRulesOf(setup), asBooked })
    return read.ok ? catchRefusal(() => contentOf(setup, read.value, today)) : read
  }
  return catchRefusal(() => {
    if (setup.csv === undefined)
      return refuse('unknown_message', 'The file is not XML, and the bank profile has no "csv".')
    const csv = readCsvStatement(bytes, setup.csv, accountRulesOf(setup))
    if (!csv.ok) return refuse(csv.refusal.code, csv.refusal.sentence)
    if (isByHand) refuseUnended(csv.value, today)
    return contentOf(setup, { kind: 'statement', file: csv.value }, today)
  })
}

/** Of a day that is not over a CSV tells the beginning, and the bank's own statement of that day would follow nothing. */
function refuseUnended({ statements }: StatementFile, today: string): void {
  const open = statements.find(({ closedOn }) => closedOn >= today)
  if (open !== undefined)
    refuse('not_complete', `The CSV ends on ${open.closedOn}, which is not over yet: export it again when it is.`)
}

/**
 * A statement that closes on a day to come would be the newest one until then: all that follow are about days that it covers, and nothing
 * that is applied is ever withdrawn. One day is left to a bank whose own day ends in the evening.
 */
function refuseToCome({ statements }: StatementFile, today: string): void {
  const early = statements.find(({ closedOn }) => closedOn > addDays(today, 1))
  if (early !== undefined)
    refuse('wrong_content', `A statement closes on ${early.closedOn}, which is in the future: is its date right?`)
}

/** A bank books what it has notified within days; what is dated later would count as money at the bank until then. */
const NOTIFIED_AHEAD_DAYS = 14

function refuseFarAhead({ notifications }: NotificationFile, today: string): void {
  const through = addDays(today, NOTIFIED_AHEAD_DAYS)
  const ahead = notifications.flatMap(({ lines }) => lines).find(({ booked, bookedOn }) => booked && bookedOn > through)
  if (ahead !== undefined)
    refuse('wrong_content', `An entry is booked on ${ahead.bookedOn}, more than two weeks from now: is its date right?`)
}

type AnyFile = BankFile | { kind: 'statement'; file: StatementFile }

function contentOf(setup: Reads['setup'], read: AnyFile, today: string): Content {
  const nothing = { statements: [], leftOut: [], notified: [], report: undefined }
  switch (read.kind) {
    case 'status_report':
      return { ...nothing, ...read.report.identity, report: read.report }
    case 'statement':
      refuseToCome(read.file, today)
      return { ...nothing, ...read.file.identity, ...statementsIn(setup, read.file) }
    case 'notification': {
      refuseFarAhead(read.file, today)
      const notified = read.file.notifications.flatMap((one, index) =>
        notifiedOf(one, {
          bankAccount: keyOfAccount(setup, one.account),
          notification: index + 1,
          ownAccountOf: ownAccountsIn(setup),
        }),
      )
      return { ...nothing, ...read.file.identity, notified, leftOut: read.file.leftOut }
    }
  }
}

function statementsIn(setup: Reads['setup'], { statements, leftOut = [] }: StatementFile) {
  const ownAccountOf = ownAccountsIn(setup)
  const ours = statements.map((one) => statementOf(one, keyOfAccount(setup, one.account), ownAccountOf))
  return { statements: ours, leftOut }
}

const ownAccountsIn =
  (setup: Reads['setup']): OwnAccountOf =>
  (number, bankAccount) =>
    ownAccountOf(setup, number, bankAccount)
