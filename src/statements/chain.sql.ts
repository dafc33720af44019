/** The statements of an account follow one another: each opens with the balance with which the last one closed. */
import { type Continuation, continuationOf } from '../bank-files/statement/statement.ts'
import type { Queryable } from '../db/database.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { isPartOf, readLines } from './beyond.sql.ts'
import { findLateThatFit } from './late.sql.ts'
import { isOverlapping } from './repeated.sql.ts'
import type { NewStatement } from './statement.ts'

export type Last = {
  position: bigint
  statementId: string
  sequence: string | null
  closedOn: string
  closingMicro: bigint
}

/** The newest applied statement of an account. Late ones are applied after newer ones, so the day says which is newest. */
export async function findLast(tx: Queryable, bankAccount: string): Promise<Last | undefined> {
  const [row] = await tx.query<{
    position: bigint
    statement_id: string
    sequence: string | null
    closed_on: string
    closing_micro: bigint
  }>(
    `select position, statement_id, sequence, closed_on::text as closed_on, closing_micro from bank_statements s
     where bank_account = $1 and position is not null order by s.closed_on desc, position desc limit 1`,
    [bankAccount],
  )
  if (row === undefined) return undefined
  const { position, sequence, statement_id: statementId, closed_on: closedOn, closing_micro: closingMicro } = row
  return { position, statementId, sequence, closedOn, closingMicro }
}

/** How a statement follows the last one of its account. */
export function followsHow(
  last: Last | undefined,
  next: Pick<NewStatement, 'openingMicro' | 'closedOn' | 'sequence'>,
): Continuation {
  const { openingMicro, closedOn, sequence } = next
  return continuationOf(last === undefined ? undefined : { ...last, closingSen: last.closingMicro / SEN_IN_MICRO }, {
    openingSen: openingMicro / SEN_IN_MICRO,
    closedOn,
    sequence,
  })
}

/**
 * An earlier statement under the same id, or with the same content, that was not withdrawn. Of a quiet day two without lines may differ in
 * their numbers alone; nothing of them is booked, and without the second one its number would be missing for ever.
 */
export async function findSame(tx: Queryable, statement: NewStatement): Promise<{ digest: string } | undefined> {
  const { bankAccount, statementId, digest, sequence } = statement
  const [row] = await tx.query<{ digest: string }>(
    `select digest from bank_statements
     where bank_account = $1 and (statement_id = $2 or (digest = $3 and (line_count > 0 or sequence is not distinct from $4)))
       and withdrawn_at is null order by statement_id <> $2 limit 1`,
    [bankAccount, statementId, digest, sequence],
  )
  return row
}

/** Within so many days no bank gives an id to two statements, or to two messages: many number them anew each year, some each month. */
export const SAME_ID_DAYS = 20

/**
 * The name under which a statement is kept: the bank's, with the closing day behind it where a statement of another year or month has that name already. One
 * of the same weeks gets the very name of the other: then they are the same statement.
 */
export async function nameOf(
  tx: Queryable,
  { bankAccount, statementId, openedOn, closedOn }: NewStatement,
): Promise<string> {
  const rows = await tx.query<{ name: string; is_near: boolean }>(
    `select s.statement_id as name, s.closed_on >= $3::date - ${SAME_ID_DAYS} and s.opened_on <= $4::date + ${SAME_ID_DAYS} as is_near
     from bank_statements s
     where s.bank_account = $1 and (s.statement_id = $2 or starts_with(s.statement_id, $2 || '@')) and s.withdrawn_at is null`,
    [bankAccount, statementId, openedOn, closedOn],
  )
  const near = rows.find(({ is_near: isNear }) => isNear)
  return near?.name ?? (rows.length === 0 ? statementId : `${statementId}@${closedOn}`)
}

/** Whether a statement is kept under a name because the bank has given it this id. */
export function isNameOf(name: string, statementId: string): boolean {
  return name === statementId || name.startsWith(`${statementId}@`)
}

/**
 * Applies, one after the other, the waiting statements of an account that follow, and late ones that fit between those
 * that are applied: their lines are then to be booked. What the first one opens with becomes a line of its own, because
 * nothing explains it.
 */
export async function applyFollowing(tx: Queryable, bankAccount: string): Promise<void> {
  for (;;) {
    const last = await findLast(tx, bankAccount)
    const next = await findFollowing(tx, bankAccount, last)
    if (next === undefined) break
    await apply(tx, bankAccount, next)
    if (last === undefined) await insertOpening(tx, bankAccount)
  }
  for (const statementNo of await findLateThatFit(tx, bankAccount)) await apply(tx, bankAccount, statementNo)
}

const MOST_CANDIDATES = 100
const CANDIDATE = `statement_no as "statementNo", sequence, s.opened_on::text as "openedOn", s.closed_on::text as "closedOn",
  opening_micro as "openingMicro", line_count as "lineCount"`

type Candidate = {
  statementNo: bigint
  sequence: string | null
  openedOn: string
  closedOn: string
  openingMicro: bigint
  lineCount: number
}

/**
 * The first of those that follow. What tells again what others tell never does, as it would not have been taken in after them: it waits until it is
 * withdrawn.
 */
async function findFollowing(tx: Queryable, bankAccount: string, last: Last | undefined): Promise<bigint | undefined> {
  const rows = await tx.query<Candidate>(
    `select ${CANDIDATE} from bank_statements s where bank_account = $1 and position is null and withdrawn_at is null and ($2::bigint is null or (opening_micro = $2 and s.closed_on >= $3::date))
     order by s.closed_on, s.opened_on, closing_micro <> opening_micro, statement_no limit ${MOST_CANDIDATES}`,
    [bankAccount, last?.closingMicro ?? null, last?.closedOn ?? null],
  )
  const following = rows.filter((each) => ['first', 'follows'].includes(followsHow(last, each)))
  const looked = new Map<Candidate, boolean>()
  const isAgain = async (one: Candidate) => {
    const known = looked.get(one) ?? (await isOneAgain(tx, bankAccount, one, last))
    looked.set(one, known)
    return known
  }
  for (const one of following) {
    if (await isAgain(one)) continue
    const applied = last?.closedOn === one.closedOn ? await findAlike(tx, bankAccount, one) : []
    const whole = [...applied, ...following].filter((each) => mayHave(each, one))
    if (!(await isPartOfAny(tx, one, whole, async (each) => following.includes(each) && (await isAgain(each)))))
      return one.statementNo
  }
  return undefined
}

/** Whether one tells again what applied ones have told up to the last day of these. */
async function isOneAgain(tx: Queryable, bankAccount: string, one: Candidate, last: Last | undefined) {
  if (last === undefined) return false
  const lines = await readLines(tx, [one.statementNo], { through: last.closedOn })
  return await isOverlapping(tx, { ...one, bankAccount, lines }, last)
}

/** Applied ones that open as it does, and close on its day. */
async function findAlike(tx: Queryable, bankAccount: string, { closedOn, openingMicro }: Candidate) {
  return await tx.query<Candidate>(
    `select ${CANDIDATE} from bank_statements s where bank_account = $1 and position is not null and s.closed_on = $2::date and opening_micro = $3`,
    [bankAccount, closedOn, openingMicro],
  )
}

/** Whether one may have all that another has, and more. Where the bank numbers both, they are two. */
function mayHave(whole: Candidate, part: Candidate): boolean {
  const isLonger = part.lineCount > 0 && whole.lineCount > part.lineCount && whole.openedOn <= part.closedOn
  return isLonger && whole.openingMicro === part.openingMicro && (whole.sequence === null || part.sequence === null)
}

/** Whether one of these has all that it has, and more. One that is not to follow itself takes nothing from others. */
async function isPartOfAny(
  tx: Queryable,
  { statementNo }: Candidate,
  others: readonly Candidate[],
  isLeftOut: (other: Candidate) => Promise<boolean>,
): Promise<boolean> {
  for (const other of others)
    if ((await isPartOf(tx, statementNo, other.statementNo)) && !(await isLeftOut(other))) return true
  return false
}

/** Applies one that fits: its lines are then to be booked. */
export async function apply(tx: Queryable, bankAccount: string, statementNo: bigint): Promise<void> {
  await tx.query(
    `update bank_statements set applied_at = now(), position = (
       select coalesce(max(position), 0) + 1 from bank_statements where bank_account = $1)
     where statement_no = $2 and position is null`,
    [bankAccount, statementNo],
  )
}

async function insertOpening(tx: Queryable, bankAccount: string): Promise<void> {
  await tx.query(
    `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal)
     select statement_no, bank_account, 0, 0, opening_micro, opened_on, opened_on, false
     from bank_statements where bank_account = $1 and position = 1 and opening_micro <> 0`,
    [bankAccount],
  )
}
