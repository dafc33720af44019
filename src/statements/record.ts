/** One file from the bank: read, checked against what is known, and recorded whole or not at all. */
import { readCsvStatement } from '../bank-files/csv/read-csv.ts'
import { contentHashOf } from '../bank-files/definitions.ts'
import type { Taken } from '../bank-files/folder/incoming.ts'
import { type BankFile, readBankFile } from '../bank-files/read-bank-file.ts'
import { catchRefusal, type FileRefusal, type Reading, refuse } from '../bank-files/refusal.ts'
import { recogniseRepeat } from '../bank-files/repeat.ts'
import { accountRulesOf, type BankSetup, keyOfAccount } from '../bank-files/setup.ts'
import type { StatementFile } from '../bank-files/statement/statement.ts'
import type { StatusReport } from '../bank-files/status-report/report.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets.ts'
import { applyFollowing, findLast, findSame, followsHow } from './chain.sql.ts'
import { isCovered } from './late.sql.ts'
import { markShown } from './notified.sql.ts'
import { isOverlapping, isRepeated } from './repeated.sql.ts'
import { type NewNotified, type NewStatement, notifiedOf, statementOf } from './statement.ts'
import { findImports, insertImport, insertNotified, insertStatement, lockRecording } from './store.sql.ts'

export type RecordDeps = {
  db: Database
  /** Seals who paid and who was paid. */
  secrets: SecretBox
  setup: Pick<BankSetup, 'accounts' | 'csv'>
  /** Applies a status report in the transaction that records it, or says why nothing of it is taken. */
  applyReport: (tx: Queryable, report: StatusReport) => Promise<Reading<unknown>>
}

export type NewFile = {
  name: string
  bytes: Uint8Array
  /** Entries count as the bank booked them, although their transactions do not make their amounts: an operator says so. */
  asBooked?: boolean
  /** Written in the transaction that records the file, or its refusal: who brought it. */
  also?: (tx: Queryable) => Promise<void>
}

type Content = {
  definition: string
  messageId: string
  statements: readonly NewStatement[]
  notified: readonly NewNotified[]
  report: StatusReport | undefined
}

/** Carries a refusal out of the transaction, which it undoes. */
class RefusedFile extends Error {
  readonly refusal: FileRefusal
  constructor(refusal: FileRefusal) {
    super(refusal.code)
    this.refusal = refusal
  }
}

/**
 * Records a file, each content once: `repeated` when it was taken before; `refused` with a reason that is kept with it.
 * @throws the database's error; nothing was recorded then, or it is not known whether it was: call it again
 */
export async function recordFile(deps: RecordDeps, file: NewFile): Promise<Taken> {
  const { name, asBooked = false, also = async () => {} } = file
  const contentHash = contentHashOf(file.bytes)
  const read = readContent(deps.setup, file.bytes, asBooked)
  const refused = async (refusal: FileRefusal): Promise<Taken> => {
    const { definition = null, messageId = null } = read.ok ? read.value : {}
    await deps.db.transaction(async (tx) => {
      await insertImport(tx, { contentHash, name, definition, messageId, refusal })
      await also(tx)
    })
    return { result: 'refused', refusal }
  }
  if (!read.ok) return await refused(read.refusal)
  const content = read.value
  try {
    return await deps.db.transaction(async (tx): Promise<Taken> => {
      await lockRecording(tx)
      const known = await findImports(tx, contentHash, content.messageId)
      if (taken(recogniseRepeat(known, { ...content, contentHash })) === 'same_file') return { result: 'repeated' }
      await insertImport(tx, { ...content, contentHash, name, refusal: null })
      // One by one, so that each is compared with those of its own file, too; days may come in any order there.
      for (const statement of content.statements.toSorted(byDay)) {
        await refuseCovered(tx, statement)
        await insertStatement(tx, deps.secrets, statement, contentHash)
        await applyFollowing(tx, statement.bankAccount)
      }
      if (content.notified.length > 0) await insertNotified(tx, deps.secrets, content.notified, contentHash)
      await markShown(tx)
      if (content.report !== undefined) taken(await deps.applyReport(tx, content.report))
      await also(tx)
      return { result: 'applied' }
    })
  } catch (error) {
    if (error instanceof RefusedFile) return await refused(error.refusal)
    throw error
  }
}

function taken<T>(reading: Reading<T>): T {
  if (reading.ok) return reading.value
  throw new RefusedFile(reading.refusal)
}

function byDay(one: NewStatement, other: NewStatement): number {
  const [first, second] = [one, other].map(({ closedOn, openedOn }) => `${closedOn} ${openedOn}`) as [string, string]
  return first < second ? -1 : Number(first > second)
}

/** A statement that says again what another has said would be booked twice. */
async function refuseCovered(tx: Queryable, statement: NewStatement): Promise<void> {
  const repeated = (sentence: string) => new RefusedFile({ code: 'repeated', sentence })
  if ((await findSame(tx, statement)) !== undefined)
    throw repeated('A statement of this id or content was taken before, or comes twice in the file.')
  const last = await findLast(tx, statement.bankAccount)
  const how = followsHow(last, statement)
  if (how === 'late' && (await isCovered(tx, statement)))
    throw repeated(
      `The statement closes on ${statement.closedOn}: its days were taken, or are before the first statement.`,
    )
  if (await isRepeated(tx, statement, how))
    throw repeated(`Other statements, taken before or in the file, begin and end as this one of ${statement.closedOn}.`)
  if (how === 'follows' && last !== undefined && (await isOverlapping(tx, statement, last)))
    throw repeated(
      `It says again what ${last.statementId} (closed on ${last.closedOn}) has said; ask for one that begins after it.`,
    )
}

/** XML begins with `<`, after a byte order mark perhaps; anything else is read as CSV. */
function readContent(setup: RecordDeps['setup'], bytes: Uint8Array, asBooked: boolean): Reading<Content> {
  const start = Buffer.from(bytes.subarray(0, 100))
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (start.startsWith('<')) {
    const read = readBankFile(bytes, { ...accountRulesOf(setup), asBooked })
    return read.ok ? catchRefusal(() => contentOf(setup, read.value)) : read
  }
  return catchRefusal(() => {
    if (setup.csv === undefined)
      return refuse('unknown_message', 'The file is not XML, and the bank profile has no "csv".')
    const csv = readCsvStatement(bytes, setup.csv, accountRulesOf(setup))
    return csv.ok
      ? contentOf(setup, { kind: 'statement', file: csv.value })
      : refuse(csv.refusal.code, csv.refusal.sentence)
  })
}

type AnyFile = BankFile | { kind: 'statement'; file: StatementFile }

function contentOf(setup: RecordDeps['setup'], read: AnyFile): Content {
  const nothing = { statements: [], notified: [], report: undefined }
  switch (read.kind) {
    case 'status_report':
      return { ...nothing, ...read.report.identity, report: read.report }
    case 'statement':
      return { ...nothing, ...read.file.identity, statements: statementsIn(setup, read.file) }
    case 'notification': {
      const notified = read.file.notifications.flatMap((one, index) =>
        notifiedOf(one, keyOfAccount(setup, one.account), index + 1),
      )
      return { ...nothing, ...read.file.identity, notified }
    }
  }
}

function statementsIn(setup: RecordDeps['setup'], { statements }: StatementFile): NewStatement[] {
  return statements.map((statement) => statementOf(statement, keyOfAccount(setup, statement.account)))
}
