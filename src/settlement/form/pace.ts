/**
 * When to form a batch and how large, so that blocks are filled and a single order still gets into the next one (pure).
 */
import { MAX_INSTRUCTIONS } from '../../chain/instructions.ts'
import { greatest, least } from '../../values/bigints.ts'
import { TRANSACTION_GAS_CAP } from './gas.ts'

/** How many transactions of one account geth keeps; it may drop any more (`--txpool.accountqueue`). */
const MAX_UNMINED = 64n

/** Gas per order in the last large batch, the batch's own overhead included. */
export type GasPerOrder = {
  /** The gas that it will probably use. */
  used: bigint
  /** The gas that it asks for: the gas limit, with its margin. A block takes a transaction only when this fits. */
  limit: bigint
}

/**
 * How many orders a batch takes: as many as a transaction and a block may have.
 * @param blockGasLimit of the newest block
 */
export function batchSizeFor({ limit }: GasPerOrder, blockGasLimit: bigint): number {
  const most = least(TRANSACTION_GAS_CAP, blockGasLimit) / limit
  return Number(greatest(least(BigInt(MAX_INSTRUCTIONS), most), 1n))
}

/**
 * How many batches may wait for a block at a time: as many as two blocks take, smaller ones at their ends included, at least 8,
 * and at most what nodes keep of one account.
 */
export function unminedLimitFor(gas: GasPerOrder, blockGasLimit: bigint): number {
  const whole = blockGasLimit / (BigInt(batchSizeFor(gas, blockGasLimit)) * gas.used)
  return Number(least(greatest(3n * whole, 8n), MAX_UNMINED))
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
