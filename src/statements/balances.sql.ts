/** What the bank said last about each account: the reserve. */
import { BANK_TIME_ZONE } from '../bank-files/day.ts'
import type { Queryable } from '../db/database.ts'
import { isSumOfEntry, sumsOfParts } from './in-all.sql.ts'

/** The newest statement that follows without a gap from the first, and what was notified after the day it closes. */
export type BankBalance = {
  /** What the books call the account: the owner of `reserve:…`. */
  bankAccount: string
  statementNo: bigint
  /** The bank's own name of the statement. */
  statementId: string
  /** `YYYY-MM-DD`: the statement holds everything that was booked up to the end of this day. */
  closedOn: string
  closingMicro: bigint
  /** SHA-256 of the file that brought it. */
  contentHash: string
  importedAt: Date
  /**
   * What notifications say was booked on later days, credits less debits: the bank may take a credit back. Without our
   * payments: those that went out are on their way, those that came back are owed again. Nor what came from another account of the
   * issuer, whose statement may still have it. At least so much: what can be the same credit said
   * twice counts once.
   */
  creditsSinceMicro: bigint
  /** What its lines, and those before them, move that is not in the ledger yet: credits positive. */
  unbookedMicro: bigint
}

/**
 * What was notified for days after the statement `s`, with what one notification says in all under one reference of the bank (`whole`): it may take
 * apart what another says as one sum. Of those that come to the same, the one of the latest day counts (`place` 1), and of one day the one of more parts.
 */
const NOTIFIED = `(select m.*, rank() over (partition by m.servicer_reference, m.whole order by m.last_on desc, m.parts desc) as place
    from (select w.*, sum(w.amount_micro) over told as whole, count(*) over told as parts, max(w.booked_on) over told as last_on
      from bank_notified w where w.bank_account = s.bank_account and w.booked_on > s.closed_on
      window told as (partition by w.servicer_reference, w.content_hash, w.notification, sign(w.amount_micro))) m)`

/** As a line has it, so that an index leads to that; null of more than any line has. */
const WHOLE = 'case when abs(n.whole) < 9e18 then n.whole::bigint end'
const APPLIED_LINES = 'bank_lines l join bank_statements b using (statement_no) where b.position is not null'
const IS_TOLD_WHOLE = isSumOfEntry(
  { account: 'n.bank_account', reference: 'n.servicer_reference', amount: WHOLE },
  APPLIED_LINES,
)

/** SQL: the number of the newest statement of an account that follows without a gap. */
const newestOf = (account: string) => `(select n.statement_no from bank_statements n
       where n.bank_account = ${account} and n.position is not null order by n.closed_on desc, n.position desc limit 1)`

const SUMS = sumsOfParts({
  references: `select w.servicer_reference from bank_statements s join bank_notified w on w.bank_account = s.bank_account and w.booked_on > s.closed_on
      where s.statement_no = ${newestOf('s.bank_account')}`,
  lines: `(bank_lines l join bank_statements b using (statement_no)) where b.position is not null`,
})

/**
 * What was notified, credits less debits, and no more than there certainly is:
 * - Of equal credits of one day as many count as are certainly several: those of one notification, or of as many references. The bank may say one movement
 *   again in other words, without its reference.
 * - A debit that is said twice counts twice.
 * - Under the bank's own reference a credit counts once, on the last of its days: the bank may book it on another day than it had notified.
 * - What an applied statement shows stands in the balance, and does not count; also where one of the two has taken apart what the other says as one sum.
 */
const SINCE = `(select coalesce(sum(g.amount_micro * case when g.amount_micro < 0 then g.others
       else greatest(greatest(g.in_one, g.references, g.named) - g.ours, 0) end), 0)
     from (select n.amount_micro, count(*) filter (where n.is_ours) as ours, count(*) filter (where not n.is_ours) as others,
         max(n.in_one) as in_one, count(distinct n.servicer_reference) as references, count(distinct n.end_to_end_id) as named
       from (select n.amount_micro, n.booked_on, n.servicer_reference, n.end_to_end_id,
           count(*) over (partition by n.amount_micro, n.booked_on, n.content_hash, n.notification) as in_one,
           exists (select from payouts p where p.end_to_end_id = n.end_to_end_id)
             or exists (select from payout_attempts a where a.end_to_end_id = n.end_to_end_id)
             or (n.own_account is not null and n.amount_micro > 0) as is_ours
         from ${NOTIFIED} n where (n.amount_micro < 0 or n.servicer_reference is null or n.place = 1)
           and not exists (select from bank_lines l join bank_statements b using (statement_no)
             where l.servicer_reference = n.servicer_reference and l.bank_account = n.bank_account and l.amount_micro = n.amount_micro
               and b.position is not null)
           and not ${IS_TOLD_WHOLE}
           and not exists (select from bank_notified o
             where o.servicer_reference = n.servicer_reference and o.bank_account = n.bank_account and o.amount_micro = n.amount_micro
               and o.booked_on > n.booked_on and n.amount_micro > 0)) n
       group by n.amount_micro, n.booked_on) g)::text`

/** One for each account that ever had a statement, by its key. */
export async function readBankBalances(db: Queryable): Promise<BankBalance[]> {
  const rows = await db.query<{
    bank_account: string
    statement_no: bigint
    statement_id: string
    closed_on: string
    closing_micro: bigint
    content_hash: string
    imported_at: Date
    credits_since: string
    unbooked: string
  }>(
    `with ${SUMS}
     select s.bank_account, s.statement_no, s.statement_id, s.closed_on::text as closed_on, s.closing_micro, s.content_hash,
       s.imported_at,
       ${SINCE} as credits_since,
       (select coalesce(sum(l.amount_micro), 0) from bank_lines l join bank_statements b using (statement_no)
        where l.state = 'unbooked' and l.bank_account = s.bank_account and b.position is not null)::text as unbooked
     from bank_statements s
     where s.statement_no = ${newestOf('s.bank_account')}
     order by s.bank_account`,
  )
  return rows.map((row) => ({
    bankAccount: row.bank_account,
    statementNo: row.statement_no,
    statementId: row.statement_id,
    closedOn: row.closed_on,
    closingMicro: row.closing_micro,
    contentHash: row.content_hash,
    importedAt: row.imported_at,
    creditsSinceMicro: BigInt(row.credits_since),
    unbookedMicro: BigInt(row.unbooked),
  }))
}

/** The newest applied statement of an account whose day was over at an instant, by the banks' clocks. In its last millisecond a day counts as over. */
export type BankClosing = Pick<BankBalance, 'bankAccount' | 'closedOn' | 'closingMicro'>

/** One for each account that had a statement of such a day, by its key; as the bank has said it since. */
export async function readBankClosings(db: Queryable, asOf: Date): Promise<BankClosing[]> {
  const rows = await db.query<{ bank_account: string; closed_on: string; closing_micro: bigint }>(
    `select distinct on (s.bank_account) s.bank_account, s.closed_on::text as closed_on, s.closing_micro
     from bank_statements s
     where s.position is not null and (s.closed_on + 1)::timestamp at time zone '${BANK_TIME_ZONE}' <= $1::timestamptz + interval '1 millisecond'
     order by s.bank_account, s.closed_on desc, s.position desc`,
    [asOf],
  )
  return rows.map((row) => ({
    bankAccount: row.bank_account,
    closedOn: row.closed_on,
    closingMicro: row.closing_micro,
  }))
}

/** How long before an instant each day was over that a statement closes: by the banks' clocks, wherever the books' days begin. */
const AGES = `select s.day, extract(epoch from coalesce($2, now()) - ((s.day::date + 1)::timestamp at time zone '${BANK_TIME_ZONE}'))::float8 * 1000 as age
  from unnest($1::text[]) as s (day)`

/** How old a statement is that closes a day, in milliseconds: now, or at an instant. Infinitely, where nobody knows. */
export async function readClosedAges(
  db: Queryable,
  statements: readonly { closedOn: string }[],
  asOf?: Date,
): Promise<(day: string) => number> {
  const ages = await db.query<{ day: string; age: number }>(AGES, [
    statements.map(({ closedOn }) => closedOn),
    asOf ?? null,
  ])
  return (closedOn) => Math.max(0, ages.find(({ day }) => day === closedOn)?.age ?? Number.POSITIVE_INFINITY)
}

/**
 * Whether a line of an applied statement names a payment of ours, or another account of ours, and is not booked: what the books say of that
 * money is behind the bank.
 */
export async function isPaymentUnbooked(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select from bank_lines l join bank_statements s using (statement_no)
     where l.state = 'unbooked' and s.position is not null
       and (l.own_account is not null or exists (select from payouts p where p.end_to_end_id = l.end_to_end_id)
         or exists (select from payout_attempts a where a.end_to_end_id = l.end_to_end_id)) limit 1`,
  )
  return rows.length > 0
}
