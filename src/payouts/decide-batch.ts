/** The end of a batch: the ends of its orders, the payouts of the redeems that it burnt, and their place in the books. */
import type { Queryable } from '../db/database.ts'
import { judgeEntries, recordEntries } from '../ledger/entries.sql.ts'
import { flowsOfTransfers } from '../ledger/flows.ts'
import { entriesOfSettled } from '../ledger/postings.ts'
import { type BatchOutcome, completeRedeems, decideOrders } from '../orders/life/outcome.ts'
import type { Order } from '../orders/order.ts'
import { isOfHouse, REFUNDS } from '../values/house.ts'
import { queuePayouts } from './queue.sql.ts'
import { endRefund, failRefund } from './refund.sql.ts'

const isRefund = ({ integrationId }: Order) => integrationId === REFUNDS

/** How the books name it (`batch/1/7`), and when the chain says that it happened. */
export type Booking = { source: string; effectiveAt: Date }

/**
 * Decides every order of a batch that is final on chain: mints and transfers complete or fail, burnt redeems go on to
 * their payout, refunds end theirs, and a redeem with less than one sen to pay completes; all that is booked, but for what is minted again, of
 * which the books have the coin already. Repeating this changes nothing.
 * @param tx the caller's transaction, which has marked the batch final
 */
export async function decideBatch(tx: Queryable, outcome: BatchOutcome, booking: Booking): Promise<void> {
  const { minted: allMinted, burnt, transferred, failed } = await decideOrders(tx, outcome)
  const minted = allMinted.filter((order) => !isOfHouse(order))
  for (const refund of allMinted.filter(isRefund)) await endRefund(tx, refund, booking.effectiveAt)
  for (const refund of failed.filter(isRefund)) await failRefund(tx, refund, refund.failureReason ?? 'unknown')
  const payoutsSen = await queuePayouts(tx, burnt)
  const unpaid = burnt.filter(({ orderId }) => !payoutsSen.has(orderId))
  await completeRedeems(
    tx,
    unpaid.map(({ orderId }) => orderId),
  )
  const redeems = burnt.map((order) => ({ ...order, payoutSen: payoutsSen.get(order.orderId) ?? 0n }))
  const { chainId } = outcome
  await recordEntries(
    tx,
    entriesOfSettled({ chainId, ...booking, minted, burnt: redeems }),
    flowsOfTransfers(chainId, booking.effectiveAt, transferred),
  )
}

/** Has the database judge what was booked when an order ended, before others end in the same transaction. */
export async function judgeBooked(tx: Queryable): Promise<void> {
  await judgeEntries(tx)
}
