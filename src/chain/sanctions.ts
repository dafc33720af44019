/** The sanctions oracle of a chain, asked about many addresses in one call. */
import { type Address, hexToBytes } from 'viem'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import { inTurn } from './reader.ts'
import { type BlockRef, readExecuted } from './reads.ts'

/** `unanswered`: the oracle reverts, or says nothing, about this address. */
export type Screening = 'clean' | 'sanctioned' | 'unanswered'

/** Nodes take 49,152 bytes of code that is executed once, and return 24,576. */
const MOST_AT_ONCE = 1_000

const WORDS: readonly Screening[] = ['clean', 'sanctioned', 'unanswered']

/**
 * Asks the oracle about addresses as of a block: all in one call, of one node after another until one answers.
 * @returns by address, as given
 * @throws ChainUnreadableError when no node answers
 */
export async function readScreenings(
  nodes: readonly RpcNode[],
  oracle: Address,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Map<string, Screening>> {
  const ask = inTurn(nodes)
  const said = new Map<string, Screening>()
  for (let from = 0; from < addresses.length; from += MOST_AT_ONCE) {
    const asked = addresses.slice(from, from + MOST_AT_ONCE)
    const words = await ask((node) => screen(node, oracle, asked, block))
    for (const [index, address] of asked.entries()) said.set(address, words[index] ?? 'unanswered')
  }
  return said
}

async function screen(
  node: RpcNode,
  oracle: Address,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Screening[]> {
  const code = `${askingCode(oracle)}${addresses.map(hexDigits).join('')}` as const
  const answer = hexToBytes(await readExecuted(node, code, block))
  if (answer.length !== addresses.length)
    throw new RpcUnreachableError(`${node.label}: the sanctions oracle could not be asked`)
  return [...answer].map((word) => WORDS[word] ?? 'unanswered')
}

const hexDigits = (address: string) => address.slice(2).toLowerCase()

/**
 * Code that makes no contract: executed in a call, it asks the oracle about each of the 20-byte addresses that stand behind it, and returns
 * a byte for each, an index of `WORDS`. On the stack are where the next byte goes and where the next address stands.
 */
function askingCode(oracle: Address): `0x${string}` {
  return `0x${[
    // Memory: at 0 the question, selector and address; at 0x40 its answer; from 0x60 on what is returned.
    '63df592f7d60e01b600052',
    '60606064',
    // While an address is left, it goes behind the selector.
    '5b80381115605b57',
    '601481601039',
    // The oracle is asked; it has answered if the call succeeds with a whole word.
    '602060406024600073',
    hexDigits(oracle),
    '5afa601f3d1116',
    // 0 or 1 by that word, or else 2.
    '8060405115150290',
    '1560011b018253',
    // The next one.
    '60140190600101',
    '90600f56',
    // What was written is returned.
    '5b5060609003',
    '6060f3',
  ].join('')}`
}
