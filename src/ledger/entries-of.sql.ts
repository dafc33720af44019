/** Entries of days, and by what they are called: what somebody looks through who goes from a figure to what it is made of. */
import type { Queryable } from '../db/database.ts'
import type { Account, AccountKind } from './accounts.ts'
import { type ListedRow, type RecordedEntry, recordedOf } from './entries.sql.ts'

const LISTED = `select e.entry_id, e.reference, e.effective_at, e.recorded_at, e.day, e.accounts, e.amounts_micro, s.position
  from ledger_entries e left join ledger_seals s using (entry_id)`

/**
 * As `ledger_entries_by_day` has it: a day at a time, so that no statement takes long, and what is far back takes no longer. The sum in its order keeps
 * PostgreSQL from going through all entries that are newer, in the order of their ids.
 */
const OF_DAY = `${LISTED} where e.day + 0 = $1::date and ($2::bigint is null or e.entry_id < $2)
  and ($3::text is null or e.accounts @> array[$3::text])
  and ($4::text is null or exists (select from unnest(e.accounts) as a (account) where starts_with(a.account, $4)))
  order by e.entry_id + 0 desc limit $5`

/** Before the day that is so many days after another; of all where there is no other. */
const NEWEST_DAY = `select (e.day + 0)::text as day from ledger_entries e
  where e.day + 0 < coalesce($1::date + $2::int, 'infinity') order by e.day + 0 desc limit 1`

/** Both ends belong to it; without one it goes as far as the books do. */
export type Days = { from: string | undefined; through: string | undefined }

type Asked = { account: Account | AccountKind | undefined; after: bigint | undefined; limit: number }

/**
 * At most `limit` entries that count on these days, the newest day first and of each day the newest first.
 * @param after the entry after which the page begins
 * @returns undefined when there is no such entry
 */
export async function listEntriesOfDays(
  db: Queryable,
  { from, through }: Days,
  { account, after, limit }: Asked,
): Promise<RecordedEntry[] | undefined> {
  const began = after === undefined ? undefined : await dayOf(db, after)
  if (after !== undefined && began === undefined) return undefined
  const isKind = account !== undefined && !account.includes(':')
  const which = [isKind ? null : (account ?? null), isKind ? `${account}:` : null]
  const rows: ListedRow[] = []
  // An entry of a later day is before them all.
  const isLater = began !== undefined && through !== undefined && began > through
  let day = began === undefined || isLater ? await newestDay(db, through, 1) : began
  while (day !== undefined && (from === undefined || day >= from)) {
    const before = day === began ? (after ?? null) : null
    rows.push(...(await db.query<ListedRow>(OF_DAY, [day, before, ...which, limit - rows.length])))
    if (rows.length >= limit) break
    day = await newestDay(db, day, 0)
  }
  return rows.map(recordedOf)
}

async function dayOf(db: Queryable, entryId: bigint): Promise<string | undefined> {
  const [row] = await db.query<{ day: string }>('select day::text as day from ledger_entries where entry_id = $1', [
    entryId,
  ])
  return row?.day
}

async function newestDay(db: Queryable, day: string | undefined, daysAfter: 0 | 1): Promise<string | undefined> {
  const [row] = await db.query<{ day: string }>(NEWEST_DAY, [day ?? null, daysAfter])
  return row?.day
}

/**
 * The name itself, and what begins with it and a slash: `0` comes after the slash. In the order of the names, as their index has them: however many there are
 * under a name, no page reads more of them than it shows.
 */
const NAMED = `select * from (
    (${LISTED} where e.reference = $1 and $2::text is null)
    union all (${LISTED} where e.reference >= $1 || '/' and e.reference < $1 || '0' and e.reference > coalesce($2, '') order by e.reference limit $3)) n
  order by n.reference limit $3`

/**
 * At most `limit` entries, by their names, whose reference is this or begins with it and a slash, such as `payout/po_…`, `batch/1/7` or `statement/main/S1`.
 * @param after the entry after which the page begins
 * @returns undefined when there is no such entry
 */
export async function listEntriesNamed(
  db: Queryable,
  reference: string,
  { after, limit }: Omit<Asked, 'account'>,
): Promise<RecordedEntry[] | undefined> {
  const [last] =
    after === undefined
      ? []
      : await db.query<{ reference: string }>('select reference from ledger_entries where entry_id = $1', [after])
  if (after !== undefined && last === undefined) return undefined
  const rows = await db.query<ListedRow>(NAMED, [reference, last?.reference ?? null, limit])
  return rows.map(recordedOf)
}
