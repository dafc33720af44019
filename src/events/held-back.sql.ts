/** How long events have been kept from their readers. */
import type { Queryable } from '../db/database.ts'

/** The oldest transaction that is open, and the one after the newest that has ended. Where they are the same, nothing that has ended is held back. */
const OLDEST = `select pg_snapshot_xmin(s)::text::bigint as oldest, pg_snapshot_xmax(s)::text::bigint as next
  from (select pg_current_snapshot() as s) snapshot`

/**
 * Makes a function that says for how many seconds one open transaction has held events back: readers are shown none that was written after the oldest
 * transaction that is open in the whole server, in whichever of its databases. When it began is hidden from other users, so the time counts from the
 * first look that finds it.
 * @param nowMs a clock that never goes back
 */
export function createHeldBack(db: Queryable, nowMs: () => number = () => performance.now()): () => Promise<number> {
  let open: { oldest: bigint; sinceMs: number } | undefined
  return async () => {
    const [row] = await db.query<{ oldest: bigint; next: bigint }>(OLDEST)
    if (row === undefined || row.oldest >= row.next) open = undefined
    else if (open?.oldest !== row.oldest) open = { oldest: row.oldest, sinceMs: nowMs() }
    return open === undefined ? 0 : (nowMs() - open.sinceMs) / 1_000
  }
}

const AHEAD = `select from integrations i cross join lateral (
    select e.transaction_id from events e where e.integration_id = i.integration_id
    order by e.transaction_id desc, e.event_seq desc limit 1) newest
  where newest.transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) limit 1`

/**
 * Whether there are events of transactions that this server has not numbered yet: they came with a dump of another server. No reader is shown them, nor
 * would `since` find them, before this server's transactions have got there.
 */
export async function areAhead(db: Queryable): Promise<boolean> {
  return (await db.query(AHEAD)).length > 0
}
