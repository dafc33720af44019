/** What `ledger verify` reads. */
import type { Database, Queryable } from '../db/database.ts'
import type { InsertedRange, InsertedStep, StoredSeal } from '../seals/sealed-log.ts'
import { type SealRow, storedSealFromRow } from '../seals/sealing.sql.ts'
import { ISSUED } from './flows.sql.ts'
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

/** Totals by account and day: `account day` → debits and credits. */
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

/** Of the entries after a number: the last of a step, and the first that somebody put there past the service. */
export async function findInserted(db: Queryable, { after, until, limit }: InsertedRange): Promise<InsertedStep> {
  const [row] = await db.query<InsertedStep>(
    `with step as materialized (select entry_id from ledger_entries
       where ($1::bigint is null or entry_id > $1) and entry_id <= $2 order by entry_id limit $3::int)
     select max(e.entry_id) as last, min(e.entry_id) filter (where
       not exists (select from ledger_seals s where s.entry_id = e.entry_id)
       and not exists (select from ledger_unsealed u where u.entry_id = e.entry_id)) as inserted
     from step e`,
    [after, until, limit],
  )
  return row ?? { last: null, inserted: null }
}

/** The highest number of an entry, and how many there are. */
export async function countEntries(db: Queryable): Promise<{ highest: bigint; entries: bigint }> {
  const [row] = await db.query<{ highest: bigint; entries: bigint }>(
    'select coalesce(max(entry_id), 0) as highest, count(*) as entries from ledger_entries',
  )
  return row ?? { highest: 0n, entries: 0n }
}

/** Through which day the newest closing is, where the service takes another day for the last closed one. */
export async function findReopened(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ through: string }>(
    `select coalesce(c.through::text, 'none') as through from ledger_book, (select max(through) as through from ledger_closings) c
     where closed_through is distinct from c.through`,
  )
  return row?.through
}

const CLOSINGS = `select through::text as through, coalesce(lag(through) over (order by through), '-infinity')::text as before
  from ledger_closings order by through`

/** What a closing `$2` carried on must be what the one before it (`$1`) did, and what moved since; a row that is missing is nothing. */
function wrongCarried(moved: string, carried: string): string {
  return `select name || ' ' || $2::text as subject from (select name, sum(amount) as amount from (${moved}) m group by name) m
    full join (${carried}) c using (name)
    where coalesce(m.amount, 0) <> coalesce(c.amount, 0) order by 1 limit 1`
}

const CARRIED = (through: string) =>
  `select account as name, balance_micro as amount from ledger_carried where through = ${through}`
const WRONG_BALANCE = wrongCarried(
  `${CARRIED('$1::date')} union all
  select account, debit_micro - credit_micro from ledger_totals where day > $1::date and day <= $2::date union all
  select l.account, l.amount from ledger_unsealed join ledger_entries e using (entry_id)
    cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount) where e.day > $1::date and e.day <= $2::date`,
  CARRIED('$2::date'),
)

const FLOWED = (through: string) =>
  `select integration_id || ' ' || chain_id as name, issued_micro as amount from ledger_flows_carried where through = ${through}`
const WRONG_ISSUED = wrongCarried(
  `${FLOWED('$1::date')} union all
  select integration_id || ' ' || chain_id, ${ISSUED} from ledger_flows
    where day > $1::date and day <= $2::date`,
  FLOWED('$2::date'),
)

/**
 * The first balance that a closing carried on and that is not the sum of the entries, or of the flows, up to it. One closing after the
 * other: all at once would outlast what a statement may take.
 */
export async function findWrongCarried(db: Queryable): Promise<string | undefined> {
  for (const { before, through } of await db.query<{ before: string; through: string }>(CLOSINGS)) {
    for (const wrong of [WRONG_BALANCE, WRONG_ISSUED]) {
      const [row] = await db.query<{ subject: string }>(wrong, [before, through])
      if (row !== undefined) return row.subject
    }
  }
  return undefined
}
