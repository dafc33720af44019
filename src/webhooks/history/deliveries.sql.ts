/** SQL for operators: past deliveries with their attempts, and replays. */
import { DELIVERIES_DUE } from '../../db/channels.ts'
import type { Queryable, Row } from '../../db/database.ts'
import { nextNumber } from '../../db/next-number.ts'
import { SCHEDULED_FROM } from '../queue/queue.sql.ts'
import { joinSubscribed } from '../queue/subscribed.sql.ts'
import type { DeliveryRecord } from './delivery-record.ts'

type DeliveryRow = Row & {
  delivery_id: bigint
  event_id: string
  endpoint_id: string
  type: string
  status: DeliveryRecord['status']
  attempts: number
  scheduled_from: Date
  next_attempt_at: Date
  created_at: Date
}

type AttemptRow = Row & {
  delivery_id: bigint
  attempt: number
  started_at: Date
  duration_ms: number
  http_status: number | null
  error: string | null
  response_excerpt: string | null
}

/**
 * The deliveries of a page, found before they are joined with their events. Of one statement PostgreSQL would read all that the endpoint has: it takes
 * an event's id and its time for independent, and so expects that hardly any delivery has an event.
 */
const PAGE = `select * from deliveries d
     where d.endpoint_id = $1
       and (not $2::boolean or d.status in ('exhausted', 'dropped') or (d.status = 'due' and d.attempts > 0))
       and ($4::bigint is null or (d.event_at, d.delivery_id) <
         (select c.event_at, c.delivery_id from deliveries c where c.delivery_id = $4 and c.endpoint_id = $1))
     order by d.event_at desc, d.delivery_id desc limit $3::int`

/** `after`: the delivery after which the page begins. */
export type DeliveryFilter = { endpointId: string; failedOnly: boolean; limit: number; after: bigint | undefined }

/**
 * A page of an endpoint's deliveries, those of the newest events first, each with its latest attempts.
 * @param filter `failedOnly`: those exhausted, dropped, or still due after a failed attempt
 */
export async function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryRecord[]> {
  const rows = await db.query<DeliveryRow>(
    `select d.delivery_id, d.event_id, d.endpoint_id, e.type, d.status, d.attempts,
       ${SCHEDULED_FROM} as scheduled_from, d.next_attempt_at, coalesce(d.created_at, d.event_at) as created_at
     from (${PAGE}) d join events e on e.event_id = d.event_id and e.created_at = d.event_at
     order by d.event_at desc, d.delivery_id desc`,
    [filter.endpointId, filter.failedOnly, filter.limit, filter.after ?? null],
  )
  const attempts = await latestAttempts(
    db,
    rows.map((row) => row.delivery_id),
  )
  return rows.map((row) => recordFromRow(row, attempts.get(row.delivery_id) ?? []))
}

/**
 * How many deliveries a replay would schedule, counted up to `limit`. The caller's transaction may use bitmap scans
 * from here on: the index of events by age serves only this, and connections have bitmap scans switched off.
 */
export async function countReplay(db: Queryable, selection: ReplaySelection, limit: number): Promise<number> {
  await db.query(`select set_config('enable_bitmapscan', 'on', true)`)
  const [row] = await db.query<{ count: bigint }>(
    `select count(*) as count from (${REPLAYED} limit $7::int) replayed`,
    [...selectionParams(selection), limit],
  )
  return Number(row?.count ?? 0n)
}

/** One event, or all of a period: of one integration, to one endpoint, or both. */
export type ReplaySelection = ({ eventId: string } | { since: Date; until?: Date | undefined }) & {
  integrationId?: string | undefined
  endpointId?: string | undefined
  /** Only what ended exhausted or dropped. */
  failedOnly?: boolean
}

/**
 * Schedules events afresh, at once, for every enabled endpoint that is subscribed to them, whatever became of an
 * earlier delivery. A delivery that is just being sent is sent again.
 * @returns how many deliveries are due now
 */
export async function scheduleReplay(tx: Queryable, selection: ReplaySelection, limit: number): Promise<number> {
  const [row] = await tx.query<{ count: bigint }>(
    `with replayed as (${REPLAYED} limit $7::int),
     scheduled as (
       insert into deliveries (event_id, event_at, endpoint_id, scheduled_from, created_at)
       select event_id, created_at, endpoint_id, now(), now() from replayed
       on conflict on constraint deliveries_once_per_endpoint do update
         set status = 'due', attempts = 0, scheduled_from = now(), next_attempt_at = now(), claimed_until = null,
           claim = ${nextNumber('deliveries.claim', 'integer')}
       returning delivery_id)
     select count(*) as count, pg_notify('${DELIVERIES_DUE}', '') from scheduled`,
    [...selectionParams(selection), limit],
  )
  return Number(row?.count ?? 0n)
}

const REPLAYED = `
  select e.event_id, e.created_at, w.endpoint_id from events e ${joinSubscribed('e')}
  where ($1::text is null or e.event_id = $1) and ($2::timestamptz is null or e.created_at >= $2)
    and ($3::timestamptz is null or e.created_at < $3) and ($4::text is null or w.endpoint_id = $4)
    and ($5::text is null or e.integration_id = $5)
    and (not $6::boolean or exists (
      select from deliveries d where d.event_id = e.event_id and d.endpoint_id = w.endpoint_id
        and d.event_at = e.created_at and d.status in ('exhausted', 'dropped')))
  order by e.event_seq, w.endpoint_id`

function selectionParams(selection: ReplaySelection): (string | Date | boolean | null)[] {
  const { endpointId = null, integrationId = null, failedOnly = false } = selection
  const rest = [endpointId, integrationId, failedOnly]
  if ('eventId' in selection) return [selection.eventId, null, null, ...rest]
  return [null, selection.since, selection.until ?? null, ...rest]
}

const ATTEMPTS_SHOWN = 20

async function latestAttempts(db: Queryable, deliveryIds: readonly bigint[]): Promise<Map<bigint, AttemptRow[]>> {
  const rows = await db.query<AttemptRow>(
    `select a.* from unnest($1::bigint[]) as wanted (delivery_id)
     cross join lateral (
       select delivery_id, attempt, started_at, duration_ms, http_status, error, response_excerpt
       from delivery_attempts where delivery_id = wanted.delivery_id order by attempt desc limit ${ATTEMPTS_SHOWN}) a
     order by a.delivery_id, a.attempt`,
    [deliveryIds],
  )
  return Map.groupBy(rows, (row) => row.delivery_id)
}

function recordFromRow(row: DeliveryRow, attempts: readonly AttemptRow[]): DeliveryRecord {
  return {
    deliveryId: row.delivery_id.toString(),
    eventId: row.event_id,
    endpointId: row.endpoint_id,
    type: row.type,
    status: row.status,
    attempts: row.attempts,
    scheduledFrom: row.scheduled_from,
    nextAttemptAt: row.status === 'due' ? row.next_attempt_at : null,
    createdAt: row.created_at,
    attemptLog: attempts.map((attempt) => ({
      attempt: attempt.attempt,
      startedAt: attempt.started_at,
      durationMs: attempt.duration_ms,
      httpStatus: attempt.http_status,
      error: attempt.error,
      responseExcerpt: attempt.response_excerpt,
    })),
  }
}
