/** One file from the bank: read, checked against what is known, and recorded whole or not at all. */
import { contentHashOf } from '../bank-files/definitions.ts'
import type { Taken, Unread } from '../bank-files/folder/incoming.ts'
import { type FileRefusal, FileWaitsError, type Reading } from '../bank-files/refusal.ts'
import { recogniseRepeat } from '../bank-files/repeat.ts'
import type { BankSetup } from '../bank-files/setup.ts'
import type { StatusReport } from '../bank-files/status-report/report.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { apart, type FindTogether, notifiedApart } from './apart.ts'
import { beyondTold } from './beyond.sql.ts'
import { apply, applyFollowing, findLast, findSame, followsHow, nameOf } from './chain.sql.ts'
import { isAllElse, isCovered } from './late.sql.ts'
import { markShown } from './notified.sql.ts'
import { type Brought, readContent } from './read-content.ts'
import { isOverlapping, isRepeated } from './repeated.sql.ts'
import type { NewStatement } from './statement.ts'
import { findImports, insertImport, insertNotified, insertStatement, lockRecording } from './store.sql.ts'

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
  /** Written in the transaction that records the file, or its refusal: who brought it. */
  also?: (tx: Queryable) => Promise<void>
  /** Whether a file that was brought before it has still to be taken in. */
  hasLeft?: boolean
}

/** What comes before the first statement of an account is refused for good, so that the first one must be the first that the bank has sent. */
class EarlierLeftError extends FileWaitsError {
  constructor(bankAccount: string) {
    super(`It would be the first statement of ${bankAccount}, and a file before it was not taken in yet.`)
  }
}

/** Carries a refusal out of the transaction, which it undoes. `isTold`: of a statement of which nothing is new, so that it can be left out. */
class RefusedFile extends Error {
  readonly refusal: FileRefusal
  readonly isTold: boolean
  constructor(refusal: FileRefusal, isTold = false) {
    super(refusal.code)
    this.refusal = refusal
    this.isTold = isTold
  }
}

/**
 * Records a file, each content once: `repeated` when it was taken before; `refused` with a reason that is kept with it.
 * @throws the database's error; nothing was recorded then, or it is not known whether it was: call it again. EarlierLeftError where an account
 *   would begin with it, and a file before it has still to be taken in
 */
export async function recordFile(deps: RecordDeps, file: NewFile): Promise<Taken> {
  const { name, also = async () => {}, hasLeft = false } = file
  const contentHash = contentHashOf(file.bytes)
  const read = readContent({ setup: deps.setup, now: await deps.databaseNow() }, file)
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
      const message = { ...content, contentHash }
      const known = await findImports(tx, message)
      if (orRefuse(recogniseRepeat(known, message)) === 'same_file') return { result: 'repeated' }
      await insertImport(tx, { ...message, name, refusal: null })
      const told = await recordStatements(tx, deps, content.statements, { contentHash, hasLeft })
      const leftOut = [...content.leftOut, ...told]
      const notified = await notifiedApart(tx, content.notified, deps.findTogether)
      if (notified.length > 0) await insertNotified(tx, deps.secrets, notified, contentHash)
      await markShown(tx)
      if (content.report !== undefined) orRefuse(await deps.applyReport(tx, content.report))
      await also(tx)
      return { result: 'applied', ...(leftOut.length > 0 && { leftOut }) }
    })
  } catch (error) {
    if (error instanceof RefusedFile) return await refused(error.refusal)
    throw error
  }
}

type OfFile = { contentHash: string; hasLeft: boolean }

/**
 * Records the statements of a file one by one, so that each is compared with those of its own file, too; days may come in any order there. Where
 * others have told one of several, nothing of that one is taken again, and no other account waits for it.
 * @returns which were left out, and why
 */
async function recordStatements(
  tx: Queryable,
  deps: RecordDeps,
  statements: readonly NewStatement[],
  { contentHash, hasLeft }: OfFile,
): Promise<string[]> {
  const leftOut = new Map<NewStatement, RefusedFile>()
  for (const told of statements.length > 1 ? statements : []) {
    const refused = await findNew(tx, deps, told, hasLeft).catch(refusedOrThrow)
    if (refused instanceof RefusedFile && refused.isTold) leftOut.set(told, refused)
  }
  const [first] = leftOut.values()
  if (first !== undefined && leftOut.size === statements.length) throw first
  for (const told of statements.filter((each) => !leftOut.has(each)).toSorted(byDay)) {
    const { statement, fits } = await findNew(tx, deps, told, hasLeft)
    const statementNo = await insertStatement(tx, deps.secrets, statement, contentHash)
    if (fits === 'late') await apply(tx, statement.bankAccount, statementNo)
    await applyFollowing(tx, statement.bankAccount)
  }
  return [...leftOut].map(
    ([{ bankAccount, statementId }, { refusal }]) => `${bankAccount}/${statementId}: ${refusal.sentence}`,
  )
}

function refusedOrThrow(error: unknown): RefusedFile {
  if (error instanceof RefusedFile) return error
  throw error
}

/** What is new of a statement, and whether it fits where it is. */
async function findNew(tx: Queryable, { findTogether }: RecordDeps, told: NewStatement, hasLeft: boolean) {
  const named = { ...told, statementId: await nameOf(tx, told) }
  const statement = await refuseTold(tx, named, findTogether)
  return { statement, fits: await refuseCovered(tx, { statement, told }, hasLeft) }
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

/** @param isTold certainly, so that what else the file says may count without it */
const repeated = (sentence: string, isTold: boolean) => new RefusedFile({ code: 'repeated', sentence }, isTold)

/**
 * What is new of a statement that begins as others did: only the beginning of what they have said is nothing. They may have told in one sum what
 * can be taken apart by now.
 */
async function refuseTold(tx: Queryable, told: NewStatement, find: FindTogether): Promise<NewStatement> {
  const parted = await apart(tx, told, find)
  for (const each of parted === told ? [told] : [parted, told]) {
    const beyond = await beyondTold(tx, each)
    if (beyond === 'told')
      throw repeated(
        `Other statements, taken in before or in the file, have said all that it says up to ${told.closedOn}.`,
        true,
      )
    if (beyond !== each) return await apart(tx, beyond, find)
  }
  return parted
}

/**
 * A statement that says again what another has said would be booked twice.
 * @param one `told`: with what was told before, where something is new of it
 * @returns `late` of one that fits where it is, however alike others are
 */
async function refuseCovered(
  tx: Queryable,
  { statement, told }: { statement: NewStatement; told: NewStatement },
  hasLeft: boolean,
): Promise<'late' | undefined> {
  const same = await findSame(tx, statement)
  if (same !== undefined)
    throw repeated(
      'A statement with this id or content was taken in before, or is in the file twice.',
      same.digest === statement.digest,
    )
  const last = await findLast(tx, statement.bankAccount)
  if (last === undefined && hasLeft) throw new EarlierLeftError(statement.bankAccount)
  const how = followsHow(last, statement)
  if (how === 'late' && (await isAllElse(tx, statement, told))) return 'late'
  // What is new of a late one fits only where it comes to nothing.
  const late = statement.openingMicro === statement.closingMicro ? statement : told
  if (how === 'late' && (await isCovered(tx, late)))
    throw repeated(
      `The statement closes on ${statement.closedOn}: its days are covered already, or are before the first statement.`,
      false,
    )
  if (await isRepeated(tx, statement, how))
    throw repeated(
      `Other statements, taken in before or in the file, open and close as this one of ${statement.closedOn} does.`,
      true,
    )
  if (how === 'follows' && last !== undefined && (await isOverlapping(tx, statement, last)))
    throw repeated(
      `It repeats lines of ${last.statementId} (closed on ${last.closedOn}): ask for one that begins after that.`,
      false,
    )
  return undefined
}
