/** A statement that begins where one before it began and has all its lines: a CSV was cut off, or a bank tells a day again as it goes on. */
import type { Queryable } from '../db/database.ts'
import { digestOf } from './digest.ts'
import type { NewStatement } from './statement.ts'

type Line = Pick<NewStatement['lines'][number], 'bookedOn' | 'amountMicro' | 'servicerReference' | 'endToEndId'>
type Applied = {
  statementNo: bigint
  openingMicro: bigint
  closingMicro: bigint
  closedOn: string
  sequence: string | null
}

/** So many statements of an account are looked through, and so many of their lines. */
const MOST_STATEMENTS = 20
const MOST_LINES = 2_000

/**
 * What such a statement says beyond what was told, which follows the last one as the whole never could; any other statement as it is. One that
 * seems to follow, because what was told sums to zero, is such a one only where the bank's own references say so, and it has more.
 * @returns `told` when it is only the beginning of what was told
 */
export async function beyondTold(tx: Queryable, statement: NewStatement): Promise<NewStatement | 'told'> {
  const applied = await findSince(tx, statement)
  const [last] = applied
  if (last === undefined) return statement
  const { lines, closedOn, openingMicro } = statement
  const seemsToFollow = last.closingMicro === openingMicro
  const isAlike = seemsToFollow ? isReferred : mayBe
  // The one furthest back first: what was told between it and another one that opens alike sums to zero, and is told again, too.
  for (const first of applied.filter((each) => each.openingMicro === openingMicro).toReversed()) {
    const since = applied.slice(0, applied.indexOf(first) + 1)
    if (statement.sequence !== null && since.some(({ sequence }) => sequence !== null)) continue
    const told = await readLines(
      tx,
      since.map(({ statementNo }) => statementNo),
      { limit: MOST_LINES + 1 },
    )
    if (told.length === 0 || told.length > MOST_LINES) continue
    const isShorter = lines.length < told.length && closedOn === last.closedOn
    if (isShorter && without(told, lines, isAlike) !== undefined) return 'told'
    const rest = lines.length > told.length && closedOn >= last.closedOn ? without(lines, told, isAlike) : undefined
    if (rest === undefined) continue
    const beyond = { ...statement, openingMicro: last.closingMicro, lines: rest }
    return { ...beyond, digest: digestOf(beyond, rest) }
  }
  return statement
}

/**
 * Whether a stored statement is only the beginning of another one, which opens as it does and has all its lines, and more. Where one of them may
 * follow the other all the same, because one comes to nothing, only the bank's own references say so.
 */
export async function isPartOf(tx: Queryable, part: bigint, whole: bigint): Promise<boolean> {
  const told = await readLines(tx, [part], { limit: MOST_LINES + 1 })
  if (told.length === 0 || told.length > MOST_LINES) return false
  const all = await readLines(tx, [whole])
  if (told.length >= all.length) return false
  const isZero = [told, all].some((lines) => lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n) === 0n)
  return without(all, told, isZero ? isReferred : mayBe) !== undefined
}

/** The applied statements that close on the first day of this one's lines or later, newest first. */
async function findSince(tx: Queryable, { bankAccount, lines }: NewStatement): Promise<Applied[]> {
  const [firstDay] = lines.map(({ bookedOn }) => bookedOn).sort()
  if (firstDay === undefined) return []
  return await tx.query<Applied>(
    `select statement_no as "statementNo", opening_micro as "openingMicro", closing_micro as "closingMicro",
       s.closed_on::text as "closedOn", sequence
     from bank_statements s where bank_account = $1 and position is not null and s.closed_on >= $2::date
     order by s.closed_on desc, position desc limit ${MOST_STATEMENTS}`,
    [bankAccount, firstDay],
  )
}

/** What the bank has said in them, up to a day: not what operators have made of its lines. */
export async function readLines(
  tx: Queryable,
  statementNos: readonly bigint[],
  { through, limit }: { through?: string; limit?: number } = {},
): Promise<Line[]> {
  return await tx.query<Line>(
    `select l.booked_on::text as "bookedOn", amount_micro as "amountMicro", servicer_reference as "servicerReference",
       end_to_end_id as "endToEndId"
     from bank_lines l where statement_no = any ($1::bigint[]) and entry > 0 and made_by is null
       and ($2::date is null or l.booked_on <= $2::date)
     order by servicer_reference is null and end_to_end_id is null limit $3`,
    [statementNos, through ?? null, limit ?? null],
  )
}

type Alike = (one: Line, other: Line) => boolean

/** `lines` less one for each of `some`; undefined unless each of these is among them: of that day and amount, and alike. */
function without<L extends Line>(lines: readonly L[], some: readonly Line[], isAlike: Alike): L[] | undefined {
  const left = new Set(lines)
  const byKey = Map.groupBy(lines, keyOf)
  for (const one of some) {
    const same = (byKey.get(keyOf(one)) ?? []).filter((line) => left.has(line) && isAlike(line, one))
    const found = same.find((line) => line.servicerReference === one.servicerReference) ?? same[0]
    if (found === undefined) return undefined
    left.delete(found)
  }
  return [...left]
}

const keyOf = ({ bookedOn, amountMicro }: Line) => `${bookedOn} ${amountMicro}`

/** No reference says otherwise. */
function mayBe(one: Line, other: Line): boolean {
  const agree = (a: string | null, b: string | null) => a === null || b === null || a === b
  return agree(one.servicerReference, other.servicerReference) && agree(one.endToEndId, other.endToEndId)
}

const isReferred: Alike = (one, other) =>
  one.servicerReference !== null && mayBe(one, other) && one.servicerReference === other.servicerReference
