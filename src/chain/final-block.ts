/** Up to which block what a chain shows counts for good. */
import type { ChainConfig } from '../config.ts'
import type { RpcNode } from './node.ts'
import { type AgreedHead, agreedHead } from './quorum.ts'

/**
 * The newest head on which a quorum agrees, and the final block below it.
 * @throws ChainError when too few nodes answer, or agree
 */
export async function readFinalBlock(
  { quorum, confirmations, finality }: Pick<ChainConfig, 'quorum' | 'confirmations' | 'finality'>,
  nodes: readonly RpcNode[],
): Promise<{ at: AgreedHead; finalBlock: bigint }> {
  const at = await agreedHead(nodes, quorum)
  const finalized = finality === 'depth' ? undefined : (await agreedHead(nodes, quorum, 'finalized')).head.number
  return { at, finalBlock: finalBlockOf(at.head.number, confirmations, finalized) }
}

/**
 * The highest block whose contents are final, as a function of what the nodes say (pure).
 * @param confirmations blocks from the one that is final to the head, both counted
 * @param finalized the newest block that the nodes call finalized; undefined where depth alone counts
 */
export function finalBlockOf(headNumber: bigint, confirmations: number, finalized: bigint | undefined): bigint {
  const deepBlock = headNumber - BigInt(confirmations) + 1n
  return finalized === undefined || finalized > deepBlock ? deepBlock : finalized
}
