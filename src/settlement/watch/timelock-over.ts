/** Operations of the timelock that are over in the newest block: whether they are so for good. */
import type { Hex } from 'viem'
import { agree } from '../../chain/quorum.ts'
import { readBlock } from '../../chain/reads.ts'
import { readOperationStates } from '../../chain/timelock.ts'
import { ChainError } from '../../chain-errors.ts'
import type { FollowedHead } from '../finality.ts'
import type { Work } from '../work.ts'

/**
 * Which of those that are over may be pending again, because they are over only in blocks that the chain may lose yet. Nodes that keep no archive may
 * not have the state of the final block: there it counts since when it was seen, or whoever has one operation executed would have no other one seen again.
 * @param scheduled those that were scheduled in the blocks that were just read, some of them once more
 */
export async function findMaybePending(
  work: Work,
  at: FollowedHead,
  { over, scheduled }: { over: readonly Hex[]; scheduled: ReadonlySet<Hex> },
): Promise<ReadonlySet<Hex>> {
  const { watch } = work.memory
  const { number, hash } = at.head
  const known = watch.timelockOver
  const since = new Map(over.map((id) => [id, (scheduled.has(id) ? undefined : known.get(id)) ?? { number, hash }]))
  watch.timelockOver = since
  if (over.length === 0) return new Set()
  const { deployment, quorum } = work.chain.config
  if (deployment === undefined) return new Set()
  try {
    const { value: states } = await agree(at.nodes, quorum, (node) =>
      readOperationStates(node, deployment.roles.admin, over, at.finalBlock),
    )
    return new Set(over.filter((_, index) => states[index]?.status === 'pending'))
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    return await findSeenTooLate(work, at, since)
  }
}

/** Those that were first seen to be over in a block that is not final; one that the chain has lost since counts from this head. */
async function findSeenTooLate(
  { chain, memory }: Work,
  { head, finalBlock, nodes }: FollowedHead,
  since: ReadonlyMap<Hex, { number: bigint; hash: Hex }>,
): Promise<ReadonlySet<Hex>> {
  const final = [...since].filter(([, { number }]) => number <= finalBlock)
  const heights = [...new Set(final.map(([, { number }]) => number))]
  const { value } = await agree(nodes, chain.config.quorum, (node) =>
    Promise.all(heights.map(async (height) => (await readBlock(node, height))?.hash)),
  )
  const hashAt = new Map(heights.map((height, index) => [height, value[index]]))
  const sure = new Set(final.flatMap(([id, { number, hash }]) => (hashAt.get(number) === hash ? [id] : [])))
  const lost = final.filter(([id]) => !sure.has(id)).map(([id]) => [id, head] as const)
  memory.watch.timelockOver = new Map([...since, ...lost])
  return new Set([...since.keys()].filter((id) => !sure.has(id)))
}
