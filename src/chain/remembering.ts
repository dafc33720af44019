/** A node that is not asked again for what it has just said, because providers bill every request. */
import type { RpcNode } from './node.ts'

/**
 * Keeps the node's own answers about what cannot change: state at a block that is named by its hash. And for as long as one head is
 * looked at, what it says about other blocks and transactions, unless it does not know them. Use a new one for each look, so that
 * a wrong answer lasts no longer than the look that it spoils.
 */
export function remembering(node: RpcNode): RpcNode {
  const known = new Map<string, Promise<unknown>>()
  return {
    label: node.label,
    request(method, params, timeoutMs) {
      if (!isLasting(method, params)) return node.request(method, params, timeoutMs)
      const key = `${method} ${JSON.stringify(params)}`
      const earlier = known.get(key)
      if (earlier !== undefined) return earlier
      const answer = node.request(method, params, timeoutMs)
      known.set(key, answer)
      const forget = () => void known.delete(key)
      answer.then((result) => {
        if (result === null) forget()
      }, forget)
      return answer
    },
  }
}

function isLasting(method: string, params: readonly unknown[]): boolean {
  if (method === 'eth_getTransactionReceipt') return true
  if (method === 'eth_getBlockByNumber') return typeof params[0] === 'string' && params[0].startsWith('0x')
  return typeof params.at(-1) === 'object' && params.length > 1 && 'blockHash' in (params.at(-1) as object)
}
