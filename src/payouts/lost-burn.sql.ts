/** Redeems whose burn the chain has lost: the holder has the coin again, and ringgit, too, where it was paid. */
import type { Queryable } from '../db/database.ts'
import { readNow } from '../db/now.sql.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfLostBurn } from '../ledger/postings.ts'
import type { Order } from '../orders/order.ts'
import { REFUNDS } from '../values/order-tag.ts'
import { mayMake } from './moves.ts'
import type { PayoutStatus } from './payout.ts'
import { refundNameOf } from './payouts.sql.ts'

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

const UNBURNT =
  'The chain has lost the burn that it pays, and the batch was given up: the holder has the coin again. Agree with the partner first: "payout release" pays it all the same, and then "order make-good" books that the integration owes it.'

/**
 * Holds the payouts of these redeems that no rail was asked to pay until operators release them. What a rail was asked for may be paid, and
 * goes on. Locks all of them: whoever is about to have coin minted back, or has just done so, is seen from then on.
 */
export async function holdLostBurns(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query('select from payouts where order_id = any ($1::bigint[]) order by payout_id for update', [orderIds])
  await tx.query(
    `update payouts set status = 'held', hold_reason = 'by_operator', status_since = now(), last_error = $2, updated_at = now()
     where order_id = any ($1::bigint[]) and rail is null and (${mayMake('hold')} or hold_reason = 'maybe_paid_before')`,
    [orderIds, UNBURNT],
  )
}

/** The orders that are to mint coin of these redeems back, and are not decided yet. */
export async function findRefundsOf(tx: Queryable, orderIds: readonly bigint[]): Promise<bigint[]> {
  const rows = await tx.query<{ order_id: bigint }>(
    `select r.order_id from payouts p
       join orders r on r.integration_id = '${REFUNDS}' and r.reference_id = ${refundNameOf('p.refunds')} and r.status = 'pending'
     where p.order_id = any ($1::bigint[]) and p.refunds > 0`,
    [orderIds],
  )
  return rows.map(({ order_id: orderId }) => orderId)
}
