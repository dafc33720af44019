/** The sanctions oracle of a chain, asked about many addresses in one call. */
import type { Address } from 'viem'
import { agreeAboutEach, type Said } from './asking.ts'
import type { RpcNode } from './node.ts'
import type { BlockRef } from './reads.ts'

/** `unanswered`: the oracle reverts, or says nothing, about this address, or nodes do not agree about what it says. */
export type Screening = 'clean' | 'sanctioned' | 'unanswered'

const MEANING: Readonly<Record<Said, Screening>> = { no: 'clean', yes: 'sanctioned', unanswered: 'unanswered' }

/** `isSanctioned(address)` */
const IS_SANCTIONED = '0xdf592f7d'

/**
 * Asks the oracle about addresses as of a block, all in one call of each node.
 * @returns by address, as given, what a quorum of nodes says
 * @throws NoQuorumError when too few nodes answer
 */
export async function readScreenings(
  nodes: readonly RpcNode[],
  quorum: number,
  oracle: Address,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Map<string, Screening>> {
  const said = await agreeAboutEach(nodes, quorum, { contract: oracle, selector: IS_SANCTIONED }, addresses, block)
  return new Map([...said].map(([address, answer]) => [address, MEANING[answer]]))
}
