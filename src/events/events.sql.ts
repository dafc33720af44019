/** The table `events`: appended in the statement that changes an order, and never changed. */
import type { MonthlyTable } from '../db/monthly.ts'

/** An event stays as long as a delivery of it is due. */
export const EVENTS = {
  name: 'events',
  instantColumn: 'created_at',
  fillPercent: 100,
  awaited: `exists (select from deliveries where status = 'due' and event_at < $1::timestamptz)`,
  decided: `not exists (select from deliveries where status = 'due' and event_at < $1::timestamptz)`,
} as const satisfies MonthlyTable

/**
 * The SQL of a CTE `appended_events` that appends events and returns them. `source` is a relation with the columns
 * event_id, type, integration_id, order_id, payload.
 */
export function appendEventsCte(source: string): string {
  return `appended_events as (
    insert into events (event_id, type, integration_id, order_id, payload)
    select event_id, type, integration_id, order_id, payload from ${source}
    returning event_id, type, integration_id, created_at)`
}
