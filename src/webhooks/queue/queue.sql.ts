/** SQL of the courier: claims due deliveries, records attempts. */
import type { Queryable, Row } from '../../db/database.ts'
import { nextNumber } from '../../db/next-number.ts'
import { bodyOf } from '../../events/event.ts'
import { type EventRow, eventFromRow, SHOWN_COLUMNS } from '../../events/events.sql.ts'
import type { SendOutcome } from '../send.ts'
import type { ClaimedDelivery, Verdict } from './claimed-delivery.ts'

export type ClaimOptions = {
  /** null: the database's clock. Tests give their own. */
  now: Date | null
  /** At most this many are claimed. */
  limit: number
  /** At most this many to one endpoint at a time, including those in flight. */
  perEndpoint: number
  /** How many of this process's deliveries are in flight, by endpoint. */
  inFlight: ReadonlyMap<string, number>
  /** Endpoints that answer slowly, and how many of their deliveries may be claimed altogether. */
  slowEndpoints: readonly string[]
  slowLimit: number
  /** How long the claim lasts; then others may claim again. */
  claimMs: number
}

const NOW = 'coalesce($1::timestamptz, now())'
/** The condition of the index `deliveries_due`, which serves only queries that have both parts of it. One that names a delivery by its id has the first alone, and so goes by the primary key. */
export const QUEUED = `status = 'due' and delivery_id + 0 > 0`
const FREE = `d.status = 'due' and d.next_attempt_at <= ${NOW} and (d.claimed_until is null or d.claimed_until <= ${NOW})`

/** The instant from which the schedule of a delivery `d` counts. */
export const SCHEDULED_FROM = 'coalesce(d.scheduled_from, d.event_at)'

/**
 * The status of the delivery's endpoint. It is `removed`, so that the delivery is dropped, where the event belongs to another integration than the
 * endpoint: otherwise whoever could insert a delivery could have a partner told, under its own secret, what became of another's order of the same
 * reference. Likewise where there is no such event, or no such endpoint: such a delivery would be the first to be claimed for ever.
 */
const STATUS = `case when w.integration_id = e.integration_id then w.status else 'removed' end`

/**
 * Endpoints with something due are found by stepping through the index, one probe each. Each offers its oldest few, and
 * the limit is filled in turns, every endpoint's first before any endpoint's second, so that a long backlog of one
 * endpoint neither costs nor delays the others. Rows that another process is claiming at this moment are skipped.
 *
 * The chosen ones are passed on as an array of ids, which only the primary key can look up. A join with them, or the index
 * of what is due, would make a plan possible that reads the whole backlog, and one made while the table was short would
 * be kept.
 */
const CLAIM = `
  with recursive waiting as (
    (select endpoint_id from deliveries where ${QUEUED} order by endpoint_id limit 1)
    union all
    select (select endpoint_id from deliveries where ${QUEUED} and endpoint_id > w.endpoint_id
      order by endpoint_id limit 1)
    from waiting w where w.endpoint_id is not null),
  in_flight as (select * from unnest($2::text[], $3::int[]) as f (endpoint_id, count)),
  offered as (
    select o.delivery_id, o.next_attempt_at, w.endpoint_id = any ($4::text[]) as slow,
      coalesce(f.count, 0) + row_number() over (partition by w.endpoint_id order by o.next_attempt_at) as turn
    from waiting w left join in_flight f on f.endpoint_id = w.endpoint_id
    cross join lateral (
      select d.delivery_id, d.next_attempt_at from deliveries d where d.endpoint_id = w.endpoint_id and ${QUEUED} and ${FREE}
      order by d.next_attempt_at limit greatest($5::int - coalesce(f.count, 0), 0)) o
    where w.endpoint_id is not null),
  ranked as (
    select *, row_number() over (partition by slow order by turn, next_attempt_at) as place from offered),
  chosen as (
    select delivery_id from ranked where not slow or place <= $6::int order by turn, next_attempt_at limit $7::int),
  locked as materialized (
    select d.delivery_id, d.event_at, d.event_id, d.endpoint_id from deliveries d
    where d.delivery_id = any (array(select delivery_id from chosen)) and ${FREE}
    for update skip locked)
  update deliveries d set claim = ${nextNumber('d.claim', 'integer')}, claimed_until = ${NOW} + $8::int * interval '1 millisecond'
  from locked l left join events e on e.event_id = l.event_id and e.created_at = l.event_at
    left join webhook_endpoints w on w.endpoint_id = l.endpoint_id
  where d.delivery_id = l.delivery_id and d.event_at = l.event_at
  returning d.delivery_id, d.claim, ${NOW} as claimed_at, ${SHOWN_COLUMNS}, d.event_id as named_event, d.event_at::text as event_at,
    d.endpoint_id, ${STATUS} as endpoint_status, w.url, w.secret_encrypted, d.attempts, ${SCHEDULED_FROM} as scheduled_from`

type ClaimedRow = (EventRow | (Row & { event_id: null })) & {
  delivery_id: bigint
  named_event: string
  claim: number
  claimed_at: Date
  event_at: string
  endpoint_id: string
  endpoint_status: ClaimedDelivery['endpointStatus']
  url: string
  secret_encrypted: string
  attempts: number
  scheduled_from: Date
}

/** Claims deliveries whose time has come, fairly among endpoints. A claim that is not settled expires. */
export async function claimDue(db: Queryable, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const rows = await db.query<ClaimedRow>(CLAIM, [
    options.now,
    [...options.inFlight.keys()],
    [...options.inFlight.values()],
    options.slowEndpoints,
    options.perEndpoint,
    options.slowLimit,
    options.limit,
    options.claimMs,
  ])
  return rows.map((row) => ({
    deliveryId: row.delivery_id,
    claim: row.claim,
    claimedAt: row.claimed_at,
    eventId: row.named_event,
    eventAt: row.event_at,
    payload: row.event_id === null ? '' : bodyOf(eventFromRow(row)),
    endpointId: row.endpoint_id,
    endpointStatus: row.endpoint_status,
    url: row.url,
    secretEncrypted: row.secret_encrypted,
    attempts: row.attempts,
    scheduledFrom: row.scheduled_from,
  }))
}

export type AttemptResult = { claimed: ClaimedDelivery; outcome: SendOutcome; verdict: Verdict }

/**
 * Records an attempt, and moves its delivery while its claim is the newest one. Recording again changes nothing. An
 * acknowledgement counts even for a delivery that was dropped meanwhile, because it did arrive.
 * @returns true when the delivery moved
 */
export async function recordAttempt(tx: Queryable, { claimed, outcome, verdict }: AttemptResult): Promise<boolean> {
  const rows = await tx.query(
    `with recorded as (
       insert into delivery_attempts
         (delivery_id, attempt, started_at, duration_ms, http_status, error, response_excerpt)
       values ($1, $2, $5, $6, $7, $8, $9) on conflict (delivery_id, attempt, started_at) do nothing)
     update deliveries set status = $3, attempts = attempts + 1, claimed_until = null,
       next_attempt_at = coalesce($4::timestamptz, next_attempt_at)
     where delivery_id = $1 and event_at = $10::timestamptz and claim = $2
       and ((status = 'due' and claimed_until is not null) or (status = 'dropped' and $3 = 'delivered'))
     returning delivery_id`,
    [
      claimed.deliveryId,
      claimed.claim,
      verdict.status,
      verdict.status === 'due' ? verdict.nextAttemptAt : null,
      claimed.claimedAt,
      outcome.durationMs,
      outcome.httpStatus,
      outcome.error,
      outcome.responseExcerpt,
      claimed.eventAt,
    ],
  )
  return rows.length > 0
}

/** Ends a claimed delivery that will not be attempted. */
export async function endUnattempted(
  db: Queryable,
  claimed: ClaimedDelivery,
  status: 'exhausted' | 'dropped',
): Promise<void> {
  await db.query(
    `update deliveries set status = $3, claimed_until = null
     where delivery_id = $1 and event_at = $4::timestamptz and claim = $2 and status = 'due'`,
    [claimed.deliveryId, claimed.claim, status, claimed.eventAt],
  )
}

/**
 * Puts off a claimed delivery that cannot be attempted here, and its whole schedule with it, so that it loses none of it.
 * Undelivered for long, it does not expire.
 */
export async function postponeUnattempted(db: Queryable, claimed: ClaimedDelivery, pauseMs: number): Promise<void> {
  await db.query(
    `update deliveries d set claimed_until = null, next_attempt_at = $3::timestamptz + $5 * interval '1 millisecond',
       scheduled_from = ${SCHEDULED_FROM} + $5 * interval '1 millisecond'
     where delivery_id = $1 and event_at = $4::timestamptz and claim = $2 and status = 'due' and claimed_until is not null`,
    [claimed.deliveryId, claimed.claim, claimed.claimedAt, claimed.eventAt, pauseMs],
  )
}
