/** Whether the nodes of a chain say which blocks are finalized, where its outcomes wait for that. */
import type { ChainConfig } from '../config.ts'
import { RpcAnswerError, type RpcNode } from './node.ts'
import { readBlock } from './reads.ts'

/**
 * Asks every node. One that does not answer at all is left out: that shows elsewhere.
 * @returns one sentence for each node that does not know the tag; none where depth alone counts
 */
export async function findFinalityProblems(
  { finality, quorum }: Pick<ChainConfig, 'finality' | 'quorum'>,
  nodes: readonly RpcNode[],
): Promise<string[]> {
  if (finality === 'depth') return []
  const known = await Promise.all(nodes.map(knowsTag))
  return nodes.flatMap(({ label }, index) =>
    known[index] === false
      ? [
          `${label} does not say which block is finalized: while fewer than ${quorum} RPC addresses do, nothing becomes final. ` +
            'Use another one, or set "finality": "depth".',
        ]
      : [],
  )
}

/** Undefined: nobody answered. */
async function knowsTag(node: RpcNode): Promise<boolean | undefined> {
  try {
    return (await readBlock(node, 'finalized')) !== undefined
  } catch (error) {
    return error instanceof RpcAnswerError ? false : undefined
  }
}
