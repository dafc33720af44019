/**
 * Batches cut so that blocks are full (pure). A block takes a transaction only where all the gas that it asks for fits into what is
 * left, and a batch asks for more than twice what it uses: without this, blocks end with as much left as one batch asks for.
 */
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { expectedGas, gasLimitFor, worstGas } from './gas.ts'

/** What a batch asks for, and what it is expected to use. */
export type Queued = { limit: bigint; expected: bigint }

export type Filled = { orders: PendingOrder[]; expected: bigint }

/** Fewer orders than these are not worth a transaction of their own. */
const LEAST_ORDERS = 20

/** What is left of the block that takes the last of these batches; of an empty one when there are none. */
export function roomBehind(queue: readonly Queued[], blockGasLimit: bigint): bigint {
  let room = blockGasLimit
  for (const { limit, expected } of queue) {
    if (limit > room) room = blockGasLimit
    room -= expected
  }
  return room
}

/** How much more than expected a batch may use: what follows it would not fit into the block that it was cut for. */
const withMargin = (gas: bigint) => (gas * 1_005n) / 1_000n

/** What a batch of these orders asks for. */
export function limitOf(orders: readonly PendingOrder[], blockGasLimit: bigint): bigint {
  return gasLimitFor(worstGas(orders), blockGasLimit)
}

/**
 * Cuts orders into batches of at most `size`, in their sequence, each no larger than fits into its block behind those before it. A
 * partly filled one at the end is left out, as `splitIntoBatches` does, because it can still collect.
 * @param room what the block has left in which the first of them comes
 * @param isEmpty whether a wallet, in lower case, has no coin
 */
export function fillBlocks(
  orders: readonly PendingOrder[],
  { size, room, blockGasLimit }: { size: number; room: bigint; blockGasLimit: bigint },
  isEmpty: (wallet: string) => boolean,
): Filled[] {
  const batches: Filled[] = []
  let [left, at] = [room, 0]
  while (at < orders.length) {
    const whole = orders.slice(at, at + size)
    const batch = prefixWithin(whole, { room: left, blockGasLimit })
    const isLast = at + whole.length === orders.length && batch.length === whole.length
    if (isLast && batch.length < size && batches.length > 0) break
    if (batch.length < Math.min(LEAST_ORDERS, whole.length) && left < blockGasLimit) {
      left = blockGasLimit
      continue
    }
    const taken = batch.length > 0 ? batch : whole.slice(0, 1)
    const expected = withMargin(expectedGas(taken, isEmpty))
    batches.push({ orders: taken, expected })
    left -= expected
    at += taken.length
  }
  return batches
}

function prefixWithin(
  orders: readonly PendingOrder[],
  { room, blockGasLimit }: { room: bigint; blockGasLimit: bigint },
): PendingOrder[] {
  let [fits, tooMany] = [0, orders.length + 1]
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1
    if (limitOf(orders.slice(0, count), blockGasLimit) <= room) fits = count
    else tooMany = count
  }
  return orders.slice(0, fits)
}
