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
  /** Mines nothing for so long. */
  hold(ms: number): void
  /** Takes the next block with a transaction back when the one after it would be due, and mines in its place. */
  takeBackNext(): void
  stop(): Promise<void>
}

/** Starts mining. */
export function startBlockTicker(rpcUrl: string, blockTimeMs: number, logger: Logger): BlockTicker {
  let paceMs = blockTimeMs
  let emptyBlocksDue = CONFIRMING_BLOCKS
  let dueAtMs = 0
  let takesBack: 'nothing' | 'the next' | 'the newest' = 'nothing'
  const loop = createWorkLoop({
    name: 'sandbox blocks',
    logger,
    pollMs: 50,
    async work() {
      if (performance.now() < dueAtMs) return false
      dueAtMs = performance.now() + paceMs
      if (takesBack === 'the newest') {
        takesBack = 'nothing'
        await rpc(rpcUrl, 'anvil_reorg', [1, []])
        emptyBlocksDue = CONFIRMING_BLOCKS
      }
      if (await hasTransactions(rpcUrl)) emptyBlocksDue = CONFIRMING_BLOCKS
      else if (emptyBlocksDue === 0) return false
      else emptyBlocksDue -= 1
      await rpc(rpcUrl, 'evm_mine')
      if (takesBack === 'the next' && (await transactionsIn(rpcUrl)) > 0n) takesBack = 'the newest'
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
    hold(ms) {
      dueAtMs = Math.max(dueAtMs, performance.now() + ms)
    },
    takeBackNext() {
      if (takesBack === 'nothing') takesBack = 'the next'
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
    transactionsIn(rpcUrl),
  ])
  return BigInt(pending) > 0n || mined > 0n
}

/** How many transactions the newest block holds. */
async function transactionsIn(rpcUrl: string): Promise<bigint> {
  return BigInt(await rpc<string>(rpcUrl, 'eth_getBlockTransactionCountByNumber', ['latest']))
}
