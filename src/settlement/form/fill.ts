/**
 * Batches cut so that blocks are full (pure). A block takes a transaction only where all the gas that it asks for fits into what is
 * left, and a batch asks for more than twice what it uses: without this, blocks end with as much left as one batch asks for.
 */
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { expectedGas, gasLimitFor, gasLimitWanted, mostGas, worstGas } from './gas.ts'

/** What a batch asks for, and what it is expected to use. */
export type Queued = { limit: bigint; expected: bigint }

export type Filled = { orders: PendingOrder[]; expected: bigint }

/**
 * What a block has left. `earlier`: what one of those before it that are still to come may have left at most; 0 when it is the next one.
 */
export type Room = { left: bigint; earlier: bigint }

/** Fewer orders than these are not worth a transaction of their own. */
const LEAST_ORDERS = 20

/** Batches use less than is expected of them: by so much of its gas a block may have more left. */
const UNSURE_PERCENT = 10n

/** The block that takes the last of these batches; an empty one when there are none. */
export function roomBehind(queue: readonly Queued[], blockGasLimit: bigint): Room {
  let room: Room = { left: blockGasLimit, earlier: 0n }
  for (const { limit, expected } of queue) {
    if (limit > room.left) room = blockAfter(room, blockGasLimit)
    room = { ...room, left: room.left - expected }
  }
  return room
}

function blockAfter({ left, earlier }: Room, blockGasLimit: bigint): Room {
  const most = left + (blockGasLimit * UNSURE_PERCENT) / 100n
  return { left: blockGasLimit, earlier: most > earlier ? most : earlier }
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
 *
 * None is formed that would fit into what an earlier block leaves, before that block has come: there it can only come too early, behind
 * one that does not fit, and some nodes drop it for that.
 * @param room of the block in which the first of them comes
 * @param isEmpty whether a wallet, in lower case, has no coin
 * @returns `isFull` when no more can be formed before a block has come
 */
export function fillBlocks(
  orders: readonly PendingOrder[],
  { size, room, blockGasLimit }: { size: number; room: Room; blockGasLimit: bigint },
  isEmpty: (wallet: string) => boolean,
): { batches: Filled[]; isFull: boolean } {
  const batches: Filled[] = []
  const most = mostGas(blockGasLimit)
  let [block, at] = [room, 0]
  while (at < orders.length) {
    const whole = orders.slice(at, at + size)
    const batch = prefixWithin(whole, block.left < most ? block.left : most)
    const isLast = at + whole.length === orders.length && batch.length === whole.length
    if (isLast && batch.length < size && batches.length > 0) break
    if (batch.length < Math.min(LEAST_ORDERS, whole.length) && block.left < blockGasLimit) {
      block = blockAfter(block, blockGasLimit)
      continue
    }
    const taken = batch.length > 0 ? batch : whole.slice(0, 1)
    if (limitOf(taken, blockGasLimit) <= block.earlier) return { batches, isFull: true }
    const expected = withMargin(expectedGas(taken, isEmpty))
    batches.push({ orders: taken, expected })
    block = { ...block, left: block.left - expected }
    at += taken.length
  }
  return { batches, isFull: false }
}

/**
 * As many of a batch's first orders as a block certainly takes, and one at least. What orders cost is learned from the batches before, and
 * those may have been of another kind: a batch that needs more than a block has would be the next one for ever.
 */
export function withinBlock(orders: readonly PendingOrder[], blockGasLimit: bigint): PendingOrder[] {
  const taken = prefixWithin(orders, mostGas(blockGasLimit))
  return taken.length > 0 ? taken : orders.slice(0, 1)
}

/** As many as have room at worst. */
function prefixWithin(orders: readonly PendingOrder[], room: bigint): PendingOrder[] {
  let [fits, tooMany] = [0, orders.length + 1]
  while (tooMany - fits > 1) {
    const count = (fits + tooMany) >> 1
    if (gasLimitWanted(worstGas(orders.slice(0, count))) <= room) fits = count
    else tooMany = count
  }
  return orders.slice(0, fits)
}
