/** Whether the contracts of a chain count the chain's own blocks: by the number that Settlement records, a batch is found again. */
import { type Hex, hexToBigInt } from 'viem'
import { mayRefuseCode } from '../bundling.ts'
import type { RpcNode } from '../node.ts'
import { readBlock, readExecuted } from '../reads.ts'

/** Code that is executed once and returns the number of the block as contracts see it. */
export const NUMBER_PROBE: Hex = '0x435f5260205ff3'

/** Several nodes behind an address may be some blocks from one another. */
const APART = 1_000n

/**
 * Compares what a contract is told with what the node says. On some rollups (Arbitrum's) contracts count blocks of the chain below.
 * @returns one sentence, if they differ; nothing where the node executes no such code
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function findNumberProblems(node: RpcNode): Promise<string[]> {
  const counted = await readExecuted(node, NUMBER_PROBE, 'latest').catch((error: unknown) => {
    if (!mayRefuseCode(error)) throw error
    return undefined
  })
  const head = await readBlock(node, 'latest')
  if (counted === undefined || counted.length !== 66 || head === undefined) return []
  const number = hexToBigInt(counted)
  if (number <= head.number + APART && head.number <= number + APART) return []
  // Without the numbers: nodes agree on no sentence that is another one with each block.
  return [
    'Contracts of this chain are told other numbers of blocks than its nodes say, as on Arbitrum: Settlement would record blocks of another chain, in which no batch is found again.',
  ]
}
