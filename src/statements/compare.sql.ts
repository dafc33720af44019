/** What is stored of the newest statements, as it stands now. */
import { readDetails } from '../bank-details/bank-details.sql.ts'
import type { Queryable } from '../db/database.ts'
import { TURNOVER } from '../ledger/balances.sql.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import type { DigestedLine } from './digest.ts'
import { placeOf } from './place.sql.ts'

/** So many statements of each account are read again, newest first, as long as they have no more lines than this together. */
const NEWEST = 31
const MOST_LINES = 20_000

export type StoredStatement = {
  statementNo: bigint
  bankAccount: string
  statementId: string
  position: bigint
  openedOn: string
  openingMicro: bigint
  closedOn: string
  closingMicro: bigint
  digest: string
  /** Of the statement before it; null for the first. */
  previousClosingMicro: bigint | null
}

/** The newest applied statements of every account, of each account at least one; and those that are named. */
export async function readNewestStatements(db: Queryable, also: readonly string[]): Promise<StoredStatement[]> {
  const rows = await db.query<{
    statement_no: bigint
    bank_account: string
    statement_id: string
    position: bigint
    opened_on: string
    opening_micro: bigint
    closed_on: string
    closing_micro: bigint
    digest: string
    previous: bigint | null
  }>(
    `select distinct on (n.bank_account, n.closed_on, n.position) n.statement_no, n.bank_account, n.statement_id, n.position, n.opened_on::text as opened_on, n.opening_micro,
       n.closed_on::text as closed_on, n.closing_micro, n.digest, p.closing_micro as previous
     from (select n.* from (select distinct bank_account from bank_statements) a
       cross join lateral (
         select s.*, sum(s.line_count) over (order by s.closed_on desc, s.position desc) - s.line_count as newer_lines from (
           select * from bank_statements s where s.bank_account = a.bank_account and s.position is not null
           order by s.closed_on desc, s.position desc limit ${NEWEST}) s) n
       where n.newer_lines < ${MOST_LINES}
       union
       select s.*, 0 from bank_statements s where cardinality($1::text[]) > 0 and s.position is not null
         and s.bank_account || '/' || s.statement_id = any ($1::text[])) n
     left join lateral (select p.closing_micro from bank_statements p
       where p.bank_account = n.bank_account and p.position is not null and (p.closed_on, p.position) < (n.closed_on, n.position)
       order by p.closed_on desc, p.position desc limit 1) p on true
     order by n.bank_account, n.closed_on, n.position`,
    [also],
  )
  return rows.map((row) => ({
    statementNo: row.statement_no,
    bankAccount: row.bank_account,
    statementId: row.statement_id,
    position: row.position,
    openedOn: row.opened_on,
    openingMicro: row.opening_micro,
    closedOn: row.closed_on,
    closingMicro: row.closing_micro,
    digest: row.digest,
    previousClosingMicro: row.previous,
  }))
}

/** The lines of a statement, in its order. @throws SecretBoxError when one does not open */
export async function readLines(db: Queryable, secrets: SecretBox, statementNo: bigint): Promise<DigestedLine[]> {
  const rows = await db.query<{
    entry: number
    detail: number
    amount_micro: bigint
    booked_on: string
    value_on: string
    is_reversal: boolean
    servicer_reference: string | null
    end_to_end_id: string | null
    bank_id: string | null
    return_code: string | null
  }>(
    `select entry, detail, amount_micro, booked_on::text as booked_on, value_on::text as value_on, is_reversal,
       servicer_reference, end_to_end_id, bank_id, return_code
     from bank_lines where statement_no = $1 and entry > 0 and made_by is null order by entry, detail`,
    [statementNo],
  )
  const said = await readDetails(
    db,
    secrets,
    rows.map((row) => row.bank_id),
  )
  return rows.map((row) => ({
    entry: row.entry,
    detail: row.detail,
    amountMicro: row.amount_micro,
    bookedOn: row.booked_on,
    valueOn: row.value_on,
    isReversal: row.is_reversal,
    servicerReference: row.servicer_reference,
    endToEndId: row.end_to_end_id,
    remittance: said.get(row.bank_id ?? '')?.text ?? '',
    remitterName: said.get(row.bank_id ?? '')?.name ?? null,
    remitterAccount: said.get(row.bank_id ?? '')?.account ?? null,
    returnCode: row.return_code,
  }))
}

/** What the lines of a statement come to, without opening any. */
export async function readNet(db: Queryable, statementNo: bigint): Promise<bigint> {
  const [row] = await db.query<{ net: string }>(
    `select coalesce(sum(amount_micro), 0)::text as net from bank_lines where statement_no = $1 and entry > 0 and made_by is null`,
    [statementNo],
  )
  return BigInt(row?.net ?? 0)
}

export type WrongLine = { place: string; amountMicro: bigint; bookedMicro: bigint }

/**
 * Lines of these statements that are booked, yet whose entry is missing or moves another amount. Those of payouts are booked
 * with the payouts, whose own entries are compared elsewhere.
 */
export async function findWrongLines(db: Queryable, statements: readonly bigint[]): Promise<WrongLine[]> {
  const rows = await db.query<{ place: string; amount: bigint; booked: string }>(
    `select l.place, l.amount_micro as amount, coalesce(b.booked, 0)::text as booked from (
       select l.amount_micro, l.bank_account, ${placeOf('l')} as place
       from bank_lines l join bank_statements s using (statement_no)
       where l.statement_no = any ($1::bigint[]) and l.made_by is null
         and (l.state in ('unallocated', 'assigned', 'allocated') or l.matched_kind in ('mint', 'remitter', 'own_transfer', 'claim'))) l
     left join lateral (
       select sum(m.amount) as booked from ledger_entries e
       cross join lateral unnest(e.accounts, e.amounts_micro) as m (account, amount)
       where e.reference = 'statement/' || l.place and m.account = 'reserve:' || l.bank_account) b on true
     where coalesce(b.booked, 0) <> l.amount_micro order by l.place limit 100`,
    [statements],
  )
  return rows.map((row) => ({ place: row.place, amountMicro: row.amount, bookedMicro: BigInt(row.booked) }))
}

/** What the books have of a bank account, lines that are not booked yet included, and what its newest statement closes with. */
export type Reserve = { bankAccount: string; statementId: string; closingMicro: bigint; bookedMicro: bigint }

/** Of every account that ever had a statement, all as of one moment: lines may be booked meanwhile. */
export async function readReserves(db: Queryable): Promise<Reserve[]> {
  const rows = await db.query<{ bank_account: string; statement_id: string; closing_micro: bigint; booked: string }>(
    `select n.bank_account, n.statement_id, n.closing_micro, (
         coalesce((select sum(amount) from (${TURNOVER}) t where t.account = 'reserve:' || n.bank_account), 0)
         + coalesce((select sum(l.amount_micro) from bank_lines l join bank_statements b using (statement_no)
             where l.state = 'unbooked' and l.bank_account = n.bank_account and b.position is not null), 0))::text as booked
     from (select distinct on (s.bank_account) s.bank_account, s.statement_id, s.closing_micro from bank_statements s
       where s.position is not null order by s.bank_account, s.closed_on desc, s.position desc) n
     order by n.bank_account`,
  )
  return rows.map((row) => ({
    bankAccount: row.bank_account,
    statementId: row.statement_id,
    closingMicro: row.closing_micro,
    bookedMicro: BigInt(row.booked),
  }))
}
