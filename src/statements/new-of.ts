/** What is new of a statement, and where it fits; or why nothing of it is taken in. */
import { type FileRefusal, FileWaitsError } from '../bank-files/refusal.ts'
import type { Queryable } from '../db/database.ts'
import { apart, type FindTogether } from './apart.ts'
import { beyondTold } from './beyond.sql.ts'
import { findLast, findSame, followsHow, nameOf } from './chain.sql.ts'
import { isAllElse, isCovered } from './late.sql.ts'
import { findOtherName, isOfOtherNumbers } from './other-name.sql.ts'
import { isOverlapping, isRepeated } from './repeated.sql.ts'
import type { NewStatement } from './statement.ts'

/** What comes before the first statement of an account is refused for good, so that the first one must be the first that the bank has sent. */
class EarlierLeftError extends FileWaitsError {
  constructor(bankAccount: string) {
    super(`It would be the first statement of ${bankAccount}, and a file before it was not taken in yet.`)
  }
}

/** Its money would count once under each name, in the reserve and in what is proven of it. */
class OtherNameError extends FileWaitsError {
  constructor(bankAccount: string, known: NonNullable<Awaited<ReturnType<typeof findOtherName>>>) {
    const ofProfile = `The bank profile calls the account ${bankAccount}, and`
    super(
      known.isApplied
        ? `${ofProfile} the books ${known.bankAccount}: give it that "key" again in the bank profile of every process.`
        : `${ofProfile} statement ${known.statementNo}, which waits, calls it ${known.bankAccount}. Where the profile is right, run "coin bank statements withdraw ${known.statementNo} --reason …"; otherwise give the account that "key" in the bank profile of every process.`,
    )
  }
}

/** Of one of which no statement came yet: as money that has come since on the account of that name it would count beside its own first statement. */
class OtherNumberError extends FileWaitsError {
  constructor(bankAccount: string) {
    super(
      `The books know ${bankAccount} by another number. Where the bank has given it a new one, this is taken in after the first statement with that; otherwise give each account its own "key" in the bank profile of every process.`,
    )
  }
}

/** @throws OtherNameError where the books have the account under another name */
async function requireOwnName(tx: Queryable, told: Pick<NewStatement, 'bankAccount' | 'accountDigest'>): Promise<void> {
  const known = await findOtherName(tx, told)
  if (known !== undefined) throw new OtherNameError(told.bankAccount, known)
}

/**
 * The same of what is notified, which no balance says to be of that account.
 * @throws OtherNameError, OtherNumberError
 */
export async function requireKnownName(tx: Queryable, told: Parameters<typeof requireOwnName>[1]): Promise<void> {
  await requireOwnName(tx, told)
  if (await isOfOtherNumbers(tx, told)) throw new OtherNumberError(told.bankAccount)
}

/** Carries a refusal out of the transaction, which it undoes. `isTold`: of a statement of which nothing is new, so that it can be left out. */
export class RefusedFile extends Error {
  readonly refusal: FileRefusal
  readonly isTold: boolean
  constructor(refusal: FileRefusal, isTold = false) {
    super(refusal.code)
    this.refusal = refusal
    this.isTold = isTold
  }
}

/**
 * What is new of a statement, and whether it fits where it is.
 * @throws RefusedFile where nothing is, or nobody can say what; EarlierLeftError; OtherNameError
 */
export async function findNew(
  tx: Queryable,
  { findTogether }: { findTogether: FindTogether },
  told: NewStatement,
  hasLeft: boolean,
): Promise<{ statement: NewStatement; fits: 'late' | undefined }> {
  await requireOwnName(tx, told)
  const named = { ...told, statementId: await nameOf(tx, told) }
  const statement = await refuseTold(tx, named, findTogether)
  return { statement, fits: await refuseCovered(tx, { statement, told }, hasLeft) }
}

/** @param how.isTold certainly, so that what else the file says may count without it */
const repeated = (sentence: string, { isTold }: { isTold: boolean }) =>
  new RefusedFile({ code: 'repeated', sentence }, isTold)

/**
 * What is new of a statement that begins as others did. They may have told in one sum what can be taken apart by now, so both forms are compared.
 * @throws RefusedFile where it says no more than they have, or only the beginning of that
 */
async function refuseTold(tx: Queryable, told: NewStatement, find: FindTogether): Promise<NewStatement> {
  const parted = await apart(tx, told, find)
  for (const each of parted === told ? [told] : [parted, told]) {
    const beyond = await beyondTold(tx, each)
    if (beyond === 'told')
      throw repeated(
        `Other statements, taken in before or in the file, have said all that it says up to ${told.closedOn}.`,
        { isTold: true },
      )
    if (beyond !== each) return await apart(tx, beyond, find)
  }
  return parted
}

/**
 * A statement that says again what another has said would be booked twice.
 * @param of.told with what was told before, where something is new of it
 * @returns `late` of one that fits where it is, however alike others are
 */
async function refuseCovered(
  tx: Queryable,
  { statement, told }: { statement: NewStatement; told: NewStatement },
  hasLeft: boolean,
): Promise<'late' | undefined> {
  const same = await findSame(tx, statement)
  if (same !== undefined)
    throw repeated('A statement with this id or content was taken in before, or is in the file twice.', {
      isTold: same.digest === statement.digest,
    })
  const last = await findLast(tx, statement.bankAccount)
  if (last === undefined && hasLeft) throw new EarlierLeftError(statement.bankAccount)
  const how = followsHow(last, statement)
  if (how === 'late' && (await isAllElse(tx, statement, told))) return 'late'
  // What is new of a late one fits only where it comes to nothing.
  const late = statement.openingMicro === statement.closingMicro ? statement : told
  if (how === 'late' && (await isCovered(tx, late)))
    throw repeated(
      `The statement closes on ${statement.closedOn}: its days are covered already, or are before the first statement.`,
      { isTold: false },
    )
  const again = await isRepeated(tx, statement, how)
  if (again !== 'no')
    throw repeated(
      `Other statements, taken in before or in the file, open and close as this one of ${statement.closedOn} does.`,
      { isTold: again === 'certainly' },
    )
  if (how === 'follows' && last !== undefined && (await isOverlapping(tx, statement, last)))
    throw repeated(
      `It repeats lines of ${last.statementId} (closed on ${last.closedOn}): ask for one that begins after that.`,
      { isTold: false },
    )
  return undefined
}
