/** What of a customer no book needs is forgotten; the row stays, because orders name it. */
import type { Queryable } from '../db/database.ts'

/** Forgets it, for ever. Whoever calls has locked it and knows that nothing of it is open. @returns when */
export async function eraseCustomer(tx: Queryable, customerId: string): Promise<Date> {
  const [row] = await tx.query<{ erased_at: Date }>(
    `update customers set bank_id = null, external_id = null, verification_status = 'SUSPENDED', verified_at = null,
       can_mint = false, can_redeem = false, can_transfer = false, erased_at = now()
     where customer_id = $1 and erased_at is null returning erased_at`,
    [customerId],
  )
  if (row === undefined) throw new Error(`customer ${customerId} was not erased`)
  return row.erased_at
}
