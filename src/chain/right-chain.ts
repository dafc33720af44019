/**
 * A node that is asked which chain it is of before it is asked anything else. Contracts that were deployed alike have the same address on
 * many chains, so what a node of another one says looks right, and whoever takes the first answer would tell partners a wrong balance.
 */
import type { Logger } from 'pino'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import { readQuantity } from './reads.ts'

/** How long a node of another chain is not asked again: its address may have been corrected meanwhile. */
const WRONG_FOR_MS = 60_000

/**
 * Lets a node answer once it has said that it is of this chain; before that, and when it is of another one, it counts as a node that does not
 * answer. What it says about its chain is passed on as it is.
 */
export function ofChain(
  node: RpcNode,
  chainId: number,
  logger: Logger,
  nowMs: () => number = () => performance.now(),
): RpcNode {
  let said: Promise<bigint> | undefined
  let wrongUntilMs = Number.POSITIVE_INFINITY

  async function ask(timeoutMs?: number): Promise<bigint> {
    try {
      const its = await readQuantity(node, 'eth_chainId', timeoutMs)
      if (its === BigInt(chainId)) return its
      wrongUntilMs = nowMs() + WRONG_FOR_MS
      logger.error(
        { chainId, node: node.label, ofChain: String(its) },
        'an RPC address is of another chain; it is not asked',
      )
      return its
    } catch (error) {
      said = undefined
      throw error
    }
  }

  return {
    label: node.label,
    async request(method, params, timeoutMs) {
      if (method === 'eth_chainId') return await node.request(method, params, timeoutMs)
      if (nowMs() >= wrongUntilMs) {
        said = undefined
        wrongUntilMs = Number.POSITIVE_INFINITY
      }
      said ??= ask(timeoutMs)
      const its = await said
      if (its === BigInt(chainId)) return await node.request(method, params, timeoutMs)
      throw new RpcUnreachableError(`${node.label}: is of chain ${its}, configured is ${chainId}`)
    },
  }
}
