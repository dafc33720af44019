/** Lines that belong to something, by what they belong to, what that may be, and one line as it stands. */
import type { Queryable } from '../db/database.ts'
import { byHandNameIn } from '../payouts/by-hand.sql.ts'
import { claimNames } from './claims.sql.ts'
import type { Belonging } from './lines.sql.ts'
import { LISTED_LINE, type ListedLine } from './lists.sql.ts'

/** `reverses`: of a debit, the number of the credit that it reverses. */
export type BelongingLine = ListedLine & {
  state: string
  kind: Belonging['kind'] | null
  to: string | null
  reverses: string | null
}

const SELECT = `select ${LISTED_LINE}, l.state, l.matched_kind as kind, l.matched_to as to, l.reverses::text as reverses
  from bank_lines l join bank_statements s using (statement_no)`

/** Everything of a payout under which a line may stand: each payment by a rail, and each by hand. */
const PAYMENTS = `select $1::text as name union all select $1 || '/' || n from payouts p, generate_series(1, p.attempt) as n where p.payout_id = $1
  union all select $1 || '/' || a.attempt from payout_attempts a where a.payout_id = $1
  union all select ${byHandNameIn('$1', 'n')}
    from payouts p, generate_series(1, p.by_hand) as n where p.payout_id = $1`
const NAMES = `with named as materialized (${PAYMENTS}) select name from named union all select ${claimNames('name')} from named`

/** Lines that belong to an integration, a payout or one of its payments, or a bank account, newest first. */
export async function listLinesOf(
  db: Queryable,
  of: string,
  { before, limit }: { before: bigint | undefined; limit: number },
): Promise<BelongingLine[]> {
  return await db.query<BelongingLine>(
    `${SELECT} where l.matched_to = any (array(${NAMES})) and ($2::bigint is null or l.line_no < $2)
     order by l.line_no desc limit $3`,
    [of, before ?? null, limit],
  )
}

/** Lines of one statement as the bank has told them, and what was made of them, in their places; of one that waits none belongs to anything. */
export async function listLinesIn(
  db: Queryable,
  statementNo: bigint,
  { after, limit }: { after: bigint | undefined; limit: number },
): Promise<BelongingLine[]> {
  return await db.query<BelongingLine>(
    `${SELECT} where l.statement_no = $1 and ($2::bigint is null
       or (l.entry, l.detail) > (select a.entry, a.detail from bank_lines a where a.statement_no = $1 and a.line_no = $2))
     order by l.entry, l.detail limit $3`,
    [statementNo, after ?? null, limit],
  )
}

/** Whether there is a statement of this number, whatever became of it. */
export async function isStatement(db: Queryable, statementNo: bigint): Promise<boolean> {
  return (await db.query('select from bank_statements where statement_no = $1', [statementNo])).length > 0
}

/**
 * Whether anything is called so that lines may belong to: an integration, a payout or a payment of one, a bank account with a statement, or two of
 * these between which money moved.
 */
export async function isNameOfLines(db: Queryable, of: string): Promise<boolean> {
  const [found] = await db.query<{ known: boolean }>(
    `select exists (select from integrations where integration_id = $1)
       or exists (select from payouts where payout_id = split_part($1, '/', 1))
       or not exists (select from unnest(string_to_array($1, '/')) as part
         where not exists (select from bank_statements where bank_account = part)) as known`,
    [of],
  )
  return found?.known === true
}

/** A line of an applied statement, whatever it belongs to; undefined when there is none. */
export async function findLine(db: Queryable, lineNo: bigint): Promise<BelongingLine | undefined> {
  const [line] = await db.query<BelongingLine>(`${SELECT} where l.line_no = $1 and s.position is not null`, [lineNo])
  return line
}
