/**
 * What the contract has executed so far, for whoever must know that something is not among it: asked of the nodes themselves, by the
 * rules by which outcomes are final. The running hash vouches for every batch before, whoever has written them down.
 */
import type { Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { readContractHead } from './batch-reads.ts'
import { readFinalBlock } from './final-block.ts'
import type { RpcNode } from './node.ts'
import { agree } from './quorum.ts'
import { readOutcome } from './settlement-reads.ts'

/** `final`: the block that settled it can no longer be taken back. Bit i is set when instruction i succeeded. */
export type PastOutcome = { final: boolean; successBitmap: bigint; digest: Hex }

/** As of the newest block on which a quorum agrees. */
export type Past = {
  /** What is in it, or below it, can no longer be taken back, nor can anything else come there. */
  finalBlock: bigint
  lastBatchId: bigint
  runningHash: Hex
  /** Undefined of a batch that is not settled. */
  outcomeOf(batchId: bigint): Promise<PastOutcome | undefined>
}

/** @throws ChainError when too few nodes answer, or agree */
export async function readPast(config: ChainConfig, nodes: readonly RpcNode[]): Promise<Past> {
  const { quorum, settlement } = config
  const { at, finalBlock } = await readFinalBlock(config, nodes)
  const block = { blockHash: at.head.hash }
  const { value } = await agree(at.nodes, quorum, (node) => readContractHead(node, config, block))
  return {
    finalBlock,
    lastBatchId: value.lastBatchId,
    runningHash: value.runningHash,
    async outcomeOf(batchId) {
      const { value: record } = await agree(at.nodes, quorum, (node) => readOutcome(node, settlement, batchId, block))
      return record.settled
        ? { final: record.blockNumber <= finalBlock, successBitmap: record.successBitmap, digest: record.digest }
        : undefined
    },
  }
}
