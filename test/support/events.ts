/** Events as they are stored, and what partners are told of them. */
import type { Queryable } from '../../src/db/database.ts'
import { bodyOf, type OrderEvent } from '../../src/events/event.ts'
import { type EventRow, eventFromRow, SHOWN_COLUMNS } from '../../src/events/events.sql.ts'

/** For events of no order: what the columns hold that nobody looks at. */
export const SOME_EVENT = {
  referenceId: 'reference-1',
  amountMicro: 1_000_000n,
  txHash: null,
  blockNumber: null,
  happenedAt: new Date('2026-03-04T05:06:07.008Z'),
} as const satisfies Partial<OrderEvent>

/** The columns of `SOME_EVENT`, and their values, for statements that write events in bulk. */
export const SOME_COLUMNS = 'reference_id, amount_micro, happened_at'
export const SOME_VALUES = `'reference-1', 1000000, now()`

/** All events of the orders with that reference, in the order in which they happened, with their webhook bodies. */
export async function readEvents(db: Queryable, referenceId: string) {
  const rows = await db.query<EventRow & { integration_id: string }>(
    `select e.integration_id, ${SHOWN_COLUMNS} from events e where e.reference_id = $1 order by e.event_seq`,
    [referenceId],
  )
  return rows.map((row) => ({ integrationId: row.integration_id, type: row.type, payload: bodyOf(eventFromRow(row)) }))
}
