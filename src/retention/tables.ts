/** The tables that are kept in monthly partitions. None of them guards uniqueness. */
import type { RetentionConfig } from '../config.ts'

export const MONTHLY_TABLES = ['remembered_answers', 'events', 'deliveries', 'delivery_attempts'] as const
export type MonthlyTable = (typeof MONTHLY_TABLES)[number]

/** The column that decides the month of a row. */
export const INSTANT_COLUMNS: Readonly<Record<MonthlyTable, string>> = {
  remembered_answers: 'created_at',
  events: 'created_at',
  deliveries: 'event_at',
  delivery_attempts: 'started_at',
}

/** How full pages are written: a delivery is claimed soon after, and what is changed in its own page costs no index anything. */
export const FILL_PERCENT: Readonly<Record<MonthlyTable, number>> = {
  remembered_answers: 100,
  events: 100,
  deliveries: 70,
  delivery_attempts: 100,
}

const DAY_MS = 86_400_000

/** The instant up to which months of a table are over: a month that ends at or before it can be dropped. */
export function keptSince(table: MonthlyTable, now: Date, retention: RetentionConfig): Date {
  const { answerDays, deliveryDays, eventDays } = retention
  const days = {
    remembered_answers: answerDays,
    events: eventDays,
    deliveries: deliveryDays,
    delivery_attempts: deliveryDays,
  }
  return new Date(now.getTime() - days[table] * DAY_MS)
}
