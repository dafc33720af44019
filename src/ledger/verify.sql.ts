/** What `ledger verify` reads. */
import type { Queryable } from '../db/database.ts'
import type { StoredSeal } from '../seals/sealed-log.ts'
import { type SealRow, storedSealFromRow } from '../seals/sealing.sql.ts'
import { EVERY_DAY } from './balances.sql.ts'
import { contentFromRow, SEALED_COLUMNS, type SealedContent, type SealedRow } from './seals.sql.ts'

/** The seals after a position up to `until`, at most `limit`. */
export async function readSeals(
  db: Queryable,
  { after, until, limit }: { after: bigint; until: bigint; limit: number },
): Promise<StoredSeal<SealedContent>[]> {
  const rows = await db.query<SealRow<SealedRow>>(
    `select s.position, s.entry_id as sealed_id, encode(s.hash, 'hex') as hash, e.entry_id is not null as is_there, ${SEALED_COLUMNS}
     from ledger_seals s left join ledger_entries e using (entry_id)
     where s.position > $1 and s.position <= $2 order by s.position limit $3`,
    [after, until, limit],
  )
  return rows.map((row) => storedSealFromRow(row, contentFromRow))
}

/** Totals by account and day: `account day` → debits and credits as decimal text. */
export type Totals = Map<string, { debit: bigint; credit: bigint }>

/** The newest seal and the totals, of one moment. */
export async function readTotals(db: Queryable): Promise<{ position: bigint; totals: Totals }> {
  const rows = await db.query<{ position: bigint; account: string | null; day: string; debit: string; credit: string }>(
    `select h.position, t.account, t.day::text as day, t.debit_micro::text as debit, t.credit_micro::text as credit
     from (select coalesce(max(position), 0) as position from ledger_seals) h left join ledger_totals t on true`,
  )
  return {
    position: rows[0]?.position ?? 0n,
    totals: new Map(
      rows.flatMap(({ account, day, debit, credit }) =>
        account === null ? [] : [[`${account} ${day}`, { debit: BigInt(debit), credit: BigInt(credit) }] as const],
      ),
    ),
  }
}

/** The first entry after another that has neither a seal nor waits for one: somebody put it there past the service. */
export async function findInserted(
  db: Queryable,
  { after, until }: { after: bigint; until: bigint },
): Promise<bigint | undefined> {
  const [row] = await db.query<{ entry_id: bigint }>(
    `select e.entry_id from ledger_entries e where e.entry_id > $1 and e.entry_id <= $2
       and not exists (select from ledger_seals s where s.entry_id = e.entry_id)
       and not exists (select from ledger_unsealed u where u.entry_id = e.entry_id)
     order by e.entry_id limit 1`,
    [after, until],
  )
  return row?.entry_id
}

/** The highest number of an entry, and how many there are. */
export async function countEntries(db: Queryable): Promise<{ highest: bigint; entries: bigint }> {
  const [row] = await db.query<{ highest: bigint; entries: bigint }>(
    'select coalesce(max(entry_id), 0) as highest, count(*) as entries from ledger_entries',
  )
  return row ?? { highest: 0n, entries: 0n }
}

/** What a closing carried on and the entries up to it differ in. */
const WRONG_CARRIED = `with moved as (
    select account, (select min(through) from ledger_closings where through >= day) as through, sum(amount) as amount
    from (${EVERY_DAY}) t group by 1, 2),
  carried as (
    select account, through, balance_micro - lag(balance_micro, 1, 0) over (partition by account order by through) as amount
    from ledger_carried)
  select account || ' ' || through as subject from carried c full join moved m using (account, through)
  where through is not null and coalesce(c.amount, 0) <> coalesce(m.amount, 0)
  union all
  select 'chain ' || chain_id || ' ' || through from (
    select chain_id, through, sum(issued_micro) as issued from ledger_flows_carried group by 1, 2) f
  full join (select split_part(account, ':', 2)::bigint as chain_id, through, -balance_micro as balance from ledger_carried
    where account like 'coins:%') a using (chain_id, through)
  where coalesce(f.issued, 0) <> coalesce(a.balance, 0)
  order by 1 limit 1`

/** The first balance that a closing carried on and that is not the sum of the entries up to it. */
export async function findWrongCarried(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ subject: string }>(WRONG_CARRIED)
  return row?.subject
}
