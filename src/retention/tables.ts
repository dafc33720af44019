/** The tables that are kept in monthly partitions, as their rooms describe them. None of them guards uniqueness. */
import type { RetentionConfig } from '../config.ts'
import { EVENTS } from '../events/events.sql.ts'
import { REMEMBERED_ANSWERS } from '../orders/accept/answers.sql.ts'
import { BATCH_ATTEMPTS } from '../settlement/tables/attempts.sql.ts'
import { DELIVERIES, DELIVERY_ATTEMPTS } from '../webhooks/queue/months.sql.ts'

/** In the order in which their months are made; they are dropped in reverse, deliveries before the events that they carry. */
export const MONTHLY_TABLES = [REMEMBERED_ANSWERS, BATCH_ATTEMPTS, EVENTS, DELIVERIES, DELIVERY_ATTEMPTS] as const
export type MonthlyName = (typeof MONTHLY_TABLES)[number]['name']

const DAY_MS = 86_400_000

const DAYS_KEPT: Readonly<Record<MonthlyName, keyof RetentionConfig>> = {
  remembered_answers: 'answerDays',
  batch_attempts: 'batchDays',
  events: 'eventDays',
  deliveries: 'deliveryDays',
  delivery_attempts: 'deliveryDays',
}

/** The instant up to which months of a table are over: a month that ends at or before it can be dropped. */
export function keptSince(name: MonthlyName, now: Date, retention: RetentionConfig): Date {
  return new Date(now.getTime() - retention[DAYS_KEPT[name]] * DAY_MS)
}
