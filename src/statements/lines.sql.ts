/** What lines are found to belong to. Each is decided once, and again by operators: when nothing explained it, or when that was wrong. */
import type { Queryable } from '../db/database.ts'
import { STATEMENTS_LOCK } from './locks.ts'

export type Belonging = {
  kind: 'payout' | 'extra_payout' | 'mint' | 'remitter' | 'fees' | 'own_funds' | 'own_transfer' | 'claim'
  /** A payment (`po_…/1`), a claim of one (`po_…/1/claim/1`), an integration, a bank account, or two between which it moved. */
  to: string
}

/** Waits until nobody else is deciding about a line, so that no two lines are taken for the same money. */
export async function lockBooking(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${STATEMENTS_LOCK.book})`)
}

/** A line was found to belong to something. */
export async function markMatched(tx: Queryable, lineNo: bigint, { kind, to }: Belonging): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'matched', matched_kind = $2, matched_to = $3, decided_at = now() where line_no = $1`,
    [lineNo, kind, to],
  )
}

/** Nothing explains a line, for this reason. */
export async function markUnallocated(tx: Queryable, lineNo: bigint, reason: string): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'unallocated', reason = left($2, 500), decided_at = now() where line_no = $1`,
    [lineNo, reason],
  )
}

/** An operator has said what a line belongs to, and why. */
export async function markAssigned(
  tx: Queryable,
  lineNo: bigint,
  { kind, to }: Belonging,
  reason: string,
): Promise<void> {
  await tx.query(
    `update bank_lines set state = 'assigned', matched_kind = $2, matched_to = $3, reason = $4, decided_at = now()
     where line_no = $1`,
    [lineNo, kind, to, reason],
  )
}

/** What a line belonged to is taken back: nothing explains it any more. @returns the mints that it no longer pays */
export async function markTakenBack(tx: Queryable, lineNo: bigint, reason: string): Promise<bigint[]> {
  await tx.query(
    `update bank_lines set state = 'unallocated', matched_kind = null, matched_to = null, reverses = null, reason = left($2, 500), decided_at = now(),
       taken_back = taken_back + 1, freed_from = case when matched_kind in ('payout', 'extra_payout') then matched_to else freed_from end
     where line_no = $1`,
    [lineNo, reason],
  )
  return await freePaidMints(tx, lineNo)
}

/** The mints that a line has paid wait for their ringgit again. @returns these */
export async function freePaidMints(tx: Queryable, lineNo: bigint): Promise<bigint[]> {
  const rows = await tx.query<{ order_id: bigint }>(
    'delete from bank_paid_mints where line_no = $1 returning order_id',
    [lineNo],
  )
  return rows.map((row) => row.order_id)
}

/** The debit of one payment by hand is that of another one of the same payout. */
export async function moveByHand(tx: Queryable, from: string, to: string): Promise<void> {
  await tx.query(
    `update bank_lines set matched_to = $2 where matched_to = $1 and state = 'assigned' and matched_kind = 'payout' and amount_micro < 0`,
    [from, to],
  )
}

/** What a line belongs to, and how that came about. */
export async function findBelonging(
  tx: Queryable,
  lineNo: bigint,
): Promise<(Belonging & { isAssigned: boolean }) | undefined> {
  const [row] = await tx.query<{ state: string; kind: Belonging['kind']; to: string }>(
    `select state, matched_kind as kind, matched_to as to from bank_lines where line_no = $1 and state in ('matched', 'assigned')`,
    [lineNo],
  )
  return row && { kind: row.kind, to: row.to, isAssigned: row.state === 'assigned' }
}

/** Mints that a line has paid. @throws the database's error when one was paid before */
export async function insertPaidMints(tx: Queryable, lineNo: bigint, orderIds: readonly bigint[]): Promise<void> {
  await tx.query('insert into bank_paid_mints (order_id, line_no) select id, $1 from unnest($2::bigint[]) as s (id)', [
    lineNo,
    orderIds,
  ])
}

/** Whether another line in the same direction belongs to a payment. */
export async function hasLineOf(tx: Queryable, to: string, direction: 'debit' | 'credit'): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as found from bank_lines where matched_to = $1 and matched_kind in ('payout', 'extra_payout', 'claim')
       and (amount_micro > 0) = $2 limit 1`,
    [to, direction === 'credit'],
  )
  return rows.length > 0
}

/** How many lines of a file belong to something, and how many to nothing. */
export async function countLines(
  db: Queryable,
  contentHash: string,
): Promise<{ matched: number; unallocated: number; unbooked: number }> {
  const [row] = await db.query<{ matched: bigint; unallocated: bigint; unbooked: bigint }>(
    `select count(*) filter (where l.state in ('matched', 'assigned', 'allocated')) as matched,
       count(*) filter (where l.state = 'unallocated') as unallocated, count(*) filter (where l.state = 'unbooked') as unbooked
     from bank_statements s join bank_lines l using (statement_no)
     where s.content_hash = $1 and s.withdrawn_at is null and l.made_by is null`,
    [contentHash],
  )
  return {
    matched: Number(row?.matched ?? 0n),
    unallocated: Number(row?.unallocated ?? 0n),
    unbooked: Number(row?.unbooked ?? 0n),
  }
}

/**
 * Lines that nothing explained because the payment that they name was not known, after a line, at most `limit`: a reason given since would name its
 * payout. A credit counts once the bank calls it a return and the debit is known. What somebody has taken back is for operators to say.
 */
export async function findNamedLate(
  db: Queryable,
  { after, limit }: { after: bigint; limit: number },
): Promise<bigint[]> {
  const rows = await db.query<{ line_no: bigint }>(
    `select l.line_no from bank_lines l join bank_statements s using (statement_no) join payout_attempts a using (end_to_end_id)
     where l.state = 'unallocated' and l.line_no > $1 and l.taken_back = 0 and l.made_by is null and s.position is not null
       and position(a.payout_id in l.reason) = 0
       and (l.amount_micro < 0 or (l.is_reversal or l.return_code is not null) and exists (select from bank_lines d
         where d.matched_to = a.payout_id || '/' || a.attempt and d.matched_kind = 'payout' and d.amount_micro < 0))
     order by l.line_no limit $2`,
    [after, limit],
  )
  return rows.map((row) => row.line_no)
}
