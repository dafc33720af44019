/** Journal entries: written in the transaction of what they record, and never changed. */
import type { Queryable } from '../db/database.ts'
import { partsBefore } from '../db/parts.ts'
import { type Account, type AccountKind, accountOf, readAccount } from './accounts.ts'
import { addFlows, holdPeriods, NOT_AFTER_NOW } from './flows.sql.ts'
import { type Flow, flowsOf } from './flows.ts'
import type { Entry } from './postings.ts'

// `is_there`: the books have the entry already; it may still have to be queued for its seal, because no balance has it before. `is_taken`: its name stands
// for something else, which somebody has written past the service. Were that an error, what has happened could never be recorded.
const INSERT = `with given as (
    select s.reference, e.at, d.day, s.accounts, s.amounts_micro, t.reference is not null as is_taken, t.entry_id as there_id,
      coalesce((t.day, t.accounts, t.amounts_micro) = (d.day, s.accounts, s.amounts_micro), false) as is_there
    from ledger_book b, jsonb_to_recordset($1::jsonb) as s (
      reference text, effective_at timestamptz, accounts text[], amounts_micro numeric[])
    cross join lateral (select ${NOT_AFTER_NOW} as at) e
    cross join lateral (select greatest((e.at at time zone b.timezone)::date, b.closed_through + 1) as day) d
    left join lateral (select entry_id, reference, day, accounts, amounts_micro from ledger_entries where reference = s.reference limit 1) t on true),
  inserted as (
    insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
    select case when is_taken then left(reference, 250) || '/taken/' || gen_random_uuid() else reference end, at, day, accounts, amounts_micro
    from given where not is_there
    returning entry_id),
  queued as (
    insert into ledger_unsealed (entry_id)
    select entry_id from inserted
    union all select there_id from given where is_there and (select position from ledger_seals where entry_id = there_id) is null
    on conflict do nothing)
  select (select count(*) from given) as entries from (select count(*) from inserted) i`

/**
 * Writes journal entries, in the transaction of what they record, and adds what they say to the flows of the day. Each is
 * booked on the day on which it took effect, or on the first open one; by the database's clock none takes effect later than now. An entry that is
 * there already, with its lines and its day, is not written again. Where another one has its reference it gets another name, which `reconcile` shows.
 * @param transfers what is not booked and counts in the flows alone
 * @throws the database's error when an entry does not balance: the transaction must be rolled back
 */
export async function recordEntries(
  tx: Queryable,
  entries: readonly Entry[],
  transfers: readonly Flow[] = [],
): Promise<void> {
  if (entries.length === 0 && transfers.length === 0) return
  await holdPeriods(tx)
  if (entries.length > 0) await insertEntries(tx, entries)
  await addFlows(tx, [...flowsOf(entries), ...transfers])
}

async function insertEntries(tx: Queryable, entries: readonly Entry[]): Promise<void> {
  const [row] = await tx.query<{ entries: bigint }>(INSERT, [
    JSON.stringify(
      entries.map(({ reference, effectiveAt, lines }) => ({
        reference,
        effective_at: effectiveAt.toISOString(),
        accounts: lines.map(({ account }) => account),
        amounts_micro: lines.map(({ amountMicro }) => String(amountMicro)),
      })),
    ),
  ])
  if (row?.entries !== BigInt(entries.length)) throw new Error('the books have lost their row in ledger_book')
}

/**
 * Has the database judge now the entries that this transaction has booked. Otherwise it does at the end: what it refuses of one part that may fail by itself
 * would undo all others.
 */
export async function judgeEntries(tx: Queryable): Promise<void> {
  await tx.query('set constraints ledger_entries_of_lost immediate')
  // What is booked next may be written before what it names.
  await tx.query('set constraints ledger_entries_of_lost deferred')
}

/** A journal entry as it stands in the books. `day` is `YYYY-MM-DD`; `position` is null until it is sealed. */
export type RecordedEntry = Entry & { entryId: bigint; recordedAt: Date; day: string; position: bigint | null }

/** So many entries are looked at by one statement: those of an account that few have are far apart, and no statement is to take long. */
const AT_ONCE = 250_000n

/** $1, $2: an account, or what accounts of a kind begin with · $3, $4: from and to which id · $5: how many. */
const PART = `select e.entry_id, e.reference, e.effective_at, e.recorded_at, e.day, e.accounts, e.amounts_micro, s.position
  from ledger_entries e left join ledger_seals s using (entry_id)
  where ($1::text is null or e.accounts @> array[$1::text])
    and ($2::text is null or exists (select from unnest(e.accounts) as a (account) where starts_with(a.account, $2)))
    and e.entry_id >= $3 and e.entry_id <= $4
  order by e.entry_id desc limit $5`

export type ListedRow = EntryRow & { entry_id: bigint; recorded_at: Date; day: string; position: bigint | null }

/**
 * At most `limit` entries, newest first, older than the entry `after` when given.
 * @param account only those that move this account, or any account of this kind
 */
export async function listEntries(
  db: Queryable,
  { account, after, limit }: { account: Account | AccountKind | undefined; after: bigint | undefined; limit: number },
): Promise<RecordedEntry[]> {
  const isKind = account !== undefined && !account.includes(':')
  const which = [isKind ? null : (account ?? null), isKind ? `${account}:` : null]
  const rows: ListedRow[] = []
  for await (const { from, to } of partsBefore(after, AT_ONCE, (id) => newestBefore(db, id))) {
    rows.push(...(await db.query<ListedRow>(PART, [...which, from, to, limit - rows.length])))
    if (rows.length >= limit) break
  }
  return rows.map(recordedOf)
}

/** An entry as it is listed. */
export function recordedOf(row: ListedRow): RecordedEntry {
  return {
    entryId: row.entry_id,
    reference: row.reference,
    effectiveAt: row.effective_at,
    recordedAt: row.recorded_at,
    day: row.day,
    position: row.position,
    lines: linesOf(row),
  }
}

async function newestBefore(db: Queryable, id: bigint | null): Promise<bigint | undefined> {
  const [row] = await db.query<{ entry_id: bigint }>(
    'select entry_id from ledger_entries where ($1::bigint is null or entry_id < $1) order by entry_id desc limit 1',
    [id],
  )
  return row?.entry_id
}

/** The lines of the entry that was booked by this reference, also where that was taken, past the service; undefined when none was. */
export async function findEntryLines(db: Queryable, reference: string): Promise<Entry['lines'] | undefined> {
  const [row] = await db.query<EntryRow>(
    `select reference, effective_at, accounts, amounts_micro from (
       select *, true as was_taken from ledger_entries where reference >= left($1, 250) || '/taken/' and reference < left($1, 250) || '/taken0'
       union all select *, false from ledger_entries where reference = $1) e order by was_taken desc, entry_id limit 1`,
    [reference],
  )
  return row && linesOf(row)
}

type EntryRow = { reference: string; effective_at: Date; accounts: string[]; amounts_micro: string[] }

function linesOf({ accounts, amounts_micro: amounts }: EntryRow): Entry['lines'] {
  return accounts.map((name, index) => {
    const { kind, owner } = readAccount(name) ?? { kind: 'unallocated', owner: name }
    return { account: accountOf(kind, owner), amountMicro: BigInt(amounts[index] ?? '0') }
  })
}
