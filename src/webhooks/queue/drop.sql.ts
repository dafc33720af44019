/** What is due to endpoints that are not enabled is dropped, in parts: a million may wait for one, and no statement is to take long. */
import type { Queryable } from '../../db/database.ts'
import { QUEUED } from './queue.sql.ts'

/** So many are dropped by one statement. */
export const DROPPED_AT_ONCE = 10_000

/** SQL: drops what is still due to an endpoint, so many at most. What somebody else has locked is left to them, or to the next time. */
export const dropDue = (endpoint: string): string => `update deliveries set status = 'dropped', claimed_until = null
       where status = 'due' and delivery_id = any (array(
         select delivery_id from deliveries where endpoint_id = ${endpoint} and ${QUEUED} limit ${DROPPED_AT_ONCE} for update skip locked))`

/**
 * Drops what is left of one endpoint that is not enabled. Endpoints are found by stepping through the index, one probe each. Nobody enables it meanwhile: what is delivered
 * again then would be dropped with the rest. One that somebody is changing is left to the next time.
 * @returns how many; `DROPPED_AT_ONCE` when there may be more
 */
export async function dropUnwanted(db: Queryable): Promise<number> {
  const [row] = await db.query<{ dropped: bigint }>(
    `with recursive waiting as (
       (select endpoint_id from deliveries where ${QUEUED} order by endpoint_id limit 1)
       union all
       select (select endpoint_id from deliveries where ${QUEUED} and endpoint_id > w.endpoint_id
         order by endpoint_id limit 1)
       from waiting w where w.endpoint_id is not null),
     unwanted as materialized (
       select w.endpoint_id from waiting w join webhook_endpoints e on e.endpoint_id = w.endpoint_id and e.status <> 'enabled' limit 1
         for share of e skip locked),
     dropped as (${dropDue('(select endpoint_id from unwanted)')} returning 1)
     select count(*) as dropped from dropped`,
  )
  return Number(row?.dropped ?? 0n)
}
