/**
 * Ends what was begun on a chain that is gone for good and is not final there: its batches are given up, and their orders fail with every other
 * that waits there, some at a time. Nothing of it is known to have moved a value that anybody still has.
 */
import type { Queryable } from '../../db/database.ts'
import { isChainLost } from '../../db/lost-chains.sql.ts'
import { rejectOnLostChain } from '../../orders/life/outcome.ts'
import { failRefund } from '../../payouts/refund.sql.ts'
import { REFUNDS } from '../../values/house.ts'
import { abandon } from '../repair/abandon.ts'
import { readRunningHash } from '../tables/batches.sql.ts'
import { lockChain, setNextBatch } from '../tables/chains.sql.ts'
import { findFirstInFlight } from '../tables/lost-chains.sql.ts'

/** Orders of one transaction. */
const ORDERS_AT_ONCE = 255

export type Ended = { batches: number; orders: number }

/**
 * Gives up all batches, and ends some of the orders, if the chain is still lost. Repeating it ends the rest.
 * @param tx under the chain's lease
 */
export async function endSome(tx: Queryable, chainId: number): Promise<Ended> {
  await lockChain(tx, chainId)
  // Somebody may have found it since the caller looked.
  if (!(await isChainLost(tx, chainId))) return { batches: 0, orders: 0 }
  const batches = await giveUpBatches(tx, chainId)
  const ended = await rejectOnLostChain(tx, chainId, ORDERS_AT_ONCE)
  // Where others have moved coin under its tag, nobody has looked at that, as whoever rejects an order does: it stays told.
  for (const order of ended)
    if (order.integrationId === REFUNDS) await failRefund(tx, order, 'its chain is gone for good')
  return { batches, orders: ended.length }
}

/** If the chain is found again, and has them, they are read as batches that others made: their ids are free. */
async function giveUpBatches(tx: Queryable, chainId: number): Promise<number> {
  const first = await findFirstInFlight(tx, chainId)
  if (first === undefined) return 0
  const abandoned = await abandon(tx, chainId, first)
  await setNextBatch(tx, chainId, { batchId: first, previous: await readRunningHash(tx, chainId, first - 1n) })
  return abandoned.length
}
