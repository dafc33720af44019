/** Statements that wait because an earlier one is missing. */
import { isNumberMissing } from '../bank-files/statement/statement.ts'
import type { Param, Queryable } from '../db/database.ts'

/** A statement that waits because an earlier one is missing. */
export type WaitingStatement = {
  statementNo: bigint
  bankAccount: string
  statementId: string
  openedOn: string
  openingMicro: bigint
  closedOn: string
  closingMicro: bigint
  lineCount: number
  importedAt: Date
  /** The bank's number of it, and of the one before it, if it has numbers. */
  sequence: string | null
  lastSequence: string | null
  /** What the applied statement before it closed with, and when: the missing one opens there. */
  lastStatementId: string | null
  lastClosedOn: string | null
  lastClosingMicro: bigint | null
}

/** The numbers that are missing before it, as the bank counts; empty when its numbers do not tell. */
export function missingNumbers({
  sequence,
  lastSequence,
}: Pick<WaitingStatement, 'sequence' | 'lastSequence'>): string {
  if (!isNumberMissing(lastSequence ?? '', sequence ?? '')) return ''
  const [first, last] = [BigInt(lastSequence ?? '') + 1n, BigInt(sequence ?? '') - 1n]
  return first === last ? `number ${first}` : `numbers ${first} to ${last}`
}

/** Whether it opens as the one before it closed, and yet waits: it tells again what others tell, or more of its days is missing after it. */
export function opensAsLast(waiting: WaitingStatement): boolean {
  return waiting.openingMicro === waiting.lastClosingMicro && missingNumbers(waiting) === ''
}

const SELECT = `select s.statement_no as "statementNo", s.bank_account as "bankAccount", s.statement_id as "statementId",
    s.opened_on::text as "openedOn", s.opening_micro as "openingMicro", s.closed_on::text as "closedOn", s.closing_micro as "closingMicro",
    s.line_count as "lineCount", s.imported_at as "importedAt", s.sequence, l.sequence as "lastSequence",
    l.statement_id as "lastStatementId", l.closed_on::text as "lastClosedOn", l.closing_micro as "lastClosingMicro"
  from bank_statements s left join lateral (
    select * from bank_statements l where l.bank_account = s.bank_account and l.position is not null
      and l.closed_on <= s.closed_on
    order by l.closed_on desc, l.position desc limit 1) l on true
  where s.position is null and s.withdrawn_at is null`

const ORDER = 'order by s.bank_account, s.closed_on, s.statement_no'

/** Those that wait, by account and the oldest first. @param after the number of the last one of the page before */
export async function listWaiting(
  db: Queryable,
  { after, limit }: { after?: bigint | undefined; limit: number } = { limit: 100 },
): Promise<WaitingStatement[]> {
  return await find(
    db,
    `($2::bigint is null or (s.bank_account, s.closed_on, s.statement_no) > (
       select bank_account, closed_on, statement_no from bank_statements where statement_no = $2)) ${ORDER} limit $1`,
    [limit, after ?? null],
  )
}

/** How many wait. */
export async function countWaiting(db: Queryable): Promise<number> {
  const [row] = await db.query<{ n: bigint }>(
    'select count(*) as n from bank_statements where position is null and withdrawn_at is null',
  )
  return Number(row?.n ?? 0n)
}

/** One that waits; undefined when none has this number. */
export async function findWaiting(db: Queryable, statementNo: bigint): Promise<WaitingStatement | undefined> {
  const [waiting] = await find(db, 's.statement_no = $1', [statementNo])
  return waiting
}

/** SQL: whether another one of its day that waits closes with what `s` opens with, and so comes before it. */
const IS_LED_TO = `exists (select from bank_statements w where w.bank_account = s.bank_account and w.position is null and w.withdrawn_at is null
  and w.statement_no <> s.statement_no and w.closed_on = s.closed_on and w.closing_micro = s.opening_micro)`

/** The oldest of those of an account that wait; of several of one day, taken in in whichever order, the one that the others follow. */
export async function findFirstWaiting(db: Queryable, bankAccount: string): Promise<WaitingStatement | undefined> {
  const which = `s.bank_account = $1 order by s.closed_on, ${IS_LED_TO}, s.statement_no limit 1`
  const [waiting] = await find(db, which, [bankAccount])
  return waiting
}

function find(db: Queryable, which: string, params: Param[]): Promise<WaitingStatement[]> {
  return db.query<WaitingStatement>(`${SELECT} and ${which}`, params)
}
