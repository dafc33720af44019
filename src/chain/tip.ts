/** The tip that nodes want for a transaction. */
import { medianOf } from './answers.ts'
import type { RpcNode } from './node.ts'
import { readQuantity } from './reads.ts'

/** What is offered where no node says what it wants: nodes take nothing without any. */
const FALLBACK_TIP_WEI = 1_000_000_000n

/** What a node suggests, in wei. */
export async function readTip(node: RpcNode): Promise<bigint> {
  return await askTip(node).catch(() => FALLBACK_TIP_WEI)
}

/** The middle of what the nodes suggest, in wei. */
export async function agreeOnTip(nodes: readonly RpcNode[]): Promise<bigint> {
  return await medianOf(nodes, askTip).catch(() => FALLBACK_TIP_WEI)
}

function askTip(node: RpcNode): Promise<bigint> {
  return readQuantity(node, 'eth_maxPriorityFeePerGas')
}
