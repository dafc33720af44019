/**
 * Ends what was begun on a chain that is gone for good and is not final there: its batches are given up, and their orders fail with every other
 * that waits there, some at a time. Nothing of it is known to have moved a value that anybody still has. What it had settled before, as is known here, is final.
 */
import { apart } from '../../db/apart.ts'
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { rejectOnLostChain } from '../../orders/life/outcome.ts'
import { failRefund } from '../../payouts/refund.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { endAsSettled } from '../form/settled-tags.ts'
import { abandon } from '../repair/abandon.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { lockChain, setNextBatch } from '../tables/chains.sql.ts'
import { findFirstInFlight } from '../tables/lost-chains.sql.ts'
import { readOpen } from '../tables/waiting.sql.ts'

/** Orders of one transaction. */
const ORDERS_AT_ONCE = 255

/** An order that could not be ended, and why. */
export type Failed = { orderId: bigint; error: unknown }

/** `failed`: each by itself; they are tried again. `isWhole`: there were no others. */
export type Ended = { batches: number; orders: number; failed: Failed[]; isWhole: boolean }

/**
 * Gives up all batches, and ends some of the orders, if the chain is still lost. Repeating it ends the rest.
 * @param tx under the chain's lease
 * @param but orders that could not be ended: more of them than are read at once would keep all others
 */
export async function endSome(tx: Queryable, chainId: number, but: readonly bigint[]): Promise<Ended> {
  await lockChain(tx, chainId)
  // Somebody may have found it since the caller looked.
  if (!(await isChainLost(tx, chainId))) return { batches: 0, orders: 0, failed: [], isWhole: true }
  const batches = await giveUpBatches(tx, chainId)
  const open = await readOpen(tx, chainId, { limit: ORDERS_AT_ONCE, but })
  const settled = await endAsSettled(tx, chainId, open)
  const rest = await failAll(
    tx,
    settled.left.map(({ orderId }) => orderId),
  )
  const unended = settled.unended.map(({ verdict, error }) => ({ orderId: verdict.order.orderId, error }))
  const failed = [...unended, ...rest.failed]
  return { batches, orders: settled.taken + rest.orders, failed, isWhole: open.length < ORDERS_AT_ONCE }
}

const STILL_IN_BATCH = 'is in a batch that was not given up, unless it has ended just now'

/** Together, or else one by one: what keeps one of them from it keeps no other. */
async function failAll(tx: Queryable, orderIds: readonly bigint[]): Promise<Pick<Ended, 'orders' | 'failed'>> {
  let ended: ReadonlySet<bigint> = new Set()
  const failure = await apart(tx, async () => {
    ended = await fail(tx, orderIds)
  })
  if (failure === undefined) {
    // Not said, they would be read again and again.
    const left = orderIds.filter((orderId) => !ended.has(orderId))
    const failed = left.map((orderId) => ({ orderId, error: new Error(`order ${orderId} ${STILL_IN_BATCH}`) }))
    return { orders: ended.size, failed }
  }
  const [orderId] = orderIds
  if (orderIds.length === 1 && orderId !== undefined) return { orders: 0, failed: [{ orderId, ...failure }] }
  const each = { orders: 0, failed: [] as Failed[] }
  for (const one of orderIds) {
    const alone = await failAll(tx, [one])
    each.orders += alone.orders
    each.failed.push(...alone.failed)
  }
  return each
}

/** Where others have moved coin under its tag, nobody has looked at that, as whoever rejects an order does: it stays told. */
async function fail(tx: Queryable, orderIds: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  const ended = await rejectOnLostChain(tx, orderIds)
  for (const order of ended)
    if (order.integrationId === REFUNDS) await failRefund(tx, order, 'its chain is gone for good')
  return new Set(ended.map(({ orderId }) => orderId))
}

/** If the chain is found again, and has them, they are read as batches that others made: their ids are free. */
async function giveUpBatches(tx: Queryable, chainId: number): Promise<number> {
  const first = await findFirstInFlight(tx, chainId)
  if (first === undefined) return 0
  const abandoned = await abandon(tx, chainId, first)
  await setNextBatch(tx, chainId, { batchId: first, previous: await readRunningHash(tx, chainId, first - 1n) })
  return abandoned.length
}
