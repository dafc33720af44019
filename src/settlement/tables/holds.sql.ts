/** The table `settlement_holds`: why orders of a chain wait, for operators in other processes. */
import type { Queryable } from '../../db/database.ts'

/** `blocked`: reasons that hold one kind of order while the others go on. */
export type PublishedHold = { reason: string; details: string | null; blocked: readonly string[] }

const MAX_DETAILS = 500

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

/** Writes what holds a chain now. `since` stays while the reason does. */
export async function writeHold(db: Queryable, chainId: number, hold: PublishedHold): Promise<void> {
  await db.query(
    `insert into settlement_holds as h (chain_id, reason, details, blocked) values ($1, $2, $3, $4::text[])
     on conflict (chain_id) do update set reason = excluded.reason, details = excluded.details, blocked = excluded.blocked,
       seen_at = now(), since = case when h.reason = excluded.reason then h.since else now() end`,
    [chainId, hold.reason, hold.details?.slice(0, MAX_DETAILS) ?? null, hold.blocked],
  )
}
