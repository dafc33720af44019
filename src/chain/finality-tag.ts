/** Whether the nodes of a chain say which blocks are finalized, and still know them, where its outcomes wait for that. */
import { zeroAddress } from 'viem'
import type { ChainConfig } from '../config.ts'
import { RpcAnswerError, type RpcNode } from './node.ts'
import { readBlock, readNonce } from './reads.ts'

/**
 * Asks every node. One that does not answer at all is left out: that shows elsewhere.
 * @returns one sentence for each node that does not know the tag, or has no state of what it calls finalized; none where depth alone counts
 */
export async function findFinalityProblems(
  { finality, quorum }: Pick<ChainConfig, 'finality' | 'quorum'>,
  nodes: readonly RpcNode[],
): Promise<string[]> {
  if (finality === 'depth') return []
  const found = await Promise.all(nodes.map((node) => problemOf(node, quorum)))
  return found.filter((problem) => problem !== undefined)
}

async function problemOf(node: RpcNode, quorum: number): Promise<string | undefined> {
  const number = await orRefused(readBlock(node, 'finalized').then((block) => block?.number ?? 'refused'))
  if (number === undefined) return undefined
  if (number === 'refused')
    return (
      `${node.label} does not say which block is finalized: while fewer than ${quorum} RPC addresses do, nothing becomes final. ` +
      'Use another one, or set "finality": "depth".'
    )
  if ((await orRefused(readNonce(node, zeroAddress, number))) !== 'refused') return undefined
  return (
    `${node.label} has no state of block ${number}, which it calls finalized: while fewer than ${quorum} RPC addresses have it, ` +
    'the reserves are not proven. Use one that keeps the state of more blocks.'
  )
}

/** Undefined: nobody answered. */
async function orRefused<T>(asked: Promise<T>): Promise<T | 'refused' | undefined> {
  try {
    return await asked
  } catch (error) {
    return error instanceof RpcAnswerError ? 'refused' : undefined
  }
}
