/** How long events have been kept from their readers. */
import type { Queryable } from '../db/database.ts'

/** The oldest transaction that is open, and the one after the last that has ended: the same where none has ended after it, so that nothing is held back. */
const OLDEST = `select pg_snapshot_xmin(s)::text::bigint as oldest, pg_snapshot_xmax(s)::text::bigint as next
  from (select pg_current_snapshot() as s) snapshot`

/**
 * Makes what says for how many seconds the same transaction has been the oldest one that is open in the whole server, in any of its databases:
 * no event that came later is shown before it ends. Its beginning is hidden from whoever is not its user, so it counts from the first look that finds it.
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
