/** How deliveries and their attempts lie in months. */
import type { MonthlyTable } from '../../db/monthly.ts'
import { QUEUED } from './queue.sql.ts'

/** A delivery lies in the month of its event, and is claimed soon after: what is changed in its own page costs no index anything. */
export const DELIVERIES = {
  name: 'deliveries',
  instantColumn: 'event_at',
  fillPercent: 70,
  awaited: `exists (select from deliveries where ${QUEUED} and event_at < $1::timestamptz)`,
  // The age of a replayed delivery counts from its replay.
  decided: `t.status <> 'due' and coalesce(t.scheduled_from, t.event_at) < $1::timestamptz`,
} as const satisfies MonthlyTable

export const DELIVERY_ATTEMPTS = {
  name: 'delivery_attempts',
  instantColumn: 'started_at',
  fillPercent: 100,
  awaited: 'false',
  decided: 'true',
} as const satisfies MonthlyTable
