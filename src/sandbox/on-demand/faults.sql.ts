/** SQL of the table `sandbox_faults`: which requests of a key fail, and how many more of them. */
import type { Queryable } from '../../db/database.ts'
import type { Fault } from './key-scenarios.ts'

export type Faults = { keyId: string; answer: Fault; of: 'every request' | 'orders'; times: number; expiresAt: Date }

/** Lets the next `times` requests of a key fail, and forgets keys that have expired. */
export async function addFaults(tx: Queryable, { keyId, answer, of, times, expiresAt }: Faults): Promise<void> {
  await tx.query('delete from sandbox_faults where expires_at < now()')
  await tx.query(
    'insert into sandbox_faults (key_id, answer, orders_only, remaining, expires_at) values ($1, $2, $3, $4::int, $5)',
    [keyId, answer, of === 'orders', times, expiresAt],
  )
}

/** Uses one up, if there is one for such a request. Requests at the same time never use the same one. */
export async function takeFault(db: Queryable, keyId: string, isOrder: boolean): Promise<Fault | undefined> {
  const [row] = await db.query<{ answer: Fault }>(
    `update sandbox_faults set remaining = remaining - 1
     where key_id = $1 and remaining > 0 and ($2::boolean or not orders_only) returning answer`,
    [keyId, isOrder],
  )
  return row?.answer
}
