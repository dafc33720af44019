/** The end of a batch's orders: completed, failed, or on to their payout, with their events. */
import type { Queryable } from '../../db/database.ts'
import { eventOf } from '../../events/event.ts'
import { isOfHouse } from '../../values/house.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { announce } from '../../webhooks/queue/announce.sql.ts'
import type { Order } from '../order.ts'
import { rejectOnLost, rejectUnsettleable } from './hold.sql.ts'
import { failBurnt, failOrders, moveOrders, readUndecided } from './moves.sql.ts'
import { type BatchKey, OrdersMovedError } from './signed.sql.ts'

export type BatchOutcome = BatchKey & {
  /** All orders of the batch, or the one that a foreign batch has settled. */
  orderIds: readonly bigint[]
  /** Bit i is set when the instruction of the order with batch index i succeeded. */
  successBitmap: bigint
  /** Why instructions failed, by batch index, as far as known. */
  reasons: ReadonlyMap<number, string>
}

export type Settled = { minted: Order[]; burnt: Order[]; transferred: Order[]; failed: Order[] }

/**
 * Decides every order of a batch that is final on chain: success completes mints and transfers; failure gives the usage
 * back. Burnt redeems wait for their payout. Repeating this changes nothing.
 * @param tx the caller's transaction, which has marked the batch final
 * @returns what was settled just now: the payouts of what was burnt are to be queued in the same transaction
 * @throws OrdersMovedError when one of its orders has ended otherwise
 */
export async function decideOrders(tx: Queryable, outcome: BatchOutcome): Promise<Settled> {
  const orders = await readUndecided(tx, outcome, outcome.orderIds)
  const succeeded = orders.filter((order) => isSet(outcome.successBitmap, order))
  const failed = orders.filter((order) => !isSet(outcome.successBitmap, order))
  const burnt = succeeded.filter(({ direction }) => direction === 'REDEEM')
  const settled = succeeded.filter(({ direction }) => direction !== 'REDEEM')
  const completed = await moveOrders(tx, 'settle', idsOf(settled))
  await tell(tx, completed)
  const awaitingPayout = await moveOrders(tx, 'burn', idsOf(burnt))
  const failures = failed.map(({ orderId, batchIndex }) => ({
    orderId,
    reason: outcome.reasons.get(batchIndex ?? -1) ?? 'instruction_failed',
  }))
  const ended = await failOrders(tx, failures)
  await tell(tx, ended)
  const moved = completed.length + awaitingPayout.length + ended.length
  if (moved !== orders.length)
    throw new OrdersMovedError(`batch ${outcome.batchId}: ${orders.length - moved} orders moved`)
  return {
    failed: ended,
    minted: completed.filter(({ direction }) => direction === 'MINT'),
    transferred: completed.filter(({ direction }) => direction === 'TRANSFER'),
    burnt,
  }
}

/**
 * Completes burnt redeems whose payout the rail has accepted (contract: "Burn confirmed and MYR payout initiated"), or
 * that have no payout because less than one sen is owed for them. Completed ones stay as they are.
 */
export async function completeRedeems(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tell(tx, await moveOrders(tx, 'payOut', orderIds))
}

/** Fails a burnt redeem whose payout was refunded, so that no value moved. A completed one stays as it is. */
export async function failRefunded(tx: Queryable, orderId: bigint): Promise<void> {
  const order = await failBurnt(tx, orderId)
  await tell(tx, order === undefined ? [] : [order])
}

/** Fails an order that can never settle, with its event. Returns false when it may settle, or has ended. */
export async function rejectOrder(tx: Queryable, orderId: bigint): Promise<boolean> {
  const order = await rejectUnsettleable(tx, orderId)
  if (order === undefined) return false
  await tell(tx, [order])
  return true
}

/**
 * Fails those of the orders whose chain is gone for good and has no batch under way with them, with their events.
 * @param tx has locked the chain
 */
export async function rejectOnLostChain(tx: Queryable, orderIds: readonly bigint[]): Promise<Order[]> {
  const orders = await rejectOnLost(tx, orderIds)
  await tell(tx, orders)
  return orders
}

async function tell(tx: Queryable, orders: readonly Order[]): Promise<void> {
  const events = orders.flatMap((order) => {
    if (isOfHouse(order)) return []
    const event = eventOf(order, order.updatedAt ?? order.createdAt)
    return event === undefined ? [] : [{ ...event, integrationId: order.integrationId }]
  })
  await announce(tx, events)
}

function isSet(bitmap: bigint, { batchIndex }: Order): boolean {
  return batchIndex !== null && hasSucceeded(bitmap, batchIndex)
}

function idsOf(orders: readonly Order[]): bigint[] {
  return orders.map(({ orderId }) => orderId)
}
