/** SQL that follows an integration's events as they are committed. */
import type { Queryable, Row } from '../../db/database.ts'
import type { FeedCursor } from './cursor.ts'

/** An event as listeners get it. `payload` is the frozen webhook body. */
export type FeedEvent = { eventId: string; type: string; createdAt: Date; payload: string }

const MAX_EVENTS = 1000
/** How many later events of the integration may overtake one whose transaction is still open. */
const OVERTAKING = 1000

type HorizonRow = Row & { transaction_id: bigint; newest: bigint | null; known: boolean }

/**
 * Where a listener that starts now begins, and how far one may read; undefined when there is no such integration.
 * Sequence numbers alone would not do, because a transaction that commits late brings an event below those already
 * delivered.
 */
export async function feedHorizon(db: Queryable, integrationId: string): Promise<FeedCursor | undefined> {
  const [row] = await db.query<HorizonRow>(
    `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as transaction_id,
       (select event_seq from events where integration_id = $1 order by event_seq desc limit 1) as newest,
       exists (select from integrations where integration_id = $1) as known`,
    [integrationId],
  )
  if (row === undefined || !row.known) return undefined
  const floor = (row.newest ?? 0n) - BigInt(OVERTAKING)
  return { transactionId: row.transaction_id, sequenceFloor: floor > 0n ? floor : 0n }
}

/**
 * The events of an integration whose transactions lie between two horizons: each event between exactly one pair. Rows
 * name their transaction by its last 32 bits, so the comparison is modular.
 * @returns at most 1,000, in the order of their sequence numbers
 */
export async function eventsBetween(
  db: Queryable,
  integrationId: string,
  from: FeedCursor,
  to: FeedCursor,
): Promise<FeedEvent[]> {
  const rows = await db.query<{ event_id: string; type: string; created_at: Date; payload: string }>(
    `select event_id, type, created_at, payload from events
     where integration_id = $1 and event_seq > $2::bigint
       and ((xmin::text::bigint - $3::bigint) & 4294967295) < $4::bigint - $3::bigint
     order by event_seq limit ${MAX_EVENTS}`,
    [integrationId, from.sequenceFloor, from.transactionId, to.transactionId],
  )
  return rows.map((row) => ({
    eventId: row.event_id,
    type: row.type,
    createdAt: row.created_at,
    payload: row.payload,
  }))
}
