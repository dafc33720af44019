/**
 * Which final batches have another outcome on the present branch of the chain than at the last final look, after a reorganisation that went below
 * what was final. The coin that they move thereby is not taken for coin made or destroyed outside batches. That the outcome is another one is
 * told elsewhere (follow/other-outcomes.ts).
 */
import { agree } from '../../chain/quorum.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import type { FollowedHead } from '../finality.ts'
import { type Done, readDone } from '../tables/done.sql.ts'
import type { Work } from '../work.ts'
import type { Look } from './seen.ts'

/**
 * Keeps with each final look what the batches before it had done, as the database has it now: soon it may learn what they did on another branch. To be
 * called where the head does not follow the last look, and where nobody could look.
 */
export async function keepDone({ db, chain, memory }: Work): Promise<void> {
  for (const look of memory.watch.looks)
    if (look.isFinal) look.before ??= await readDone(db, chain.config.chainId, look.lastBatchId)
}

/** How much more coin exists because batches have another outcome now. @param before what they had done on the branch of the look */
export async function readChanged(work: Work, at: FollowedHead, before: readonly Done[]): Promise<bigint> {
  const there = await readThere(work, at, before)
  return before.reduce((sum, { instructions }, index) => {
    const changed = instructions.filter(
      (each, place) => each.succeeded !== there[index]?.instructions[place]?.succeeded,
    )
    return changed.reduce((total, { moreMicro, succeeded }) => total + (succeeded ? -moreMicro : moreMicro), sum)
  }, 0n)
}

/** What batches before a look have done, where the database does not have it so yet; undefined where it has. */
export async function readUnlikeKnown(work: Work, at: FollowedHead, now: Look): Promise<readonly Done[] | undefined> {
  const known = await readDone(work.db, work.chain.config.chainId, now.lastBatchId)
  const there = await readThere(work, at, known)
  const isKnown = known.every(({ instructions }, index) =>
    instructions.every((each, place) => each.succeeded === there[index]?.instructions[place]?.succeeded),
  )
  return isKnown ? undefined : there
}

/** What these have done as of the head; one that the chain does not have stays as it is. */
async function readThere({ chain }: Work, at: FollowedHead, batches: readonly Done[]): Promise<readonly Done[]> {
  if (batches.length === 0) return batches
  const { quorum, settlement } = chain.config
  const block = { blockHash: at.head.hash }
  const { value: records } = await agree(at.nodes, quorum, (node) =>
    Promise.all(batches.map(({ batchId }) => readOutcome(node, settlement, batchId, block))),
  )
  return batches.map((batch, index) => {
    const record = records[index]
    if (record?.digest !== batch.digest) return batch
    const instructions = batch.instructions.map((each) => ({
      ...each,
      succeeded: hasSucceeded(record.successBitmap, each.index),
    }))
    return { ...batch, instructions }
  })
}
