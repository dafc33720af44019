/** A statement that begins where one before it began and has all its lines: a CSV was cut off, or a bank tells a day again as it goes on. */
import type { Queryable } from '../db/database.ts'
import { digestOf } from './digest.ts'
import { type ToldLine as Line, leftOf, less } from './less.ts'
import { firstDayOf, type NewStatement } from './statement.ts'

type Applied = {
  statementNo: bigint
  openingMicro: bigint
  closingMicro: bigint
  closedOn: string
  sequence: string | null
}

/** So many statements of an account are looked through, and so many of their lines. */
const MOST_STATEMENTS = 20
const MOST_LINES = 20_000

/**
 * What such a statement says beyond what was told, which follows the last one as the whole never could. Any other statement is returned as it is.
 * - One that seems to follow, because what was told sums to zero, is such a one only where the bank's own references say so, and it has more.
 * - One of days before the newest is compared with what was told up to its last day.
 * @returns `told` when it is only what was told, or the beginning of it
 */
export async function beyondTold(tx: Queryable, statement: NewStatement): Promise<NewStatement | 'told'> {
  const applied = await findSince(tx, statement)
  const [last] = applied
  if (last === undefined) return statement
  const { lines, closedOn, openingMicro } = statement
  const alike = last.closingMicro === openingMicro ? 'referred' : 'may be'
  for await (const told of readToldFrom(tx, statement, applied)) {
    if (told.length === 0 || told.length > MOST_LINES) continue
    const isNoMore = lines.length <= told.length && closedOn === last.closedOn
    if (isNoMore && less(told, lines, alike) !== undefined) return 'told'
    const rest = lines.length > told.length && closedOn >= last.closedOn ? less(lines, told, alike) : undefined
    if (rest === undefined) continue
    const beyond = { ...statement, openingMicro: last.closingMicro, lines: rest }
    return { ...beyond, digest: digestOf(beyond, rest) }
  }
  return statement
}

type Beginning = Pick<NewStatement, 'bankAccount' | 'openingMicro' | 'sequence'> & { lines: readonly Line[] }

/**
 * What was told since the balance with which a statement opens, in several readings, the longest first:
 * - what was told of all its days: a statement of several days may have told the first of them;
 * - what was told from a statement on that opens as this one does, the one furthest back first: what lies between two of these sums to zero, and is told
 *   again, too.
 * Nothing is told again where both have numbers of the bank: they are two then.
 */
async function* readToldFrom(tx: Queryable, statement: Beginning, applied: readonly Applied[]): AsyncGenerator<Line[]> {
  const read = async (since: readonly Applied[], from?: string) => {
    if (statement.sequence !== null && since.some(({ sequence }) => sequence !== null)) return []
    const numbers = since.map(({ statementNo }) => statementNo)
    return await readLines(tx, numbers, { limit: MOST_LINES + 1, from })
  }
  const ofItsDays = await read(applied, firstDayOf(statement))
  if ((applied[0]?.closingMicro ?? 0n) - netOf(ofItsDays) === statement.openingMicro) yield ofItsDays
  for (const first of applied.filter((each) => each.openingMicro === statement.openingMicro).toReversed())
    yield await read(applied.slice(0, applied.indexOf(first) + 1))
}

/**
 * Whether a statement that seems to follow tells again some of what was told since its first day, which sums to zero: the bank's own references say
 * so. One that tells all of it, and more, is taken in from there when it comes.
 * @param statement with its lines up to the last day that was told
 */
export async function isToldAgain(tx: Queryable, statement: Beginning & { closedOn: string }): Promise<boolean> {
  const own = statement.lines.filter(({ servicerReference }) => servicerReference !== null)
  if (own.length === 0) return false
  const left = leftOf(own)
  for await (const told of readToldFrom(tx, statement, await findSince(tx, statement)))
    if (told.some((line) => left.referredBy(line) !== undefined)) return true
  return false
}

const netOf = (lines: readonly Line[]) => lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)

/**
 * Whether a stored statement is only the beginning of another one, which opens as it does and has all its lines, and more. Where one of them may
 * follow the other all the same, because one comes to nothing, only the bank's own references say so.
 */
export async function isPartOf(tx: Queryable, part: bigint, whole: bigint): Promise<boolean> {
  const told = await readLines(tx, [part], { limit: MOST_LINES + 1 })
  if (told.length === 0 || told.length > MOST_LINES) return false
  const all = await readLines(tx, [whole])
  if (told.length >= all.length) return false
  const isZero = [told, all].some((lines) => netOf(lines) === 0n)
  return less(all, told, isZero ? 'referred' : 'may be') !== undefined
}

/**
 * Whether a statement has all that stored ones have said of its days, by the bank's own references, and more: it is the whole of what waits, also
 * where the rest comes to nothing.
 */
export async function isMore(tx: Queryable, statement: Beginning & { closedOn: string }): Promise<boolean> {
  const { bankAccount, sequence, lines, closedOn } = statement
  const firstDay = firstDayOf(statement)
  if (firstDay === undefined || sequence !== null) return false
  const stored = await tx.query<{ statementNo: bigint }>(
    `select statement_no as "statementNo" from bank_statements s
     where bank_account = $1 and withdrawn_at is null and s.closed_on between $2::date and $3::date limit ${MOST_STATEMENTS + 1}`,
    [bankAccount, firstDay, closedOn],
  )
  if (stored.length > MOST_STATEMENTS) return false
  const numbers = stored.map(({ statementNo }) => statementNo)
  const told = await readLines(tx, numbers, { limit: MOST_LINES + 1, from: firstDay })
  const once = [...new Map(told.map((line) => [nameOf(line), line])).values()]
  return once.length > 0 && once.length < lines.length && less(lines, once, 'referred') !== undefined
}

/** The applied statements that close on the first day of this one's lines or later, up to its own last day, newest first. */
async function findSince(
  tx: Queryable,
  { bankAccount, lines, closedOn }: Pick<Beginning, 'bankAccount' | 'lines'> & { closedOn: string },
): Promise<Applied[]> {
  const firstDay = firstDayOf({ lines })
  if (firstDay === undefined) return []
  return await tx.query<Applied>(
    `select statement_no as "statementNo", opening_micro as "openingMicro", closing_micro as "closingMicro",
       s.closed_on::text as "closedOn", sequence
     from bank_statements s where bank_account = $1 and position is not null and s.closed_on between $2::date and $3::date
     order by s.closed_on desc, position desc limit ${MOST_STATEMENTS}`,
    [bankAccount, firstDay, closedOn],
  )
}

/** What the bank has said in them, from a day and up to one: not what operators have made of its lines. */
export async function readLines(
  tx: Queryable,
  statementNos: readonly bigint[],
  { from, through, limit }: { from?: string | undefined; through?: string; limit?: number } = {},
): Promise<Line[]> {
  return await tx.query<Line>(
    `select l.booked_on::text as "bookedOn", amount_micro as "amountMicro", servicer_reference as "servicerReference",
       end_to_end_id as "endToEndId", (select d.account_ending from bank_details d where d.bank_id = l.bank_id) as "remitterAccount"
     from bank_lines l where statement_no = any ($1::bigint[]) and entry > 0 and made_by is null
       and ($2::date is null or l.booked_on <= $2::date) and ($4::date is null or l.booked_on >= $4::date)
     order by servicer_reference is null and end_to_end_id is null limit $3`,
    [statementNos, through ?? null, limit ?? null, from ?? null],
  )
}

/** By the bank's own reference. */
const nameOf = ({ bookedOn, amountMicro, servicerReference }: Line) => `${bookedOn} ${amountMicro} ${servicerReference}`
