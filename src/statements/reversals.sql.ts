/** Credits that the bank takes back, and the debits that reverse them. */
import type { Queryable } from '../db/database.ts'
import type { Belonging } from './lines.sql.ts'

/** `takenMicro`: what other debits reverse of it. */
export type ReversedCredit = {
  lineNo: bigint
  bankAccount: string
  amountMicro: bigint
  bookedOn: string
  state: string
  kind: string | null
  to: string | null
  takenMicro: bigint
}

/** A line of an applied statement, with what of it is reversed; undefined when there is none. Whoever decides holds the lock under which lines are. */
export async function findReversed(db: Queryable, lineNo: bigint): Promise<ReversedCredit | undefined> {
  const [row] = await db.query<Omit<ReversedCredit, 'takenMicro'> & { taken: string }>(
    `select l.line_no as "lineNo", l.bank_account as "bankAccount", l.amount_micro as "amountMicro", l.booked_on::text as "bookedOn", l.state,
       l.matched_kind as kind, l.matched_to as "to",
       (select coalesce(-sum(d.amount_micro), 0)::text from bank_lines d where d.reverses = l.line_no) as taken
     from bank_lines l join bank_statements s using (statement_no) where l.line_no = $1 and s.position is not null`,
    [lineNo],
  )
  if (row === undefined) return undefined
  const { taken, ...line } = row
  return { ...line, takenMicro: BigInt(taken) }
}

/** An operator has said which credit a debit reverses, and why. */
export async function markReversing(
  tx: Queryable,
  { lineNo, credit }: { lineNo: bigint; credit: bigint },
  { kind, to }: Belonging,
  reason: string,
): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'assigned', matched_kind = $2, matched_to = $3, reason = $4, reverses = $5, decided_at = now()
     where line_no = $1`,
    [lineNo, kind, to, reason, credit],
  )
}

/** The debits that reverse a credit. */
export async function listReversing(db: Queryable, lineNo: bigint): Promise<bigint[]> {
  const rows = await db.query<{ line_no: bigint }>(
    'select line_no from bank_lines where reverses = $1 order by line_no',
    [lineNo],
  )
  return rows.map((row) => row.line_no)
}

/** The credit that a debit reverses; undefined where nobody has said so. */
export async function findReversedBy(db: Queryable, lineNo: bigint): Promise<bigint | undefined> {
  const [row] = await db.query<{ reverses: bigint | null }>('select reverses from bank_lines where line_no = $1', [
    lineNo,
  ])
  return row?.reverses ?? undefined
}

/** The references of the mints that a line pays by name. */
export async function listMintsPaidBy(db: Queryable, lineNo: bigint): Promise<string[]> {
  const rows = await db.query<{ reference_id: string }>(
    `select o.reference_id from bank_paid_mints p join orders o using (order_id) where p.line_no = $1 order by o.order_id`,
    [lineNo],
  )
  return rows.map((row) => row.reference_id)
}
