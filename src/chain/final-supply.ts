/** How much coin exists in a block that is final: by the rules by which outcomes are, because it is signed for strangers. */
import type { Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { greatest, least } from '../values/bigints.ts'
import { readContractHead } from './batch-reads.ts'
import { readFinalBlock } from './final-block.ts'
import type { RpcNode } from './node.ts'
import { agree, NoQuorumError } from './quorum.ts'
import { readBlock } from './reads.ts'

/** `lastBatchId`: of the last batch that the contract had executed by then. */
export type FinalSupply = { blockNumber: bigint; blockHash: Hex; supplyMicro: bigint; lastBatchId: bigint }

/**
 * Reads it at the newest final block, or at `notAbove` where that is lower.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function readFinalSupply(
  config: ChainConfig,
  nodes: readonly RpcNode[],
  notAbove: bigint | undefined,
): Promise<FinalSupply> {
  const { at, finalBlock } = await readFinalBlock(config, nodes)
  const final = greatest(finalBlock, 0n)
  const blockNumber = notAbove === undefined ? final : least(final, notAbove)
  const { value } = await agree(at.nodes, config.quorum, async (node) => {
    const block = await readBlock(node, blockNumber)
    if (block === undefined) throw new NoQuorumError(`${node.label}: has no block ${blockNumber}`)
    const { supplyMicro, lastBatchId } = await readContractHead(node, config, { blockHash: block.hash })
    return { blockHash: block.hash, supplyMicro, lastBatchId }
  })
  return { blockNumber, ...value }
}
