/** Time passes when a life says so, for settlers and for what their database remembers. */
import type { Database, Queryable } from '../../src/db/database.ts'

/** For a life the server has been there for ever: what was said some minutes ago, by its clock, would otherwise be of before the server was started. */
const STARTED = 'pg_postmaster_start_time()'
const aged =
  (query: Queryable['query']): Queryable['query'] =>
  (text, params) =>
    query(text.replaceAll(STARTED, `timestamptz '-infinity'`), params)

/** One statement or transaction at a time, whoever of a life makes it, so that a life is the same each time. */
export function takingTurns(): (db: Database) => Database {
  let last: Promise<unknown> = Promise.resolve()
  const behind = <T>(work: () => Promise<T>): Promise<T> => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
  return (db) => {
    const query = aged(db.query)
    return {
      ...db,
      query: (...given) => behind(() => query(...given)) as never,
      transaction: (work) => behind(() => db.transaction((tx) => work({ ...tx, query: aged(tx.query) }))),
    }
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
