/** A redeem that was paid, and whose burn the chain has lost: its holder has coin and ringgit. */
import type { Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfLostBurn } from '../ledger/postings.ts'
import type { Order } from '../orders/order.ts'
import type { PayoutStatus } from './payout.ts'

export type Burnt = Pick<Order, 'orderId' | 'integrationId' | 'chainId' | 'batchId' | 'amountMicro'>

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
  await book(tx, { ...order, orderId })
  return true
}

/**
 * Books what of a redeem was not minted back, where the chain has lost its refund, too: the holder has all of the coin again, and that part,
 * less than a sen, had gone out with a later payout.
 */
export async function bookLostPart(tx: Queryable, redeem: Burnt, refundedMicro: bigint): Promise<void> {
  const amountMicro = redeem.amountMicro - refundedMicro
  if (amountMicro > 0n) await book(tx, { ...redeem, amountMicro })
}

async function book(tx: Queryable, order: Burnt): Promise<void> {
  const { batchId, orderId } = order
  if (batchId === null) throw new Error(`order ${orderId} was never burnt`)
  await recordEntries(tx, [entryOfLostBurn({ ...order, batchId, effectiveAt: await readNow(tx) })])
}
