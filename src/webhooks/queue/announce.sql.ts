/** Appends events, and a due delivery for each subscribed endpoint, inside the caller's transaction. */
import { bytesParam } from '../../db/bytes.ts'
import { DELIVERIES_DUE } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { APPEND_EVENTS_CTE, EVENT_COLUMNS, EVENT_NAMES } from '../../events/events.sql.ts'
import { joinSubscribed } from './subscribed.sql.ts'

export type Announcement = OrderEvent & { integrationId: string }

/**
 * The SQL of two CTEs, `appended_events` and `planned_deliveries`, behind a CTE `source` with the columns of `EVENT_COLUMNS`: one
 * statement changes an order and tells of it.
 */
export const ANNOUNCE_CTES = `${APPEND_EVENTS_CTE},
  planned_deliveries as (
    insert into deliveries (event_id, event_at, endpoint_id)
    select e.event_id, e.created_at, w.endpoint_id from appended_events e ${joinSubscribed('e')}
    returning delivery_id)`

const ARRAYS = EVENT_COLUMNS.map(([, type], index) => `$${index + 1}::${type}[]`).join(', ')

/** Announces events in one statement. A notification wakes the courier when the transaction commits. */
export async function announce(tx: Queryable, events: readonly Announcement[]): Promise<void> {
  if (events.length === 0) return
  await tx.query(
    `with source as (
      select * from unnest(${ARRAYS}) as s (${EVENT_NAMES})),
    ${ANNOUNCE_CTES}
    select pg_notify('${DELIVERIES_DUE}', '') from planned_deliveries limit 1`,
    [
      events.map((event) => event.eventId),
      events.map((event) => event.type),
      events.map((event) => event.integrationId),
      events.map((event) => event.referenceId),
      events.map((event) => event.amountMicro),
      events.map((event) => bytesParam(event.txHash)),
      events.map((event) => event.blockNumber) as bigint[],
      events.map((event) => event.happenedAt),
    ],
  )
}
