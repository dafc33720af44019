/**
 * What foreign batches that were final are now: a reorganisation deeper than final may have taken one back, and it may be executed again with
 * another outcome. So no order takes what is stored of one: it takes what the chain has at the look, and waits while that has nothing final.
 */
import type { FollowedHead } from '../finality.ts'
import { readRecords } from '../follow/final-records.ts'
import type { SettledTag } from '../tables/foreign.sql.ts'
import type { Work } from '../work.ts'

/** What an order takes, where it takes anything. */
type Judged = { takes: SettledTag } | { conflict: SettledTag }

/**
 * Parts verdicts by whether the batch that they take an outcome of is final on the chain; with what it has done there.
 * @throws NoQuorumError, RpcAnswerError, RpcUnreachableError when nodes cannot tell
 */
export async function partByChain<V extends Judged>(
  work: Work,
  at: FollowedHead,
  verdicts: readonly V[],
): Promise<{ certain: V[]; waiting: V[] }> {
  const ids = [...new Set(verdicts.flatMap((verdict) => ('takes' in verdict ? [verdict.takes.batchId] : [])))]
  if (ids.length === 0) return { certain: [...verdicts], waiting: [] }
  const found = await readRecords(
    work,
    at,
    ids.map((batchId) => ({ batchId })),
  )
  const records = new Map(ids.map((batchId, index) => [batchId, found[index]]))
  const certain: V[] = []
  const waiting: V[] = []
  for (const verdict of verdicts) {
    if (!('takes' in verdict)) {
      certain.push(verdict)
      continue
    }
    const { takes } = verdict
    const record = records.get(takes.batchId)
    const isThere = record?.settled === true && record.digest === takes.digest && record.blockNumber <= at.finalBlock
    if (isThere) certain.push({ ...verdict, takes: { ...takes, successBitmap: record.successBitmap } })
    else waiting.push(verdict)
  }
  return { certain, waiting }
}
