/** Payments of a payout that only a history knows which is lost: operators had it retried, and have to do so again before its coin is minted back. */
import { endToEndIdOf } from '../bank-files/end-to-end-id.ts'
import type { Queryable } from '../db/database.ts'

/** So many retries are looked for. */
const MOST_RETRIES = 5

const NEWEST = `select o.integration_id as "integrationId", o.reference_id as "referenceId",
    greatest(p.attempt, (select max(a.attempt) from payout_attempts a where a.payout_id = p.payout_id)) as attempt
  from payouts p join orders o using (order_id) where p.payout_id = $1`

/** In a payment file that was read back, or on a statement that stands. */
const SHOWN = `select f.end_to_end_id as id, 'in ' || f.message_id as place from filed_payments f
    where f.end_to_end_id = any ($1::text[]) and f.message_id is not null
  union all
  select l.end_to_end_id, 'the debit ' || l.bank_account || '/' || s.statement_id || '/' || l.entry || '.' || l.detail
    from bank_lines l join bank_statements s using (statement_no)
    where l.end_to_end_id = any ($1::text[]) and l.amount_micro < 0 and l.state in ('unbooked', 'unallocated') and s.withdrawn_at is null
  limit 1`

/** Why the coin of a payout that came back is not minted back yet: its next payment, under the id that a retry would give it, was made. */
export async function findLostPayment(db: Queryable, payoutId: string): Promise<string | undefined> {
  const [newest] = await db.query<{ integrationId: string; referenceId: string; attempt: number }>(NEWEST, [payoutId])
  if (newest === undefined) return undefined
  const ids = Array.from({ length: MOST_RETRIES }, (_, index) =>
    endToEndIdOf({ ...newest, attempt: newest.attempt + index + 1 }),
  )
  const [shown] = await db.query<{ id: string; place: string }>(SHOWN, [ids])
  if (shown === undefined) return undefined
  return `${shown.id} is a payment of ${payoutId} that this database does not know of (${shown.place}): a history that is lost has retried it, and the payee may have that ringgit. Run "payout retry": its rail knows the payment by that id, and pays nothing twice.`
}
