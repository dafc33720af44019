/**
 * SQL that reads an integration's events in an order in which nothing is ever inserted before a reader's place: by the
 * transaction that wrote them, and only those before which no transaction is still open. Sequence numbers and times
 * alone would not do, because an event that commits late has lower ones than events already read.
 */
import type { Queryable, Row } from '../db/database.ts'
import { bodyOf, type EventType } from './event.ts'
import { type EventRow, eventFromRow, SHOWN_COLUMNS } from './events.sql.ts'

/** How far a reader has got: everything up to this event, or up to the end of this transaction. */
export type FeedPosition = { transactionId: bigint; sequence: bigint }

/**
 * A position that a reader keeps. `mark`: when the newest of the integration's events up to it was written, in milliseconds; 0 when there was
 * none. Nothing is ever inserted before a position, so another mark means another history.
 */
export type MarkedPosition = FeedPosition & { mark: bigint }

/** `payload` is the webhook body. */
export type FeedEvent = { eventId: string; type: string; payload: string }

export const FEED_START: FeedPosition = { transactionId: 0n, sequence: 0n }
export const LAST_SEQUENCE = 2n ** 63n - 1n
/**
 * How far the times of events may be out of order. Each has two: when it happened, by the clock of whoever changed the order, and when it was stored, by
 * the database's at the start of the transaction. These two differ, and events follow one another, by no more than this unless a clock was wrong: no
 * limit lets a transaction take longer than a minute. The larger it is, the more is read for nothing.
 */
const ASTRAY_MS = 600_000

/** How far back a reader of another history begins at least: longer than it takes to bring a restored service up. */
const REWOUND_MS = 86_400_000

/** So many events are looked at for one page. A reader who asks for a rare type would otherwise have all of years read at once, until that is given up. */
const MOST_LOOKED_AT = 20_000

type Reading = {
  after: FeedPosition | MarkedPosition
  /** null: all of them. */
  types: readonly EventType[] | null
  /** By the time that events show. null: of any age. */
  since: Date | null
  limit: number
  /** Default `MOST_LOOKED_AT`. */
  mostLookedAt?: number
}

type FoundRow = EventRow & { created_at: Date; transaction_id: bigint; event_seq: bigint }
type Looked = { looked_transaction: bigint | null; looked_seq: bigint | null; looked_mark: Date | null }
/** Without an event, a page tells the horizon alone, and how far it has looked. */
type PageRow = Row & { horizon: bigint; mark: Date | null; end_mark: Date | null } & Looked &
  (FoundRow | { event_id: null })

/** When the newest event of the integration ($1) was written of which a condition is true. */
const markOf = (condition: string) => `(select m.created_at from events m where m.integration_id = $1 and ${condition}
    order by m.transaction_id desc, m.event_seq desc limit 1)`

/** The events after the place where a page begins, in their order. */
const following = (
  condition: string,
) => `from events e where integration_id = $1 and (transaction_id, event_seq) > ($2::text::xid8, $3::bigint)
        and transaction_id < h.horizon::text::xid8 and ${condition} order by e.transaction_id, e.event_seq`

/**
 * Partners ask for it all the time, so one plan must do for every call: the place where it begins is always given, and conditions that may be absent
 * only filter the events from there on. Of these, `looked_…` is the last that was looked at, where there are conditions and so many events; it is looked
 * for once, and only where they have not filled the page, which would otherwise be as dear as the longest.
 */
const PAGE = `with h as materialized (
    select h.horizon, ${markOf('(m.transaction_id, m.event_seq) <= ($2::text::xid8, $3::bigint)')} as mark, ${markOf('m.transaction_id < h.horizon::text::xid8')} as end_mark
    from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon) h),
  page as materialized (select e.* from h cross join lateral (
    select e.* from (select ${SHOWN_COLUMNS}, e.created_at, e.transaction_id::text::bigint as transaction_id, e.event_seq, e.transaction_id as place ${following('true')} limit $7) e
    where coalesce(type = any ($4::text[]), true)
      and coalesce(happened_at >= $5::timestamptz and created_at >= $5::timestamptz - interval '${ASTRAY_MS} milliseconds', true)
    order by e.place, e.event_seq limit $6) e),
  looked as materialized (select w.* from h cross join lateral (
    select e.transaction_id::text::bigint as looked_transaction, e.event_seq as looked_seq, e.created_at as looked_mark
    ${following('($4::text[] is not null or $5::timestamptz is not null) and (select count(*) from page) < $6')} offset $7 - 1 limit 1) w)
  select h.*, w.*, e.* from h left join looked w on true left join page e on true order by e.transaction_id, e.event_seq`

type FeedPage = { events: FeedEvent[]; next: MarkedPosition; isEnd: boolean }

/**
 * The next events of an integration after a position.
 *
 * The position may be one of a history that was lost with a restore or a failover. Transactions are numbered anew from there, so it may be ahead of what
 * happens now. It is recognised by that: no transaction of this database has reached it yet, or its mark is not that of the events before it. Whoever has
 * such a position begins a day back, or where they were if that is earlier, and is shown some events twice rather than missing others.
 * @returns `next`, where to continue; `isEnd` when there was nothing more
 */
export async function readFeed(db: Queryable, integrationId: string, reading: Reading): Promise<FeedPage> {
  const { page, horizon, mark } = await readPage(db, integrationId, reading)
  const { transactionId } = reading.after
  const known = 'mark' in reading.after ? reading.after.mark : mark
  if (transactionId < horizon && known === mark) return page
  const from = new Date(Math.min(Date.now() - REWOUND_MS, Number(known)))
  const after = await feedPositionAt(db, integrationId, from)
  return (await readPage(db, integrationId, { ...reading, after })).page
}

async function readPage(
  db: Queryable,
  integrationId: string,
  { after, types, since, limit, mostLookedAt = MOST_LOOKED_AT }: Reading,
): Promise<{ page: FeedPage; horizon: bigint; mark: bigint }> {
  const { transactionId, sequence } = after
  const most = types === null && since === null ? limit + 1 : Math.max(mostLookedAt, limit + 1)
  const begin = [integrationId, String(transactionId), sequence]
  const rows = await db.query<PageRow>(PAGE, [...begin, types, since, limit + 1, most])
  const left = rows.filter((row): row is PageRow & FoundRow => row.event_id !== null)
  const found = left.slice(0, limit)
  const last = found.at(-1)
  const { horizon = 0n, mark = null, end_mark: endMark = null } = rows[0] ?? {}
  const isFull = left.length > limit
  const looked = lookedTo(rows[0])
  // A full page may be the last one: only what is left beyond it says that there is more, or what nobody has looked at yet.
  const isEnd = !isFull && looked === undefined
  const events = found.map((row) => ({
    eventId: row.event_id,
    type: row.type,
    payload: bodyOf(eventFromRow(row)),
  }))
  const end = { ...endOf(horizon), mark: markFrom(endMark) }
  const here = { transactionId, sequence, mark: markFrom(mark) }
  const next =
    last !== undefined && isFull
      ? { transactionId: last.transaction_id, sequence: last.event_seq, mark: markFrom(last.created_at) }
      : (looked ?? later(here, end))
  return { page: { events, next, isEnd }, horizon, mark: here.mark }
}

/** The last event that was looked at, where there may be others behind it. */
function lookedTo(row: PageRow | undefined): MarkedPosition | undefined {
  const { looked_transaction: transactionId = null, looked_seq: sequence = null, looked_mark: mark = null } = row ?? {}
  return transactionId === null || sequence === null ? undefined : { transactionId, sequence, mark: markFrom(mark) }
}

function markFrom(createdAt: Date | null): bigint {
  return BigInt(createdAt?.getTime() ?? 0)
}

const END = `select h.horizon, ${markOf('m.transaction_id < h.horizon::text::xid8')} as mark
  from (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon from integrations where integration_id = $1) h`

/**
 * The present end of the feed, from which a reader gets only what happens from now on. Undefined when there is no such
 * integration.
 */
export async function feedEnd(db: Queryable, integrationId: string): Promise<MarkedPosition | undefined> {
  const [row] = await db.query<{ horizon: bigint; mark: Date | null }>(END, [integrationId])
  return row === undefined ? undefined : { ...endOf(row.horizon), mark: markFrom(row.mark) }
}

function endOf(horizon: bigint): FeedPosition {
  return { transactionId: horizon - 1n, sequence: LAST_SEQUENCE }
}

/** The end of a transaction comes after every place within it. */
function later(here: MarkedPosition, end: MarkedPosition): MarkedPosition {
  return end.transactionId >= here.transactionId ? end : here
}

const FROM = `select transaction_id::text::bigint as transaction_id, created_at from events
  where integration_id = $1 and transaction_id >= $2::text::xid8
  order by events.transaction_id, event_seq limit 1`

/**
 * A position before, but not long before, every event of an instant or later. Events are ordered by transaction, so the
 * place is found by halving, and no index by time has to be written with each event.
 */
export async function feedPositionAt(db: Queryable, integrationId: string, since: Date): Promise<FeedPosition> {
  const beforeMs = since.getTime() - ASTRAY_MS
  let low = 0n
  let high = ((await feedEnd(db, integrationId))?.transactionId ?? 0n) + 1n
  while (low < high) {
    const middle = (low + high) / 2n
    const [row] = await db.query<{ transaction_id: bigint; created_at: Date }>(FROM, [integrationId, String(middle)])
    if (row === undefined || row.created_at.getTime() >= beforeMs) high = middle
    else low = row.transaction_id + 1n
  }
  // Not ahead of the feed's end: it would be taken for a position of a lost history.
  return low === 0n ? FEED_START : endOf(low)
}
