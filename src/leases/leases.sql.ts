/**
 * Leases: the right to work alone on something that only one process may work on at a time (a chain's settlement, a
 * signing key). The database's clock decides. Every take-over raises the fencing token, so a process that slept through
 * its lease finds its token outdated in the very transaction in which it wants to write.
 */
import type { Database, Queryable } from '../db/database.ts'

/** How far the database's clock may be corrected backwards without a lease being lost. */
const CLOCK_SLACK = `interval '1 second'`

export type Lease = { name: string; holder: string; token: bigint }

/** The lease expired or another process took it over. Nothing was written. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/**
 * Takes a lease that is free or expired, or that `holder` holds already, so that a restarted holder need not wait. A lease that
 * has longer to go than it was given for is expired too: the database's clock was set back, and the lease of a dead holder must
 * not last until the clock is there again. A holder that lives finds by the new token that it has lost it.
 * @returns undefined while another holder has it
 */
export async function acquireLease(
  db: Queryable,
  name: string,
  holder: string,
  durationMs: number,
): Promise<Lease | undefined> {
  const [row] = await db.query<{ token: bigint }>(
    `insert into leases as l (name, holder, token, expires_at, lasts)
     values ($1, $2, 1, now() + $3 * interval '1 millisecond', $3 * interval '1 millisecond')
     on conflict (name) do update
       set holder = excluded.holder, token = l.token + 1, expires_at = excluded.expires_at, lasts = excluded.lasts
       where l.expires_at <= now() or l.holder = excluded.holder
         or l.expires_at > now() + l.lasts + ${CLOCK_SLACK}
     returning token`,
    [name, holder, durationMs],
  )
  return row === undefined ? undefined : { name, holder, token: row.token }
}

const IS_HELD = `expires_at > now() and expires_at <= now() + lasts + ${CLOCK_SLACK}`

/**
 * SQL: whether somebody holds a lease now, or has held it within ten minutes: holders are not away so long while processes are replaced.
 * @param name SQL, too
 */
export const wasHeldLately = (name: string): string =>
  `exists (select from leases where name = ${name} and expires_at > now() - interval '10 minutes' and expires_at <= now() + lasts + ${CLOCK_SLACK})`

/** Whether `acquireLease` would fail, because another holder has the lease. */
export async function isHeldByAnother(db: Queryable, name: string, holder: string): Promise<boolean> {
  const rows = await db.query(`select from leases where name = $1 and holder <> $2 and ${IS_HELD}`, [name, holder])
  return rows.length > 0
}

/**
 * SQL: whether nobody has held a lease for ten minutes. Holders are not away so long while processes are replaced; and it takes longer than that to put
 * a database back to an earlier copy.
 * @param name SQL, too
 */
export const isUnheldForLong = (name: string): string =>
  `coalesce((select expires_at < now() - interval '10 minutes' from leases where name = ${name}), false)`

/** Extends a lease that is still held. Returns false when it was lost. */
export async function renewLease(db: Queryable, lease: Lease, durationMs: number): Promise<boolean> {
  const rows = await db.query(
    `update leases set expires_at = now() + $4 * interval '1 millisecond', lasts = $4 * interval '1 millisecond'
     where name = $1 and holder = $2 and token = $3 and expires_at > now() returning token`,
    [lease.name, lease.holder, lease.token, durationMs],
  )
  return rows.length > 0
}

/** Releases a lease, so that the next holder need not wait. Does nothing when it was lost. */
export async function releaseLease(db: Queryable, lease: Lease): Promise<void> {
  await db.query('update leases set expires_at = now() where name = $1 and holder = $2 and token = $3', [
    lease.name,
    lease.holder,
    lease.token,
  ])
}

/**
 * Runs `work` in one transaction and holds the lease until it ends: nobody can take it over before the commit.
 * @throws LeaseLostError
 */
export function underLease<T>(db: Database, lease: Lease, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const rows = await tx.query(
      'select token from leases where name = $1 and holder = $2 and token = $3 and expires_at > now() for share',
      [lease.name, lease.holder, lease.token],
    )
    if (rows.length === 0) throw new LeaseLostError(`the lease ${lease.name} is no longer held`)
    return work(tx)
  })
}

/**
 * Ends every lease: for an embedded database whose only process has just started, so that every earlier holder is dead.
 */
export async function endAllLeases(db: Queryable): Promise<void> {
  await db.query('update leases set expires_at = now() where expires_at > now()')
}
