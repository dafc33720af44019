/** The price of gas and the room within the on-chain limits, read once per head. */
import { initialFees } from '../chain/fees.ts'
import type { RpcNode } from '../chain/node.ts'
import { type AgreedHead, NoQuorumError } from '../chain/quorum.ts'
import { readQuantity } from '../chain/reads.ts'
import { readBuckets } from '../chain/settlement-reads.ts'
import type { Market } from './memory.ts'
import type { Work } from './work.ts'

const FALLBACK_TIP_WEI = 1_000_000_000n

/**
 * The node to ask for one decision; a different one after every hold or failure, so that no single node can hold up a
 * chain.
 */
export function oneNode({ memory }: Work, { nodes }: AgreedHead): RpcNode {
  const node = nodes[memory.market.turn % nodes.length]
  if (node === undefined) throw new NoQuorumError('no node to ask')
  return node
}

/** Reads fees and limits of the agreed head, from one node. */
export async function readMarket(work: Work, at: AgreedHead): Promise<Market> {
  const { chain, memory } = work
  if (memory.market.newest?.headHash === at.head.hash) return memory.market.newest
  const node = oneNode(work, at)
  const [tip, buckets] = await Promise.all([
    readQuantity(node, 'eth_maxPriorityFeePerGas').catch(() => FALLBACK_TIP_WEI),
    readBuckets(node, chain.config.settlement),
  ])
  const fees = initialFees(at.head.baseFeePerGas, tip, chain.config.maxFeePerGasWei)
  memory.market.newest = { headHash: at.head.hash, fees, buckets }
  return memory.market.newest
}

/** Chooses another node for the next decision: it may see other limits. */
export function askAnotherNode({ memory }: Work): void {
  memory.market.turn += 1
  memory.market.newest = undefined
}
