/** What a database clock that was ahead for a while left behind. */
import type { Queryable } from '../../db/database.ts'
import { RETRY_DELAYS_MS } from '../schedule.ts'
import { QUEUED } from './queue.sql.ts'

/** How many are looked at by one statement, so that none takes long: after a day without a network, millions may wait. */
const AT_ONCE = 20_000

const NOW = 'coalesce($1::timestamptz, now())'
/** No wait of the schedule, and no claim, ends this much later than it should. */
const TOO_LONG = `interval '10 minutes'`
/** How long a delivery that has failed this often waits at most. */
const WAIT = `coalesce(($2::bigint[])[attempts], 0) * interval '1 millisecond'`

/** A place among the deliveries that are due, by endpoint and time, to the microsecond. */
export type DuePlace = { endpointId: string; at: string }

const FIRST: DuePlace = { endpointId: '', at: '-infinity' }

/** Rows that somebody else has locked are left to them, or to the next look. */
const HURRY = `with looked as materialized (
    select delivery_id, endpoint_id, next_attempt_at, claimed_until, attempts from deliveries
    where ${QUEUED} and (endpoint_id, next_attempt_at) >= ($4::text, $5::timestamptz)
    order by endpoint_id, next_attempt_at limit $6::int),
  locked as materialized (
    select d.delivery_id, d.event_at from deliveries d
    where d.status = 'due' and d.delivery_id = any (array(select delivery_id from looked
      where next_attempt_at > ${NOW} + ${WAIT} + ${TOO_LONG} or claimed_until > ${NOW} + ${TOO_LONG}))
    for update skip locked),
  hurried as (
    update deliveries d set next_attempt_at = least(d.next_attempt_at, ${NOW}),
      claimed_until = case when d.claimed_until > ${NOW} then least(d.claimed_until, ${NOW} + $3::int * interval '1 millisecond') end
    from locked l where d.delivery_id = l.delivery_id and d.event_at = l.event_at returning 1)
  select (select count(*) from hurried) as hurried, (select count(*) from looked) as looked, last.*
  from (select 1) one left join lateral (
    select endpoint_id, next_attempt_at::text as at from looked order by endpoint_id desc, next_attempt_at desc limit 1) last on true`

type HurriedRow = { hurried: bigint; looked: bigint; endpoint_id: string | null; at: string | null }

/**
 * Makes deliveries due now that were put off, or claimed, while the clock was ahead: they would otherwise wait until that time has really come. Whoever has
 * claimed one may still be sending it, so it stays claimed for as long as a claim lasts. One call looks at a part of what waits, from a place on.
 * @param look.now null: the database's clock. Tests give their own
 * @param look.from undefined: from the beginning
 * @returns how many, and from where on the next look goes; undefined after the last
 */
export async function hurryDeliveries(
  db: Queryable,
  look: { now: Date | null; claimMs: number; from: DuePlace | undefined; atOnce?: number },
): Promise<{ hurried: number; next: DuePlace | undefined }> {
  const { now, claimMs, from = FIRST, atOnce = AT_ONCE } = look
  const params = [now, RETRY_DELAYS_MS, claimMs, from.endpointId, from.at, atOnce]
  const [row] = await db.query<HurriedRow>(HURRY, params)
  if (row === undefined || row.endpoint_id === null || row.at === null || Number(row.looked) < atOnce)
    return { hurried: Number(row?.hurried ?? 0n), next: undefined }
  const last = { endpointId: row.endpoint_id, at: row.at }
  const hurried = Number(row.hurried)
  // More wait for this one instant than a look takes, and none of them was hurried: the next look would find the same ones.
  const isStuck = hurried === 0 && last.endpointId === from.endpointId && last.at === from.at
  return { hurried, next: isStuck ? await after(db, last) : last }
}

/** Past all that wait for the same instant at the same endpoint, when there are more of them than one look takes. */
async function after(db: Queryable, { endpointId, at }: DuePlace): Promise<DuePlace> {
  const [row] = await db.query<{ at: string }>(`select ($1::timestamptz + interval '1 microsecond')::text as at`, [at])
  return { endpointId, at: row?.at ?? at }
}
