/**
 * When to form a batch and how large, so that blocks are filled and a single order still gets into the next one (pure).
 */
import { MAX_INSTRUCTIONS } from '../../chain/instructions.ts'

/** The most gas of one transaction (EIP-7825). */
export const TRANSACTION_GAS_CAP = 16_777_216n
/** How many transactions of one account geth keeps; it may drop any more (`--txpool.accountqueue`). */
const MAX_UNMINED = 64n
/** A larger batch that fills this much of a block is better than more, smaller ones. */
const WELL_FILLED_PERCENT = 96n

/** Gas per order as last measured in large batches, each batch's own overhead included. */
export type GasPerOrder = {
  /** The gas that mined batches used. */
  used: bigint
  /** The gas that batches ask for: the gas limit, with its margin. A block takes a transaction only when this fits. */
  limit: bigint
}

/**
 * How many orders a batch takes so that whole batches fill a block as far as possible: the last batch fits only when
 * its gas limit fits into what the others leave.
 * @param blockGasLimit of the newest block
 */
export function batchSizeFor(gas: GasPerOrder, blockGasLimit: bigint): number {
  const most = least(BigInt(MAX_INSTRUCTIONS), greatest(TRANSACTION_GAS_CAP / gas.limit, 1n))
  const count = batchesPerBlock(most, gas, blockGasLimit)
  if (count * most * gas.used * 100n >= blockGasLimit * WELL_FILLED_PERCENT) return Number(most)
  const smaller = blockGasLimit / (count * gas.used + gas.limit)
  const isBetter = (count + 1n) * smaller > count * most
  return Number(greatest(isBetter ? least(smaller, most) : most, 1n))
}

/**
 * How many batches may wait for a block at a time: as many as two blocks take, at least 8, and at most what nodes keep
 * of one account.
 */
export function unminedLimitFor(gas: GasPerOrder, blockGasLimit: bigint): number {
  const size = BigInt(batchSizeFor(gas, blockGasLimit))
  return Number(least(greatest(2n * batchesPerBlock(size, gas, blockGasLimit), 8n), MAX_UNMINED))
}

function batchesPerBlock(size: bigint, gas: GasPerOrder, blockGasLimit: bigint): bigint {
  const limit = size * gas.limit
  return limit > blockGasLimit ? 0n : (blockGasLimit - limit) / (size * gas.used) + 1n
}

export type Pace = {
  /** The number of waiting orders, up to the batch size. */
  waiting: number
  batchSize: number
  /** The number of batches that are signed and not yet mined. */
  unmined: number
  unminedLimit: number
  sinceHeadMs: number
  /** The usual time between blocks; undefined while it is not known. */
  blockIntervalMs: number | undefined
  pollIntervalMs: number
}

/**
 * Whether to form a batch now. With nothing under way, at once. While another batch waits for its block, a partly
 * filled one is formed only just before the next block is due (a fifth of the interval, but at least two polls), so
 * that load fills batches and an order that comes in between still makes that block.
 */
export function shouldForm(pace: Pace): boolean {
  if (pace.waiting === 0 || pace.unmined >= pace.unminedLimit) return false
  if (pace.unmined === 0 || pace.waiting >= pace.batchSize) return true
  if (pace.blockIntervalMs === undefined) return true
  const guardMs = Math.max(pace.blockIntervalMs / 5, 2 * pace.pollIntervalMs, 150)
  return pace.sinceHeadMs >= pace.blockIntervalMs - guardMs
}

/** The usual time between blocks: a moving average that one late block does not upset. */
export function nextBlockInterval(previous: number | undefined, measuredMs: number): number {
  return previous === undefined ? measuredMs : previous * 0.8 + measuredMs * 0.2
}

/**
 * How long after a block no other is to be expected, so that no node need be asked for one. Nothing where blocks do not come
 * regularly, and a poll less than the shortest interval lately: a block is seen no later than if nodes were asked all the time.
 * @param lately the last times between blocks, as they were seen
 * @param count how many of them are needed
 */
export function quietMs(lately: readonly number[], count: number, pollIntervalMs: number): number {
  if (lately.length < count) return 0
  const [shortest, longest] = [Math.min(...lately), Math.max(...lately)]
  const isRegular = longest - shortest <= Math.max(2 * pollIntervalMs, shortest / 4)
  return isRegular ? Math.max(shortest - pollIntervalMs, 0) : 0
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function greatest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
