/**
 * What final batches have done otherwise on the present branch of the chain than on that of the last final look, after a reorganisation deeper than
 * final: coin that they moved is no coin outside batches. That they did so is told by itself (follow/other-outcomes.ts).
 */
import { agree } from '../../chain/quorum.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { hasSucceeded } from '../bitmap.ts'
import type { FollowedHead } from '../finality.ts'
import type { Done } from '../tables/done.sql.ts'
import type { Work } from '../work.ts'

/** How much more coin exists because of that. @param before what they had done on the branch of the look */
export async function readChanged({ chain }: Work, at: FollowedHead, before: readonly Done[]): Promise<bigint> {
  if (before.length === 0) return 0n
  const { quorum, settlement } = chain.config
  const block = { blockHash: at.head.hash }
  const { value: records } = await agree(at.nodes, quorum, (node) =>
    Promise.all(before.map(({ batchId }) => readOutcome(node, settlement, batchId, block))),
  )
  return before.reduce((sum, { digest, instructions }, index) => {
    const record = records[index]
    if (record?.digest !== digest) return sum
    const changed = instructions.filter((each) => each.succeeded !== hasSucceeded(record.successBitmap, each.index))
    return changed.reduce((total, { moreMicro, succeeded }) => total + (succeeded ? -moreMicro : moreMicro), sum)
  }, 0n)
}
