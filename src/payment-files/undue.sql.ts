/** Payments that must not go out any more, because their payouts were held or paid otherwise after the rail had accepted them. */
import type { Queryable } from '../db/database.ts'
import { IS_QUEUED } from '../payouts/moves.ts'
import { IS_UNDUE } from './payments.sql.ts'

/** Keeps the payouts of a file's payments as they are until the transaction ends. */
export async function lockPayoutsOf(tx: Queryable, messageId: string): Promise<void> {
  await tx.query(
    `select from payouts where payout_id in (select payout_id from filed_payments where message_id = $1)
     order by payout_id for share`,
    [messageId],
  )
}

/** The first of a file's payments that must not go out, and why. */
export async function listUndue(tx: Queryable, messageId: string): Promise<{ endToEndId: string; why: string }[]> {
  return await tx.query<{ endToEndId: string; why: string }>(
    `select end_to_end_id as "endToEndId", case
       when withdrawn_at is not null then 'an operator has said that it was paid'
       else (select case when p.end_to_end_id <> filed_payments.end_to_end_id then p.payout_id || ' has another attempt'
               when p.status = 'sent' then 'an earlier payment of ' || p.payout_id || ' was carried out'
               else p.payout_id || ' is ' || p.status end
             from payouts p where p.payout_id = filed_payments.payout_id) end as why
     from filed_payments where message_id = $1 and ${IS_UNDUE} order by end_to_end_id limit 3`,
    [messageId],
  )
}

/** Payments in no file whose payouts the bank has paid by an earlier one, or is about to. */
export async function findNeedless(
  db: Queryable,
): Promise<{ endToEndId: string; payoutId: string; attempt: number }[]> {
  return await db.query<{ endToEndId: string; payoutId: string; attempt: number }>(
    `select f.end_to_end_id as "endToEndId", p.payout_id as "payoutId", p.attempt
     from payout_attempts a join payouts p using (payout_id) join filed_payments f on f.end_to_end_id = p.end_to_end_id
     where a.is_extra and p.status || '' = 'sent' and f.message_id is null and f.withdrawn_at is null order by 1 limit 100`,
  )
}

/** Keeps a payment out of every file. @returns whether it is in none */
export async function withdrawNeedless(tx: Queryable, endToEndId: string): Promise<boolean> {
  const rows = await tx.query(
    `update filed_payments set withdrawn_at = now() where end_to_end_id = $1 and message_id is null and withdrawn_at is null
     returning end_to_end_id`,
    [endToEndId],
  )
  return rows.length > 0
}

/**
 * An operator says that a payout was paid: what the rail of files has accepted for it goes into no file. Call it after the
 * payout is locked. Not what it has accepted for another payout, under the same id (payouts/twins.sql.ts).
 * @returns the file that it is in, when that one may be on its way to the bank; then nothing was changed
 */
export async function withdrawPayment(
  tx: Queryable,
  { payoutId, endToEndId }: { payoutId: string; endToEndId: string },
): Promise<string | undefined> {
  const [filed] = await tx.query<{ message_id: string | null; is_out: boolean }>(
    `select message_id, put_out_at is not null as is_out from filed_payments left join payment_files using (message_id)
     where end_to_end_id = $1 and coalesce(payout_id, $2) = $2 for update of filed_payments`,
    [endToEndId, payoutId],
  )
  if (filed === undefined || filed.is_out) return undefined
  if (filed.message_id !== null) return filed.message_id
  await tx.query('update filed_payments set withdrawn_at = now() where end_to_end_id = $1', [endToEndId])
  return undefined
}

/** Whether a payout is still to be paid under this end-to-end id. It stays so until the transaction ends. */
export async function lockQueued(tx: Queryable, payoutId: string, endToEndId: string): Promise<boolean> {
  const rows = await tx.query(
    `select 1 as found from payouts where payout_id = $1 and end_to_end_id = $2 and ${IS_QUEUED} for share`,
    [payoutId, endToEndId],
  )
  return rows.length > 0
}
