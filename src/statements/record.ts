/** One file from the bank: read, checked against what is known, and recorded whole or not at all. */
import { contentHashOf } from '../bank-files/definitions.ts'
import type { Taken, Unread } from '../bank-files/folder/incoming.ts'
import type { FileRefusal, Reading } from '../bank-files/refusal.ts'
import { recogniseRepeat } from '../bank-files/repeat.ts'
import type { BankSetup } from '../bank-files/setup.ts'
import type { StatusReport } from '../bank-files/status-report/report.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { type FindTogether, notifiedApart } from './apart.ts'
import { apply, applyFollowing, isNameOf } from './chain.sql.ts'
import { findNew, RefusedFile, requireKnownName } from './new-of.ts'
import { markShown } from './notified.sql.ts'
import { type Brought, type Content, readContent } from './read-content.ts'
import type { NewStatement } from './statement.ts'
import {
  findImports,
  findNamesOf,
  insertImport,
  insertNotified,
  insertStatement,
  isFreed,
  lockRecording,
} from './store.sql.ts'

export type RecordDeps = {
  db: Database
  /** Seals who paid and who was paid. */
  secrets: SecretBox
  setup: Pick<BankSetup, 'accounts' | 'csv'>
  databaseNow: () => Promise<Date>
  /** Applies a status report in the transaction that records it, or says why nothing of it is taken. */
  applyReport: (tx: Queryable, report: StatusReport) => Promise<Reading<unknown>>
  findTogether: FindTogether
}

export type NewFile = Brought & {
  name: string
  /** Written in the transaction that records the file, or its refusal: who brought it, and what of it was left out. */
  also?: (tx: Queryable, leftOut: readonly string[]) => Promise<void>
  /** Whether a file that was brought before it has still to be taken in. */
  hasLeft?: boolean
}

/**
 * Records a file, each content once: `repeated` when it was taken before; `refused` with a reason that is kept with it.
 * @throws the database's error; nothing was recorded then, or it is not known whether it was: call it again. EarlierLeftError where an account
 *   would begin with it, and a file before it has still to be taken in; OtherNameError, OtherNumberError where the books call an account of it otherwise
 */
export async function recordFile(deps: RecordDeps, file: NewFile): Promise<Taken> {
  const { name, also = async () => {}, hasLeft = false } = file
  const contentHash = contentHashOf(file.bytes)
  const read = readContent({ setup: deps.setup, now: await deps.databaseNow() }, file)
  const refused = async (refusal: FileRefusal): Promise<Taken> => {
    const { definition = null, messageId = null } = read.ok ? read.value : {}
    await deps.db.transaction(async (tx) => {
      await insertImport(tx, { contentHash, name, definition, messageId, refusal })
      await also(tx, [])
    })
    return { result: 'refused', refusal }
  }
  if (!read.ok) return await refused(read.refusal)
  const content = read.value
  const record = (leavesOut: boolean) =>
    deps.db.transaction((tx) => recordContent(tx, deps, content, { name, contentHash, hasLeft, also, leavesOut }))
  try {
    return await record(false).catch((error) =>
      error instanceof RefusedFile && error.isTold && content.statements.length > 1
        ? record(true)
        : Promise.reject(error),
    )
  } catch (error) {
    if (error instanceof StaysLeftOut) return { result: 'repeated' }
    if (error instanceof RefusedFile) return await refused(error.refusal)
    throw error
  }
}

/** `leavesOut`: of several statements those that others have told are left out. */
type OfFile = Required<Pick<NewFile, 'name' | 'hasLeft' | 'also'>> & { contentHash: string; leavesOut: boolean }

async function recordContent(tx: Queryable, deps: RecordDeps, content: Content, file: OfFile): Promise<Taken> {
  const { name, contentHash, also } = file
  await lockRecording(tx)
  const message = { ...content, contentHash }
  const known = await findImports(tx, message)
  if (orRefuse(recogniseRepeat(known, message)) === 'same_file') return await recordLeftOut(tx, deps, content, file)
  await insertImport(tx, { ...message, name, refusal: null })
  const leftOut = [...content.leftOut, ...(await recordNew(tx, deps, content.statements, file))]
  const accounts = new Map(content.notified.map((one) => [one.accountDigest, one]))
  for (const one of accounts.values()) await requireKnownName(tx, one)
  const notified = await notifiedApart(tx, content.notified, deps.findTogether)
  if (notified.length > 0) await insertNotified(tx, deps.secrets, notified, contentHash)
  await markShown(tx)
  if (content.report !== undefined) orRefuse(await deps.applyReport(tx, content.report))
  await also(tx, leftOut)
  return { result: 'applied', ...(leftOut.length > 0 && { leftOut }) }
}

/** Carries out of the transaction that nothing more of a file that was taken in before is taken. */
class StaysLeftOut extends Error {}

/** Of a file that was taken in before: what was left out, once what had told it was withdrawn. Its own withdrawn statements stay so. */
async function recordLeftOut(tx: Queryable, deps: RecordDeps, content: Content, file: OfFile): Promise<Taken> {
  const kept = content.statements.length > 1 ? await findNamesOf(tx, file.contentHash) : []
  const isKept = ({ bankAccount, statementId }: NewStatement) =>
    kept.some((one) => one.bankAccount === bankAccount && isNameOf(one.statementId, statementId))
  const left = kept.length === 0 ? [] : content.statements.filter((each) => !isKept(each))
  // Otherwise the profile has another key for an account by now, and what is kept is not known by its name.
  const isKnown = left.length === content.statements.length - kept.length
  if (left.length === 0 || !isKnown) return { result: 'repeated' }
  // While what had told it still does, it may seem to be another one by now: of an account that is swept, and opens as it did.
  const due: NewStatement[] = []
  for (const each of left) if (await isFreed(tx, each, file.contentHash)) due.push(each)
  if (due.length === 0) return { result: 'repeated' }
  try {
    const leftOut = await recordNew(tx, deps, due, { ...file, leavesOut: true })
    await markShown(tx)
    await file.also(tx, leftOut)
    return { result: 'applied', ...(leftOut.length > 0 && { leftOut }) }
  } catch (error) {
    throw error instanceof RefusedFile ? new StaysLeftOut() : error
  }
}

/** Records what is new of several statements. @returns which were left out, and why */
async function recordNew(
  tx: Queryable,
  deps: RecordDeps,
  statements: readonly NewStatement[],
  file: OfFile,
): Promise<string[]> {
  const told = file.leavesOut ? await findTold(tx, deps, statements, file.hasLeft) : []
  await recordStatements(tx, deps, without(statements, told), file)
  await refuseNew(tx, deps, told, file.hasLeft)
  return told.map(sayLeftOut)
}

/** Records statements one by one, so that each is compared with those of its own file, too; days may come in any order there. */
async function recordStatements(
  tx: Queryable,
  deps: RecordDeps,
  statements: readonly NewStatement[],
  { contentHash, hasLeft }: OfFile,
): Promise<void> {
  for (const told of statements.toSorted(byDay)) {
    const { statement, fits } = await findNew(tx, deps, told, hasLeft)
    const statementNo = await insertStatement(tx, deps.secrets, statement, contentHash)
    if (fits === 'late') await apply(tx, statement.bankAccount, statementNo)
    await applyFollowing(tx, statement.bankAccount)
  }
}

type Told = { told: NewStatement; refused: RefusedFile }

/**
 * Of a file that is refused as a whole: its statements that others have told for certain, so that no other account waits for them.
 * @throws RefusedFile where one may have been told, or all of them were
 */
async function findTold(
  tx: Queryable,
  deps: RecordDeps,
  statements: readonly NewStatement[],
  hasLeft: boolean,
): Promise<Told[]> {
  const found: Told[] = []
  for (const told of statements) {
    const refused = await findNew(tx, deps, told, hasLeft).catch(refusedOrThrow)
    if (!(refused instanceof RefusedFile)) continue
    if (!refused.isTold) throw refused
    found.push({ told, refused })
  }
  const [first] = found
  if (first !== undefined && found.length === statements.length) throw first.refused
  return found
}

/** What seemed to be told may be another one behind the rest of its file: then nobody can say for certain. */
async function refuseNew(tx: Queryable, deps: RecordDeps, all: readonly Told[], hasLeft: boolean): Promise<void> {
  for (const { told, refused } of all)
    if (!((await findNew(tx, deps, told, hasLeft).catch(refusedOrThrow)) instanceof RefusedFile)) throw refused
}

const without = (statements: readonly NewStatement[], all: readonly Told[]) =>
  statements.filter((each) => !all.some(({ told }) => told === each))

const sayLeftOut = ({ told: { bankAccount, statementId }, refused }: Told) =>
  `${bankAccount}/${statementId}: ${refused.refusal.sentence}`

function refusedOrThrow(error: unknown): RefusedFile {
  if (error instanceof RefusedFile) return error
  throw error
}

/** Keeps why a file was not read, so that it is listed among those that were set aside. */
export async function recordUnread({ db }: Pick<RecordDeps, 'db'>, file: Unread): Promise<void> {
  await db.transaction((tx) => insertImport(tx, { ...file, definition: null, messageId: null }))
}

/** What was read, or the end of the transaction. */
function orRefuse<T>(reading: Reading<T>): T {
  if (reading.ok) return reading.value
  throw new RefusedFile(reading.refusal)
}

function byDay(one: NewStatement, other: NewStatement): number {
  const [first, second] = [one, other].map(({ closedOn, openedOn }) => `${closedOn} ${openedOn}`) as [string, string]
  return first < second ? -1 : Number(first > second)
}
