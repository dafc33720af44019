/** Reads of a whole deployment: some fifty, of which a node may drop one. */
import type { RpcNode } from '../node.ts'

const TRIES = 5

/** A node that is asked again for each request that it does not answer, instead of for everything from the beginning. */
export function patient(node: RpcNode): RpcNode {
  return {
    label: node.label,
    async request(...asked) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await node.request(...asked)
        } catch (error) {
          if (tries === TRIES) throw error
        }
      }
    },
  }
}
