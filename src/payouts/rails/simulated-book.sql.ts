/** The simulated bank's own book: it remembers every payout id, as a real one does. */
import type { Queryable } from '../../db/database.ts'
import type { PayoutInstruction } from '../rail.ts'

/** Books a payment unless its id is in the book. Returns what is booked under the id: this payment, or an earlier one. */
export async function bookPayment(db: Queryable, payment: PayoutInstruction): Promise<PayoutInstruction> {
  const { payoutId, amountSen, bic, account, name, reference } = payment
  await db.query(
    `insert into simulated_rail_payments (payout_id, amount_sen, bank_bic, bank_account, bank_name, reference)
     values ($1, $2, $3, $4, $5, $6) on conflict (payout_id) do nothing`,
    [payoutId, amountSen, bic, account, name, reference],
  )
  const [row] = await db.query<{
    amount_sen: bigint
    bank_bic: string
    bank_account: string
    bank_name: string
    reference: string
  }>(
    `select amount_sen, bank_bic, bank_account, bank_name, reference from simulated_rail_payments where payout_id = $1`,
    [payoutId],
  )
  if (row === undefined) throw new Error(`the simulated bank lost the payment ${payoutId}`)
  return {
    payoutId,
    amountSen: row.amount_sen,
    bic: row.bank_bic,
    account: row.bank_account,
    name: row.bank_name,
    reference: row.reference,
  }
}
