/** The table `settlement_holds`: why orders of a chain wait, for operators in other processes. */
import type { Database, Queryable } from '../../db/database.ts'
import { onLostChain } from '../../db/lost-chains.sql.ts'
import { DATABASE_TIMELINE } from '../../db/timeline.sql.ts'
import { isUnheldForLong } from '../../leases/leases.sql.ts'
import { forgetFences } from './fences.sql.ts'

/** `blocked`: reasons that hold one kind of order while the others go on. */
export type PublishedHold = {
  reason: string
  details: string | null
  blocked: readonly string[]
  /** The database's timeline on which every batch of the chain was known; without it, what was said before stays. */
  historyReadOn?: string | undefined
}

const MAX_DETAILS = 500

/** The chain of an order, where a settler once worked with it and none has for a minute. */
export async function findLeftChain(db: Queryable, orderId: bigint): Promise<number | undefined> {
  const [row] = await db.query<{ chain_id: bigint }>(
    `select o.chain_id from orders o join settlement_holds h using (chain_id)
     where o.order_id = $1 and h.seen_at < now() - interval '1 minute'`,
    [orderId],
  )
  return row && Number(row.chain_id)
}

/**
 * Whether the settler has said something else than these reasons within the last minute. What it said while the database's clock was ahead
 * is of no known age, and not believed.
 */
export async function isHeldOtherwise(db: Queryable, chainId: number, reasons: readonly string[]): Promise<boolean> {
  const said = await db.query(
    `select from settlement_holds
     where chain_id = $1 and seen_at > now() - interval '1 minute' and seen_at <= now() + interval '1 minute'
       and reason <> all ($2::text[])`,
    [chainId, reasons],
  )
  return said.length > 0
}

/** Whether the settler has said last that this holds the chain. */
export async function isHeldFor(db: Queryable, chainId: number, reason: string): Promise<boolean> {
  const said = await db.query('select from settlement_holds where chain_id = $1 and reason = $2', [chainId, reason])
  return said.length > 0
}

/** Writes what holds a chain now. `since` stays while the reason does. */
export async function writeHold(db: Queryable, chainId: number, hold: PublishedHold): Promise<void> {
  await db.query(
    `insert into settlement_holds as h (chain_id, reason, details, blocked, history_read_on) values ($1, $2, $3, $4::text[], $5)
     on conflict (chain_id) do update set reason = excluded.reason, details = excluded.details, blocked = excluded.blocked,
       history_read_on = coalesce(excluded.history_read_on, h.history_read_on),
       seen_at = now(), since = case when h.reason = excluded.reason then h.since else now() end`,
    [chainId, hold.reason, hold.details?.slice(0, MAX_DETAILS) ?? null, hold.blocked, hold.historyReadOn ?? null],
  )
}

/** `readOn`: the timeline on which it was read; null when it was never, or that was forgotten (`forgetAfterGap`). */
export type UnreadChain = { chainId: number; readOn: string | null }

/** Which of these chains this database has settled on and no settler has read to the end on this timeline of it, but for those that are gone for good. */
export async function readUnreadChains(
  db: Queryable,
  chainIds: readonly number[],
  timeline: string,
): Promise<UnreadChain[]> {
  const rows = await db.query<{ chain_id: bigint; history_read_on: string | null }>(
    `select c.chain_id, h.history_read_on from chains c left join settlement_holds h on h.chain_id = c.chain_id
     where c.chain_id = any ($1::bigint[]) and h.history_read_on is distinct from $2 and not ${onLostChain('c.chain_id')} order by 1`,
    [chainIds, timeline],
  )
  return rows.map(({ chain_id: chainId, history_read_on: readOn }) => ({ chainId: Number(chainId), readOn }))
}

/** Whether the chain was read last on another timeline of the database than it is on now. */
export async function wasReadElsewhere(db: Queryable, chainId: number): Promise<boolean> {
  const rows = await db.query(
    `select from settlement_holds where chain_id = $1 and history_read_on <> ${DATABASE_TIMELINE}`,
    [chainId],
  )
  return rows.length > 0
}

/** When a settler that is gone for long has said last that it works. */
const LAST_SETTLED = `(select max(expires_at - lasts) from leases l where name like 'settlement:%' and ${isUnheldForLong('l.name')})`

/**
 * Forgets that the chains were read, and fenced, which nobody has settled for long, once nobody has settled this one either: a database that was put back to a
 * copy of its files is on the timeline of before, and shows that only by the time that is missing in it.
 * @returns those of the chains that had been read
 */
export async function forgetAfterGap(db: Database, chainId: number): Promise<number[]> {
  const rows = await db.query<{ chain_id: bigint }>(
    `with left_alone as (
       select chain_id from chains where ${isUnheldForLong(`'settlement:' || $1::text`)} and ${isUnheldForLong(`'settlement:' || chain_id`)}),
     forgotten as (
       update settlement_holds set history_read_on = null
       where history_read_on is not null and chain_id in (select chain_id from left_alone) returning chain_id),
     ${forgetFences('left_alone', LAST_SETTLED, db.kind === 'pglite')}
     select chain_id from forgotten`,
    [String(chainId)],
  )
  return rows.map(({ chain_id: forgotten }) => Number(forgotten))
}
