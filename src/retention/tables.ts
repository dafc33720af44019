/** The tables that are kept in monthly partitions. What guards uniqueness is in none of them. */
import type { RetentionConfig } from '../config.ts'

export const MONTHLY_TABLES = ['remembered_answers', 'events', 'deliveries', 'delivery_attempts'] as const
export type MonthlyTable = (typeof MONTHLY_TABLES)[number]

/** The column that says in which month a row is. */
export const INSTANT_COLUMNS: Readonly<Record<MonthlyTable, string>> = {
  remembered_answers: 'created_at',
  events: 'created_at',
  deliveries: 'event_at',
  delivery_attempts: 'started_at',
}

const DAY_MS = 86_400_000

/** The months of a table that end at this instant or before are over. */
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
