/** Time passes when a life says so, for settlers and for what their database remembers. */
import type { Database } from '../../src/db/database.ts'

/** One statement or transaction at a time, so that a life is the same each time. */
export function inTurn(db: Database): Database {
  let last: Promise<unknown> = Promise.resolve()
  const behind = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
  return {
    ...db,
    query: (...given) => behind(() => db.query(...given)) as never,
    transaction: (work) => behind(() => db.transaction(work)),
  }
}

export function createClock(db: Database) {
  let nowMs = 0
  /** For the database it is so much later. */
  async function age(ms: number): Promise<void> {
    await db.query(
      `with passed as (select $1 * interval '1 millisecond' as by),
       leased as (update leases set expires_at = expires_at - by from passed),
       sent as (update batch_attempts set last_broadcast_at = last_broadcast_at - by from passed where last_broadcast_at is not null)
       update settlement_holds set seen_at = seen_at - by from passed`,
      [ms],
    )
  }
  return {
    nowMs: () => nowMs,
    age,
    async pass(ms: number): Promise<void> {
      nowMs += ms
      await age(ms)
    },
  }
}
