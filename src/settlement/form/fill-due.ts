/** Cuts what is due into batches that fill blocks. */
import { askAboutEach } from '../../chain/asking.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { ChainError } from '../../chain-errors.ts'
import { type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { fillBlocks, type Queued, roomBehind } from './fill.ts'
import { batchSizeFor, unminedLimitFor } from './pace.ts'

/** `balanceOf(address)` */
const BALANCE_OF = '0x70a08231'

/** Orders of one batch. `expected`: the gas that it will probably use; undefined where nothing was asked to know it. */
export type Due = { orders: PendingOrder[]; expected: bigint | undefined }

/**
 * Whole batches are cut so that blocks are full. Nothing is asked for one that is partly filled: no block is full of those.
 * @param due batches as they were selected: whole ones, or a single one that is not
 */
export async function fillDue(
  work: Work,
  at: AgreedHead,
  due: readonly PendingOrder[][],
  inFlight: readonly InFlightBatch[],
): Promise<Due[]> {
  const { gasPerOrder } = work.memory.form
  const { gasLimit: blockGasLimit } = at.head
  const size = batchSizeFor(gasPerOrder, blockGasLimit)
  const [first = []] = due
  if (first.length < size) return due.map((orders) => ({ orders, expected: undefined }))
  const queue = queueOf(work, inFlight)
  const most = unminedLimitFor(gasPerOrder, blockGasLimit) - queue.length
  const orders = due.flat()
  const isEmpty = await emptyOnes(work, at, orders)
  const block = { size, room: roomBehind(queue, blockGasLimit), blockGasLimit }
  return fillBlocks(orders, block, isEmpty).slice(0, Math.max(most, 1))
}

/** Remembers what batches will probably use, as long as they are unmined. */
export function noteExpected(
  { memory }: Work,
  inFlight: readonly InFlightBatch[],
  formed: readonly { batchId: bigint; expected: bigint }[],
): void {
  const known = memory.form.expected
  const kept = inFlight.filter(({ status, batchId }) => status === 'signed' && known.has(batchId))
  memory.form.expected = new Map([
    ...kept.map(({ batchId }) => [batchId, known.get(batchId) ?? 0n] as const),
    ...formed.map(({ batchId, expected }) => [batchId, expected] as const),
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
