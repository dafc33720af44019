/** What a database clock that was ahead for a while left behind. */
import type { Queryable } from '../../db/database.ts'
import { RETRY_DELAYS_MS } from '../schedule.ts'

const NOW = 'coalesce($1::timestamptz, now())'
/** No wait of the schedule, and no claim, ends this much later than it should. */
const TOO_LONG = `interval '10 minutes'`
/** How long a delivery that has failed this often waits at most. */
const WAIT = `coalesce(($2::bigint[])[attempts], 0) * interval '1 millisecond'`

/**
 * Makes deliveries due that were put off, or claimed, while the clock was ahead, instead of when that time comes. Whoever has claimed one may
 * still be sending it, so it stays theirs for as long as a claim lasts.
 * @param now null: the database's clock. Tests give their own
 * @returns how many
 */
export async function hurryDeliveries(db: Queryable, now: Date | null, claimMs: number): Promise<number> {
  const rows = await db.query(
    `update deliveries set next_attempt_at = least(next_attempt_at, ${NOW}),
       claimed_until = case when claimed_until > ${NOW} then least(claimed_until, ${NOW} + $3::int * interval '1 millisecond') end
     where status = 'due' and delivery_id + 0 > 0
       and (next_attempt_at > ${NOW} + ${WAIT} + ${TOO_LONG} or claimed_until > ${NOW} + ${TOO_LONG})
     returning delivery_id`,
    [now, RETRY_DELAYS_MS, claimMs],
  )
  return rows.length
}
