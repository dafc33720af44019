/** Cuts what is due into batches that fill blocks. */
import type { Hex } from 'viem'
import { askAboutEach } from '../../chain/asking.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { ChainError } from '../../chain-errors.ts'
import { type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { fillBlocks, type Queued, roomBehind, withinBlock } from './fill.ts'
import { batchSizeFor, unminedLimitFor } from './pace.ts'

/** `balanceOf(address)` */
const BALANCE_OF = '0x70a08231'

/**
 * Orders of one batch, or a fence. `expected`: the gas that it will probably use; undefined where nothing was asked to know it.
 */
export type Due = { orders: PendingOrder[]; expected: bigint | undefined; fenceTag?: Hex }

/** Whether nothing more can be formed before another block comes. */
export function isFullFor({ memory }: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): boolean {
  return memory.form.fullAtHash === at.head.hash && inFlight.some(({ status }) => status === 'signed')
}

/**
 * Cuts whole batches so that they fill blocks. For one that is partly filled no node is asked anything: no block is full of those.
 * @param due batches as they were selected: whole ones, or a single one that is not
 * @returns `isFull` when no more can be formed before another block comes, these left aside
 */
export async function fillDue(
  work: Work,
  at: AgreedHead,
  due: readonly PendingOrder[][],
  inFlight: readonly InFlightBatch[],
): Promise<{ batches: Due[]; isFull: boolean }> {
  const { gasPerOrder } = work.memory.form
  const { gasLimit: blockGasLimit } = at.head
  const size = batchSizeFor(gasPerOrder, blockGasLimit)
  const [first = []] = due
  work.memory.form.isCutting = first.length >= size
  if (!work.memory.form.isCutting)
    return {
      batches: due.map((orders) => ({ orders: withinBlock(orders, blockGasLimit), expected: undefined })),
      isFull: false,
    }
  const queue = queueOf(work, inFlight)
  const most = unminedLimitFor(gasPerOrder, blockGasLimit) - queue.length
  const orders = due.flat()
  const isEmpty = await emptyOnes(work, at, orders)
  const block = { size, room: roomBehind(queue, blockGasLimit), blockGasLimit }
  const { batches, isFull } = fillBlocks(orders, block, isEmpty)
  const taken = batches.slice(0, Math.max(most, 1))
  return { batches: taken, isFull: isFull && taken.length === batches.length }
}

/** Remembers what batches will probably use, as long as they are unmined, and whether others have to wait for a block. */
export function noteFormed(
  { memory }: Work,
  at: AgreedHead,
  inFlight: readonly InFlightBatch[],
  { signed, isFull }: { signed: readonly { batchId: bigint; expected: bigint }[]; isFull: boolean },
): void {
  memory.form.fullAtHash = isFull ? at.head.hash : undefined
  const known = memory.form.expected
  const kept = inFlight.filter(({ status, batchId }) => status === 'signed' && known.has(batchId))
  memory.form.expected = new Map([
    ...kept.map(({ batchId }) => [batchId, known.get(batchId) ?? 0n] as const),
    ...signed.map(({ batchId, expected }) => [batchId, expected] as const),
  ])
}

/** What waits for a block, as far as this process knows what it will use. */
function queueOf({ memory }: Work, inFlight: readonly InFlightBatch[]): Queued[] {
  const signed = inFlight.filter(({ status }) => status === 'signed')
  return signed.map((batch) => {
    const limit = presentAttempts(batch).at(-1)?.gasLimit ?? 0n
    return { limit, expected: memory.form.expected.get(batch.batchId) ?? limit }
  })
}

/** Which wallets have no coin. One node is enough: whatever it says, batches have gas enough, and only blocks are filled worse. */
async function emptyOnes(
  { chain }: Work,
  at: AgreedHead,
  orders: readonly PendingOrder[],
): Promise<(wallet: string) => boolean> {
  const credited = orders.filter(({ direction }) => direction !== 'REDEEM')
  const wallets = [...new Set(credited.map(({ walletAddress }) => walletAddress.toLowerCase()))]
  const question = { contract: chain.config.coin.address, selector: BALANCE_OF } as const
  try {
    const said = await askAboutEach(at.nodes, question, wallets, { blockHash: at.head.hash })
    return (wallet) => said.get(wallet) !== 'yes'
  } catch (error) {
    if (error instanceof ChainError) return () => true
    throw error
  }
}
