/** One yes-or-no question of a contract about many addresses, in one call: providers bill each request. */
import { type Address, concat, type Hex, hexToBytes } from 'viem'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import { NoQuorumError } from './quorum.ts'
import { inTurn } from './reader.ts'
import { type BlockRef, readExecuted } from './reads.ts'

/** `unanswered`: the contract reverts, or says nothing, about this address. Any number but zero is a yes. */
export type Said = 'no' | 'yes' | 'unanswered'

/** A view that takes an address and returns one word. */
export type Question = { contract: Address; selector: Hex }

/** Four whole batches. Nodes take 49,152 bytes of code that is executed once, and return 24,576. */
export const MOST_AT_ONCE = 1_020

const WORDS: readonly Said[] = ['no', 'yes', 'unanswered']

/**
 * Asks about each address as of a block, one node after another until one answers.
 * @returns by address, as given
 * @throws ChainUnreadableError when no node answers
 */
export async function askAboutEach(
  nodes: readonly RpcNode[],
  question: Question,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Map<string, Said>> {
  const words = await inTurn(nodes)((node) => askNode(node, question, addresses, block))
  return new Map(addresses.map((address, index) => [address, words[index] ?? 'unanswered']))
}

/**
 * Asks about each address as of a block, all nodes side by side: what `quorum` of them say counts. What they do not agree about is as
 * good as unanswered.
 * @returns by address, as given
 * @throws NoQuorumError when fewer than `quorum` nodes answer
 */
export async function agreeAboutEach(
  nodes: readonly RpcNode[],
  quorum: number,
  question: Question,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Map<string, Said>> {
  const answers: Said[][] = []
  const failures: string[] = []
  const agreed = (index: number) =>
    WORDS.find((word) => answers.filter((words) => words[index] === word).length >= quorum)
  const { promise: isClear, resolve } = Promise.withResolvers<void>()
  const all = nodes.map(async (node) => {
    try {
      answers.push(await askNode(node, question, addresses, block))
      if (addresses.every((_, index) => agreed(index) !== undefined)) resolve()
    } catch (error) {
      failures.push(error instanceof Error ? error.message : 'failed')
    }
  })
  await Promise.race([isClear, Promise.all(all)])
  if (answers.length < quorum)
    throw new NoQuorumError(`${quorum} RPC addresses must answer, ${answers.length} did (${failures.join('; ')})`)
  return new Map(addresses.map((address, index) => [address, agreed(index) ?? 'unanswered']))
}

async function askNode(
  node: RpcNode,
  question: Question,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Said[]> {
  const words: Said[] = []
  for (let from = 0; from < addresses.length; from += MOST_AT_ONCE)
    words.push(...(await askOnce(node, question, addresses.slice(from, from + MOST_AT_ONCE), block)))
  return words
}

async function askOnce(
  node: RpcNode,
  question: Question,
  addresses: readonly string[],
  block: BlockRef,
): Promise<Said[]> {
  const code = concat([codeOf(question), ...addresses.map((address) => address.toLowerCase() as Hex)])
  const answer = hexToBytes(await readExecuted(node, code, block))
  if (answer.length !== addresses.length)
    throw new RpcUnreachableError(`${node.label}: ${question.contract} could not be asked about many addresses`)
  return [...answer].map((word) => WORDS[word] ?? 'unanswered')
}

/**
 * Code that makes no contract: executed in a call, it asks about each of the 20-byte addresses that stand behind it, and returns
 * a byte for each, an index of `WORDS`. On the stack are where the next byte goes and where the next address stands.
 */
function codeOf({ contract, selector }: Question): Hex {
  return concat([
    // Memory: at 0 the question, selector and address; at 0x40 its answer; from 0x60 on what is returned.
    ...(['0x63', selector, '0x60e01b600052'] as const),
    '0x60606064',
    // While an address is left, it goes behind the selector.
    '0x5b80381115605b57',
    '0x601481601039',
    // The contract is asked; it has answered if the call succeeds with a whole word.
    '0x602060406024600073',
    contract,
    '0x5afa601f3d1116',
    // 0 or 1 by that word, or else 2.
    '0x8060405115150290',
    '0x1560011b018253',
    // The next one.
    '0x60140190600101',
    '0x90600f56',
    // What was written is returned.
    '0x5b5060609003',
    '0x6060f3',
  ])
}
