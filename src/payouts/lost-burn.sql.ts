/** A redeem that was paid, and whose burn the chain has lost: its holder has coin and ringgit. */
import type { Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfLostBurn } from '../ledger/postings.ts'
import type { Order } from '../orders/order.ts'
import type { PayoutStatus } from './payout.ts'

/** Also where the coin was minted back: the holder has it twice. */
const PAID: readonly PayoutStatus[] = ['sent', 'paid', 'paid_by_hand', 'refunded']

/**
 * Books that its integration owes the ringgit, as for a mint.
 * @returns false while nobody has paid it: then nobody owes anything for having the coin
 */
export async function bookLostBurn(tx: Queryable, { orderId, ...order }: Order): Promise<boolean> {
  const [payout] = await tx.query<{ status: PayoutStatus }>(
    'select status from payouts where order_id = $1 for update',
    [orderId],
  )
  if (payout !== undefined && !PAID.includes(payout.status)) return false
  const { batchId } = order
  if (batchId === null) throw new Error(`order ${orderId} was never burnt`)
  await recordEntries(tx, [entryOfLostBurn({ ...order, batchId, orderId, effectiveAt: await readNow(tx) })])
  return true
}
