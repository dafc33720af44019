/** Which endpoints wait for a delivery whose time has come. */
import type { Queryable } from '../../db/database.ts'
import { QUEUED } from './queue.sql.ts'

/** Those that wait longest, so that an outage of everything makes no more series than that. */
const SHOWN = 20

/**
 * Endpoint → how long the first of its due deliveries has waited beyond its time, in seconds; the 20 that wait longest. Endpoints are
 * found by stepping through the index, one probe each, so that a long backlog costs no more than a short one.
 */
export async function readOverdueSeconds(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ endpoint_id: string; seconds: number }>(
    `with recursive first as (
       (select endpoint_id, next_attempt_at from deliveries where ${QUEUED} order by endpoint_id, next_attempt_at limit 1)
       union all
       select n.endpoint_id, n.next_attempt_at from first f cross join lateral (
         select endpoint_id, next_attempt_at from deliveries where ${QUEUED} and endpoint_id > f.endpoint_id
         order by endpoint_id, next_attempt_at limit 1) n)
     select endpoint_id, extract(epoch from now() - next_attempt_at)::float8 as seconds from first
     where next_attempt_at < now() order by next_attempt_at limit ${SHOWN}`,
  )
  return new Map(rows.map(({ endpoint_id: endpointId, seconds }) => [endpointId, seconds]))
}
