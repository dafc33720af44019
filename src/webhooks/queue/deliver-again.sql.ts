/** Schedules the events of one order again, one after another. */
import { DELIVERIES_DUE } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import { nextNumber } from '../../db/next-number.ts'
import { eventIdsOf } from '../../events/event.ts'
import { joinSubscribed } from './subscribed.sql.ts'

/**
 * Schedules the events of an order afresh for every enabled endpoint that is subscribed to them, whatever became of an
 * earlier delivery: the first one now, and each of the others so much later.
 * @param given.gapMs between one event and the next; 0: all of them now
 * @param given.newestFirst otherwise as they happened
 * @returns how many deliveries are due; 0 also where there is no such order
 */
export async function deliverAgain(
  tx: Queryable,
  given: { integrationId: string; referenceId: string; gapMs: number; newestFirst: boolean },
): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>(
    `with happened as (
       select e.event_id, e.created_at, e.type, e.integration_id,
         row_number() over (order by case when $3::boolean then -e.event_seq else e.event_seq end) - 1 as place
       from events e where e.event_id = any ($1::text[])),
     scheduled as (
       insert into deliveries (event_id, event_at, endpoint_id, scheduled_from, created_at, next_attempt_at)
       select h.event_id, h.created_at, w.endpoint_id, now(), now(), now() + h.place * $2::int * interval '1 millisecond'
       from happened h ${joinSubscribed('h')}
       on conflict on constraint deliveries_once_per_endpoint do update
         set status = 'due', attempts = 0, scheduled_from = now(), next_attempt_at = excluded.next_attempt_at,
           claimed_until = null, claim = ${nextNumber('deliveries.claim', 'integer')}
       returning delivery_id)
     select count(*) as count, pg_notify('${DELIVERIES_DUE}', '') from scheduled`,
    [eventIdsOf(given), given.gapMs, given.newestFirst],
  )
  return Number(row?.count ?? 0n)
}
