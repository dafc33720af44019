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
 * What such a statement says beyond what was told, which follows the last one as the whole never could; any other statement as it is.
 * @returns `told` when it is only the beginning of what was told
 */
export async function beyondTold(tx: Queryable, statement: NewStatement): Promise<NewStatement | 'told'> {
  const applied = await findFromSameOpening(tx, statement)
  const [last] = applied
  if (last === undefined || last.closingMicro === statement.openingMicro) return statement
  const told = await readLines(tx, applied)
  if (told.length === 0 || told.length > MOST_LINES) return statement
  const { lines, closedOn } = statement
  if (lines.length < told.length && closedOn === last.closedOn && without(told, lines) !== undefined) return 'told'
  const rest = lines.length > told.length && closedOn >= last.closedOn ? without(lines, told) : undefined
  if (rest === undefined) return statement
  const beyond = { ...statement, openingMicro: last.closingMicro, lines: rest }
  return { ...beyond, digest: digestOf(beyond, rest) }
}

/** The applied statements, newest first, back to the one that opens as this one does; none where the bank's numbers say that it is another. */
async function findFromSameOpening(tx: Queryable, statement: NewStatement): Promise<Applied[]> {
  const { bankAccount, openingMicro, sequence, lines } = statement
  const [firstDay] = lines.map(({ bookedOn }) => bookedOn).sort()
  if (firstDay === undefined) return []
  const rows = await tx.query<Applied>(
    `select statement_no as "statementNo", opening_micro as "openingMicro", closing_micro as "closingMicro",
       s.closed_on::text as "closedOn", sequence
     from bank_statements s where bank_account = $1 and position is not null and s.closed_on >= $2::date
     order by s.closed_on desc, position desc limit ${MOST_STATEMENTS}`,
    [bankAccount, firstDay],
  )
  const place = rows.findIndex((row) => row.openingMicro === openingMicro)
  const found = rows.slice(0, place + 1)
  return sequence !== null && found.some((row) => row.sequence !== null) ? [] : found
}

/** What the bank has said in them: not what operators have made of its lines. */
async function readLines(tx: Queryable, applied: readonly Applied[]): Promise<Line[]> {
  return await tx.query<Line>(
    `select l.booked_on::text as "bookedOn", amount_micro as "amountMicro", servicer_reference as "servicerReference",
       end_to_end_id as "endToEndId"
     from bank_lines l where statement_no = any ($1::bigint[]) and entry > 0 and made_by is null
     order by servicer_reference is null and end_to_end_id is null limit ${MOST_LINES + 1}`,
    [applied.map(({ statementNo }) => statementNo)],
  )
}

/** `lines` less one for each of `some`; undefined unless each of these is among them: of that day and amount, and no reference says otherwise. */
function without<L extends Line>(lines: readonly L[], some: readonly Line[]): L[] | undefined {
  const left = new Set(lines)
  const alike = Map.groupBy(lines, keyOf)
  for (const one of some) {
    const same = (alike.get(keyOf(one)) ?? []).filter((line) => left.has(line) && mayBe(line, one))
    const found = same.find((line) => line.servicerReference === one.servicerReference) ?? same[0]
    if (found === undefined) return undefined
    left.delete(found)
  }
  return [...left]
}

const keyOf = ({ bookedOn, amountMicro }: Line) => `${bookedOn} ${amountMicro}`

function mayBe(one: Line, other: Line): boolean {
  const agree = (a: string | null, b: string | null) => a === null || b === null || a === b
  return agree(one.servicerReference, other.servicerReference) && agree(one.endToEndId, other.endToEndId)
}
