/** What the chain has under the ids of batches that were final. */
import { agree } from '../../chain/quorum.ts'
import { type BatchRecord, readOutcome } from '../../chain/settlement-reads.ts'
import type { FollowedHead } from '../finality.ts'
import type { FinalBatch } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'

/** Of so many batches the records come in one request to each node, which takes one call more (chain/bundling.ts). */
export const RECORDS_AT_ONCE = 31

/** As of the head. Side by side, so that up to `RECORDS_AT_ONCE` are one request. */
export async function readRecords(
  { chain }: Work,
  at: FollowedHead,
  batches: readonly Pick<FinalBatch, 'batchId'>[],
): Promise<BatchRecord[]> {
  const { quorum, settlement } = chain.config
  const block = { blockHash: at.head.hash }
  const { value } = await agree(at.nodes, quorum, (node) =>
    Promise.all(batches.map(({ batchId }) => readOutcome(node, settlement, batchId, block))),
  )
  return value
}

/** Whether the chain has the batch, whatever it has done there. */
export const isSame = ({ digest }: FinalBatch, record: BatchRecord): boolean =>
  record.settled && record.digest === digest

/** A final batch, and what the chain has under its id. */
export type Recorded = { batch: FinalBatch; record: BatchRecord }

/** Each batch with its own record. */
export function pairsOf(batches: readonly FinalBatch[], records: readonly BatchRecord[]): Recorded[] {
  return batches.flatMap((batch, index) => {
    const record = records[index]
    return record === undefined ? [] : [{ batch, record }]
  })
}
