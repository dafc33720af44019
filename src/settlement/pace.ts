/** When to form a batch, and how large: so that blocks are filled, and a single order still gets into the next one (pure). */
import { MAX_INSTRUCTIONS } from '../chain/instructions.ts'

/** A transaction of its own, the batch's record and event, measured (bench/results/gas.md) and rounded up. */
const BATCH_OVERHEAD_GAS = 100_000n
/** The most gas of one transaction (EIP-7825). */
const TRANSACTION_GAS_CAP = 16_777_216n
/** A block is never counted on whole: others use it too. */
const BLOCK_SHARE_PERCENT = 98n
/** What geth keeps of one account beyond which it may drop transactions (`--txpool.accountqueue`). */
const MAX_UNMINED = 64n

/**
 * How many orders a batch takes so that whole batches tile a block without leaving a gap too small for the last one.
 * @param gasPerOrder as last measured
 * @param blockGasLimit of the newest block
 */
export function batchSizeFor(gasPerOrder: bigint, blockGasLimit: bigint): number {
  const block = (blockGasLimit * BLOCK_SHARE_PERCENT) / 100n
  const fullBatch = least(BATCH_OVERHEAD_GAS + BigInt(MAX_INSTRUCTIONS) * gasPerOrder, TRANSACTION_GAS_CAP)
  const batchesPerBlock = (block + fullBatch - 1n) / fullBatch
  const share = least(block / greatest(batchesPerBlock, 1n), TRANSACTION_GAS_CAP)
  const size = share > BATCH_OVERHEAD_GAS ? (share - BATCH_OVERHEAD_GAS) / gasPerOrder : 1n
  return Number(least(greatest(size, 1n), BigInt(MAX_INSTRUCTIONS)))
}

/** How many batches may wait for a block at a time: what two blocks take, at least 8, at most what nodes keep of an account. */
export function unminedLimitFor(gasPerOrder: bigint, blockGasLimit: bigint): number {
  const batchGas = BATCH_OVERHEAD_GAS + BigInt(batchSizeFor(gasPerOrder, blockGasLimit)) * gasPerOrder
  return Number(least(greatest((2n * blockGasLimit) / batchGas, 8n), MAX_UNMINED))
}

export type Pace = {
  /** Orders that wait, up to the batch size. */
  waiting: number
  batchSize: number
  /** Batches that are signed and not yet mined. */
  unmined: number
  unminedLimit: number
  sinceHeadMs: number
  /** The usual time between blocks; undefined while it is not known. */
  blockIntervalMs: number | undefined
  pollIntervalMs: number
}

/**
 * Whether to form a batch now. With nothing under way, at once. While a batch waits for its block anyway, a part-filled one
 * is formed only shortly before the next block is due (a fifth of the interval, two polls at least), so that load fills
 * batches and an order that comes in between still makes that block.
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

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function greatest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
