/**
 * Mines the sandbox's blocks: at a steady pace while there is something to mine or confirm, and none while nothing
 * happens, so that the chain's state stays small however long the sandbox runs.
 */
import type { Logger } from 'pino'
import { createWorkLoop } from '../../work-loop.ts'
import { rpc } from './rpc.ts'

/** Empty blocks after the last transaction: more than any confirmation depth of the sandbox. */
const CONFIRMING_BLOCKS = 4

export type BlockTicker = {
  /** Changes the pace. */
  setBlockTime(blockTimeMs: number): void
  stop(): Promise<void>
}

/** Starts mining. */
export function startBlockTicker(rpcUrl: string, blockTimeMs: number, logger: Logger): BlockTicker {
  let paceMs = blockTimeMs
  let emptyBlocksDue = CONFIRMING_BLOCKS
  let dueAtMs = 0
  const loop = createWorkLoop({
    name: 'sandbox blocks',
    logger,
    pollMs: 50,
    async work() {
      if (performance.now() < dueAtMs) return false
      dueAtMs = performance.now() + paceMs
      if (await hasTransactions(rpcUrl)) emptyBlocksDue = CONFIRMING_BLOCKS
      else if (emptyBlocksDue === 0) return false
      else emptyBlocksDue -= 1
      await rpc(rpcUrl, 'evm_mine')
      return false
    },
  })
  loop.start()
  return {
    stop: loop.stop,
    setBlockTime(next) {
      paceMs = next
      dueAtMs = 0
    },
  }
}

/**
 * Whether transactions wait, or the newest block has some: a transaction that came between the last look and the block
 * was never seen waiting, but still needs its confirmations.
 */
async function hasTransactions(rpcUrl: string): Promise<boolean> {
  const [{ pending }, mined] = await Promise.all([
    rpc<{ pending: string }>(rpcUrl, 'txpool_status'),
    rpc<string>(rpcUrl, 'eth_getBlockTransactionCountByNumber', ['latest']),
  ])
  return BigInt(pending) > 0n || BigInt(mined) > 0n
}
