/** What several nodes agree on: a single lying or lagging node decides nothing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ChainError } from '../chain-errors.ts'
import type { RpcNode } from './node.ts'
import { type BlockHead, type HeadTag, readBlock } from './reads.ts'

/** Too few nodes answered, or too few of them agreed. A later try can help. */
export class NoQuorumError extends ChainError {
  override readonly name = 'NoQuorumError'
}

/** How long to wait for nodes slower than the quorum, so that they too have a say in where the head is. */
const STRAGGLER_MS = 150

/**
 * Asks every node the same question and resolves with the first value on which `quorum` of them agree.
 * @param read asks one node; all its requests go to that node
 * @throws NoQuorumError when no value gathers enough votes
 */
export function agree<T>(
  nodes: readonly RpcNode[],
  quorum: number,
  read: (node: RpcNode) => Promise<T>,
): Promise<{ value: T; nodes: RpcNode[] }> {
  return new Promise((resolve, reject) => {
    const votes = new Map<string, { value: T; nodes: RpcNode[] }>()
    const failures: string[] = []
    let open = nodes.length
    const settle = () => {
      open -= 1
      if (open === 0) reject(new NoQuorumError(describe(votes.size, quorum, failures)))
    }
    if (nodes.length < quorum) reject(new NoQuorumError(describe(0, quorum, [`only ${nodes.length} nodes to ask`])))
    for (const node of nodes) {
      ballotOf(read(node)).then(
        ({ value, key }) => {
          const vote = votes.get(key) ?? { value, nodes: [] }
          vote.nodes.push(node)
          votes.set(key, vote)
          if (vote.nodes.length >= quorum) resolve(vote)
          settle()
        },
        (error: unknown) => {
          failures.push(error instanceof Error ? error.message : 'failed')
          settle()
        },
      )
    }
  })
}

/** What cannot be compared, as what is nested a hundred thousand deep, is no answer: it must not end the process. */
async function ballotOf<T>(asked: Promise<T>): Promise<{ value: T; key: string }> {
  const value = await asked
  return { value, key: canonical(value) }
}

/** `nodes`: those that agree come first; the others may know the block by now, and are asked by its hash. */
export type AgreedHead = { head: BlockHead; nodes: RpcNode[] }

/**
 * The highest block that `quorum` nodes have reached and name by the same hash. One that is on another branch, or lies, keeps the others
 * from nothing: where it is as high as the fastest of them, the slower ones are waited for, and those a few blocks lower are asked, too.
 * @param tag `finalized`: that they call finalized
 * @throws NoQuorumError
 */
export async function agreedHead(
  nodes: readonly RpcNode[],
  quorum: number,
  tag: HeadTag = 'latest',
): Promise<AgreedHead> {
  const heads = new Map<RpcNode, BlockHead>()
  const all = await newestBlocks(nodes, { quorum, tag }, heads)
  const come = new Map(heads)
  const { value, nodes: agreeing } = await agreeAmong(come, quorum).catch(async (error: unknown) => {
    await all()
    if (heads.size === come.size) throw error
    return await agreeAmong(heads, quorum)
  })
  return { head: value, nodes: [...agreeing, ...nodes.filter((node) => !agreeing.includes(node))] }
}

/** The highest height on which enough agree: where those that are highest do not, it is that of one that is lower. */
async function agreeAmong(
  heads: ReadonlyMap<RpcNode, BlockHead>,
  quorum: number,
): Promise<{ value: BlockHead; nodes: RpcNode[] }> {
  let failure: unknown = new NoQuorumError(describe(0, quorum, [`${heads.size} nodes answered with their head`]))
  for (const height of candidateHeights(
    [...heads.values()].map((head) => head.number),
    quorum,
  )) {
    const reached = [...heads].filter(([, head]) => head.number >= height).map(([node]) => node)
    try {
      return await agree(reached, quorum, async (node) => {
        const head = heads.get(node)
        return head?.number === height ? head : await requireBlock(node, height)
      })
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** The heights on which `quorum` of the nodes may agree, the highest first: what all of them have reached is the lowest (pure). */
export function candidateHeights(heights: readonly bigint[], quorum: number): bigint[] {
  const sorted = heights.toSorted((a, b) => Number(b - a))
  return [...new Set(sorted.slice(quorum - 1))]
}

/**
 * Waits for the newest blocks of enough nodes, and a moment for the others'.
 * @param heads where they are put as they come
 * @returns what ends when all have answered, or have failed to
 */
async function newestBlocks(
  nodes: readonly RpcNode[],
  { quorum, tag }: { quorum: number; tag: HeadTag },
  heads: Map<RpcNode, BlockHead>,
): Promise<() => Promise<unknown>> {
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  const all = Promise.allSettled(
    nodes.map(async (node) => {
      heads.set(node, await requireBlock(node, tag))
      if (heads.size >= quorum) resolve()
    }),
  )
  await Promise.race([all, enough])
  if (heads.size < nodes.length) await Promise.race([all, sleep(STRAGGLER_MS)])
  return () => all
}

async function requireBlock(node: RpcNode, block: HeadTag | bigint): Promise<BlockHead> {
  const found = await readBlock(node, block)
  if (found === undefined) throw new NoQuorumError(`${node.label}: has no block ${block}`)
  return found
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part))
}

function describe(opinions: number, quorum: number, failures: readonly string[]): string {
  const reasons = failures.length === 0 ? '' : ` (${failures.join('; ')})`
  return `${quorum} RPC addresses must agree, ${opinions} different answers came${reasons}`
}
