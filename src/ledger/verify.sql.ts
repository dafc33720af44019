/** What `ledger verify` reads. */
import type { Database, Queryable } from '../db/database.ts'
import type { StoredSeal } from '../seals/sealed-log.ts'
import { type SealRow, storedSealFromRow } from '../seals/sealing.sql.ts'
import { EVERY_DAY } from './balances.sql.ts'
import {
  contentFromRow,
  readNewestSeal,
  readUnsealed,
  SEALED_COLUMNS,
  type SealedContent,
  type SealedRow,
} from './seals.sql.ts'

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

/** What `ledger_flows` has of a day that follows from entries: `integration chain day` → minted, refunded, redeemed, fees. */
export type Flows = Map<string, readonly bigint[]>

/** `unsealed`: entries that are in the flows already, and in no total. */
export type Added = { position: bigint; totals: Totals; flows: Flows; unsealed: readonly SealedContent[] }

const ALL = 1_000_000_000

/** The newest seal and what was added up, of one moment. */
export async function readAdded(db: Database): Promise<Added> {
  return await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const { position } = await readNewestSeal(tx)
    return { position, totals: await readTotals(tx), flows: await readFlows(tx), unsealed: await readUnsealed(tx, ALL) }
  })
}

async function readTotals(tx: Queryable): Promise<Totals> {
  const rows = await tx.query<{ account: string; day: string; debit: string; credit: string }>(
    'select account, day::text as day, debit_micro::text as debit, credit_micro::text as credit from ledger_totals',
  )
  return new Map(
    rows.map(({ account, day, debit, credit }) => [
      `${account} ${day}`,
      { debit: BigInt(debit), credit: BigInt(credit) },
    ]),
  )
}

async function readFlows(tx: Queryable): Promise<Flows> {
  const rows = await tx.query<{ name: string; moved: string[] }>(
    `select integration_id || ' ' || chain_id || ' ' || day as name,
       array[minted_micro, refunded_micro, redeemed_micro, fees_micro]::text[] as moved from ledger_flows`,
  )
  return new Map(rows.map(({ name, moved }) => [name, moved.map(BigInt)]))
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

/** What every account, and each integration on a chain, comes to at the end of every closing; and what the closing carried on of it. */
const WRONG_CARRIED = `with moved as (
    select account, (select min(through) from ledger_closings where through >= day) as through, sum(amount) as amount
    from (${EVERY_DAY}) t group by 1, 2),
  flowed as (
    select integration_id || ' ' || chain_id as owner, (select min(through) from ledger_closings where through >= day) as through,
      sum(minted_micro + refunded_micro - redeemed_micro) as amount
    from ledger_flows group by 1, 2)
  select subject from (
    ${wrongCarried('account', 'moved', 'select account, through, balance_micro as amount from ledger_carried')}
    union all
    ${wrongCarried('owner', 'flowed', `select integration_id || ' ' || chain_id as owner, through, issued_micro as amount from ledger_flows_carried`)}) w
  order by subject limit 1`

/** A row that is missing counts as nothing: of what did not move since the closing before it, no sum of movements would tell. */
function wrongCarried(name: string, moved: string, carried: string): string {
  return `select ${name} || ' ' || through as subject from (
      select n.${name}, c.through, sum(coalesce(m.amount, 0)) over (partition by n.${name} order by c.through) as amount
      from (select distinct ${name} from ${moved}) n cross join ledger_closings c left join ${moved} m using (${name}, through)) e
    full join (${carried}) c using (${name}, through)
    where coalesce(e.amount, 0) <> coalesce(c.amount, 0)`
}

/** The first balance that a closing carried on and that is not the sum of the entries, or the flows, up to it. */
export async function findWrongCarried(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ subject: string }>(WRONG_CARRIED)
  return row?.subject
}
