/** The simulated bank's own book: it remembers every end-to-end id, as a real one does. */
import type { Queryable } from '../../db/database.ts'
import type { PayoutInstruction } from '../rail.ts'
import { type Behaviour, behaviourOf } from './simulated-accounts.ts'

export type Booked = Omit<PayoutInstruction, 'bic' | 'account' | 'name'> & {
  behaviour: Behaviour | null
  bookedAt: Date
  ageMs: number
}

/** Books a payment unless its end-to-end id is in the book. @returns what is booked under the id: this payment, or an earlier one */
export async function bookPayment(db: Queryable, payment: PayoutInstruction): Promise<Booked> {
  const { payoutId, endToEndId, amountSen, bankId, account, reference } = payment
  await db.query(
    `insert into simulated_rail_payments (end_to_end_id, payout_id, amount_sen, bank_id, behaviour, reference)
     values ($1, $2, $3, $4, $5, $6) on conflict (end_to_end_id) do nothing`,
    [endToEndId, payoutId, amountSen, bankId, behaviourOf(account), reference],
  )
  const booked = await findPayment(db, endToEndId)
  if (booked === undefined) throw new Error(`the simulated bank lost the payment ${endToEndId}`)
  return booked
}

/** What is booked under an end-to-end id. */
export async function findPayment(db: Queryable, endToEndId: string): Promise<Booked | undefined> {
  const [row] = await db.query<{
    payout_id: string
    amount_sen: bigint
    bank_id: string
    behaviour: Behaviour | null
    reference: string
    created_at: Date
    age_ms: number
  }>(
    `select payout_id, amount_sen, bank_id, behaviour, reference, created_at,
       (extract(epoch from now() - created_at) * 1000)::float8 as age_ms from simulated_rail_payments
     where end_to_end_id = $1`,
    [endToEndId],
  )
  if (row === undefined) return undefined
  const { payout_id: payoutId, amount_sen: amountSen, bank_id: bankId, behaviour, reference } = row
  return { payoutId, endToEndId, amountSen, bankId, behaviour, reference, bookedAt: row.created_at, ageMs: row.age_ms }
}
