/**
 * What choosing how large batches are, and what they ask for, makes of blocks: the table of bench/results/choices.md, "The end of a block".
 * Nothing is run; the gas is that of src/settlement/form/gas.ts.
 *
 *   node bench/support/settling/calculate.ts [orders, default 60000]
 */
import { fillBlocks, type Queued, roomBehind } from '../../../src/settlement/form/fill.ts'
import { expectedGas, gasLimitFor, worstGas } from '../../../src/settlement/form/gas.ts'
import type { PendingOrder } from '../../../src/settlement/tables/waiting.sql.ts'
import { BLOCK_GAS } from './chains.ts'

const COUNT = Number(process.argv[2] ?? 60_000)
const SIZE = 255
/** As many batches are formed at a time, and so much may wait. */
const [AT_ONCE, BLOCKS_AHEAD] = [4, 2n]

/** `backAt`: the first block for which a node that dropped it has it again. */
type Batch = Queued & { used: bigint; orders: number; backAt?: number }
type Way = (orders: readonly PendingOrder[], queue: readonly Batch[]) => Batch[]

const FRESH = '0xf'
const isEmpty = (wallet: string) => wallet.startsWith(FRESH)
const usedBy = (orders: readonly PendingOrder[]) => expectedGas(orders, isEmpty)
const worst = (orders: readonly PendingOrder[]) => gasLimitFor(worstGas(orders), BLOCK_GAS)
/** What is known, and a first coin for a tenth of the orders and four more. */
const known = (orders: readonly PendingOrder[]) =>
  gasLimitFor(usedBy(orders) + 17_100n * BigInt(Math.ceil(orders.length / 10) + 4), BLOCK_GAS)

/** A sequence that is the same in each run. */
let state = 1
function random(below: number): number {
  state = (state * 48_271) % 2_147_483_647
  return state % below
}

/** Of ten, four mints to wallets that have coin, two to fresh ones, two redeems, two transfers; each wallet once. */
function orderOf(index: number): PendingOrder {
  const turn = random(10)
  const direction = turn < 6 ? 'MINT' : turn < 8 ? 'REDEEM' : 'TRANSFER'
  const wallet = (letter: string) => `0x${letter}${index}`
  return {
    orderId: BigInt(index),
    integrationId: '',
    referenceId: '',
    direction,
    amountMicro: 1n,
    walletAddress: wallet(turn === 4 || turn === 5 ? 'f' : 'a'),
    debitAddress: direction === 'MINT' ? null : wallet('d'),
  }
}

/** Batches of one size. */
const whole =
  (asks: typeof worst): Way =>
  (orders) => {
    const count = Math.max(Math.floor(orders.length / SIZE), 1)
    return Array.from({ length: count }, (_, index) => {
      const own = orders.slice(index * SIZE, (index + 1) * SIZE)
      return { limit: asks(own), expected: 0n, used: usedBy(own), orders: own.length }
    })
  }

/** The last batches of a block cut to what it has left, where batches use so many thousandths of what is expected of them. */
const cut =
  (thousandths: bigint): Way =>
  (orders, queue) => {
    const room = roomBehind(queue, BLOCK_GAS)
    const { batches } = fillBlocks(orders, { size: SIZE, room, blockGasLimit: BLOCK_GAS }, isEmpty)
    return batches.map(({ orders: own, expected }) => {
      return { limit: worst(own), expected, used: (usedBy(own) * thousandths) / 1_000n, orders: own.length }
    })
  }

/** A node that drops is sent what it lost again, in time for the block after the next. */
const BLOCKS_LOST = 2

/**
 * What a block takes of the queue: batches one after the other, as long as what they ask for fits. With `drops` the node loses those behind
 * that would fit, as anvil does.
 */
function mine(queue: Batch[], number: number, drops: boolean): Batch[] {
  let left = BLOCK_GAS
  const taken: Batch[] = []
  for (const batch of queue) {
    if (batch.limit > left || (batch.backAt ?? 0) > number) break
    left -= batch.used
    taken.push(batch)
  }
  for (const batch of queue.slice(taken.length + 1)) {
    if ((batch.backAt ?? 0) > number) break
    if (drops && batch.limit <= left) batch.backAt = number + BLOCKS_LOST
  }
  return taken
}

function run(what: string, way: Way, drops = false): void {
  state = 1
  let waiting = Array.from({ length: COUNT }, (_, index) => orderOf(index))
  let queue: Batch[] = []
  const blocks: { share: number; orders: number; batches: number }[] = []
  while (waiting.length + queue.length > 0) {
    while (waiting.length > 0 && queue.reduce((sum, { used }) => sum + used, 0n) < BLOCKS_AHEAD * BLOCK_GAS) {
      const formed = way(waiting.slice(0, AT_ONCE * SIZE), queue)
      if (formed.length === 0) break
      queue.push(...formed)
      waiting = waiting.slice(formed.reduce((sum, { orders }) => sum + orders, 0))
    }
    const taken = mine(queue, blocks.length, drops)
    queue = queue.slice(taken.length)
    const used = taken.reduce((sum, batch) => sum + batch.used, 0n)
    const share = Number(used) / Number(BLOCK_GAS)
    blocks.push({ share, orders: taken.reduce((sum, { orders }) => sum + orders, 0), batches: taken.length })
  }
  const full = blocks.slice(1, -2)
  const shares = full.map(({ share }) => share).sort((a, b) => a - b)
  const mean = (of: (block: (typeof full)[number]) => number) =>
    full.reduce((sum, one) => sum + of(one), 0) / full.length
  const [median = 0, least = 0] = [shares[shares.length >> 1], shares[0]]
  const cells = [what, `${median.toFixed(3)} (${least.toFixed(3)})`, Math.round(mean(({ orders }) => orders))]
  console.log(`| ${[...cells, mean(({ batches }) => batches).toFixed(1)].join(' | ')} |`)
}

run('one size, the worst case', whole(worst))
run('one size, what is known and a reserve', whole(known))
run('cut, the worst case', cut(1_000n))
run('… where they use 1 % more than expected', cut(1_010n))
run('… 1 % less', cut(990n))
run('… 3 % less', cut(970n))
run('… 1 % less, and the node drops what fits too early', cut(990n), true)
run('… 3 % less, and it drops', cut(970n), true)
run('… 10 % less, and it drops', cut(900n), true)
