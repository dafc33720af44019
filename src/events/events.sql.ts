/** The table `events`: appended in the statement that changes an order, and never changed. */
import { shownBytes } from '../db/bytes.ts'
import type { Row } from '../db/database.ts'
import type { MonthlyTable } from '../db/monthly.ts'
import type { EventType, OrderEvent } from './event.ts'

/** An event stays as long as a delivery of it is due. */
export const EVENTS = {
  name: 'events',
  instantColumn: 'created_at',
  fillPercent: 100,
  awaited: `exists (select from deliveries where status = 'due' and delivery_id + 0 > 0 and event_at < $1::timestamptz)`,
  decided: `not exists (select from deliveries where status = 'due' and delivery_id + 0 > 0 and event_at < $1::timestamptz)`,
} as const satisfies MonthlyTable

/** What an event is kept as, with the type of each column. */
export const EVENT_COLUMNS = [
  ['event_id', 'text'],
  ['type', 'text'],
  ['integration_id', 'text'],
  ['reference_id', 'text'],
  ['amount_micro', 'bigint'],
  ['tx_hash', 'bytea'],
  ['block_number', 'bigint'],
  ['happened_at', 'timestamptz'],
] as const

export const EVENT_NAMES = EVENT_COLUMNS.map(([name]) => name).join(', ')

/** The columns of an event `e` that `eventFromRow` reads. */
export const SHOWN_COLUMNS = EVENT_COLUMNS.filter(([name]) => name !== 'integration_id')
  .map(([name]) => (name === 'tx_hash' ? `${shownBytes('e.tx_hash')} as tx_hash` : `e.${name}`))
  .join(', ')

export type EventRow = Row & {
  event_id: string
  type: string
  reference_id: string
  amount_micro: bigint
  tx_hash: string | null
  block_number: bigint | null
  happened_at: Date
}

/** Maps a row selected with `SHOWN_COLUMNS` to an event. */
export function eventFromRow(row: EventRow): OrderEvent {
  return {
    eventId: row.event_id,
    type: row.type as EventType,
    referenceId: row.reference_id,
    amountMicro: row.amount_micro,
    txHash: row.tx_hash,
    blockNumber: row.block_number,
    happenedAt: row.happened_at,
  }
}

/** The SQL of a CTE `appended_events` that appends the events of a CTE `source`, which has the columns of `EVENT_COLUMNS`, and returns them. */
export const APPEND_EVENTS_CTE = `appended_events as (
    insert into events (${EVENT_NAMES})
    select ${EVENT_NAMES} from source
    returning event_id, type, integration_id, created_at)`
