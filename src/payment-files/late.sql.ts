/** What the rail of files has accepted, and no file has taken to the transport's folder yet. */
import type { Queryable } from '../db/database.ts'
import { awaitsFence } from './minted-back.sql.ts'
import { WAITS } from './payments.sql.ts'

/** How long the first of it waits, in seconds; 0: nothing does. Payouts count as sent meanwhile. */
export async function readFilingSeconds(db: Queryable): Promise<number> {
  const [row] = await db.query<{ seconds: number | null }>(
    `select extract(epoch from now() - min(since))::float8 as seconds from (
       select min(accepted_at) as since from filed_payments where ${WAITS}
       union all
       select min(created_at) from payment_files where put_out_at is null and withdrawn_at is null) waiting`,
  )
  return row?.seconds ?? 0
}

/** Whether any payment is in no file because it waits for a fence. @param unfenced see `awaitsFence` */
export async function doAnyAwaitFence(tx: Queryable, unfenced: readonly number[]): Promise<boolean> {
  const rows = await tx.query(
    `select from filed_payments where ${WAITS} and ${awaitsFence('filed_payments', '$1')} limit 1`,
    [unfenced],
  )
  return rows.length > 0
}

/** Whether the payment of a payout has not left because it waits for a fence, in a stored file or in none. */
export async function isKeptByFence(db: Queryable, payoutId: string): Promise<boolean> {
  const rows = await db.query(
    `select from filed_payments f left join payment_files w using (message_id)
     where f.end_to_end_id = (select end_to_end_id from payouts where payout_id = $1 and status || '' = 'sent') and f.withdrawn_at is null and w.put_out_at is null
       and ${awaitsFence('f', '$2')}`,
    [payoutId, []],
  )
  return rows.length > 0
}
