/** What the chain has under the ids of final batches, beside what these have done as the database has it. */
import { agree } from '../../chain/quorum.ts'
import { type BatchRecord, readOutcome } from '../../chain/settlement-reads.ts'
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import type { FollowedHead } from '../finality.ts'
import type { Replaced } from '../repair/replaced.ts'
import { type FinalBatch, readNamesIn } from '../tables/final.sql.ts'
import { noteOtherOutcome } from '../tables/foreign.sql.ts'
import type { Work } from '../work.ts'

/** As of the head. Side by side, so that they are one request. */
export async function readRecords(
  { chain }: Work,
  at: FollowedHead,
  batches: readonly FinalBatch[],
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

/** Says that the chain has a batch with another outcome, once by each process: nobody can change it any more. */
export async function tellOtherwise(work: Work, at: FollowedHead, { batch, record }: Replaced): Promise<void> {
  const { db, chain, lease, logger, memory, metrics } = work
  const { chainId } = chain.config
  const { batchId, isForeign } = batch
  const { successBitmap, blockNumber } = record
  // Who was frozen between its head and now would miss there what another one has settled since.
  await underLease(db, lease, async (tx) => {
    if (isForeign && blockNumber <= at.finalBlock) await noteOtherOutcome(tx, chainId, { batchId, successBitmap })
  })
  const { told } = memory.recheck
  const outcome = `${batchId}/${successBitmap}`
  if (told.has(outcome)) return
  told.add(outcome)
  metrics.vanished(chainId)
  const fields = { chainId, batchId: String(batchId), minedBlock: String(batch.minedBlock) }
  const orders = await differingOrders(db, chainId, { batch, record })
  logger.fatal({ ...fields, told: String(batch.successBitmap), onChain: String(successBitmap), orders }, OTHER_OUTCOME)
}

const hasSucceeded = (bitmap: bigint, index: number) => ((bitmap >> BigInt(index)) & 1n) === 1n

/** Which orders have another outcome on the chain than they were told, and which. */
async function differingOrders(db: Queryable, chainId: number, { batch, record }: Replaced): Promise<string[]> {
  return (await readNamesIn(db, chainId, batch.batchId)).flatMap(({ index, order, succeeded }) => {
    const told = succeeded ?? hasSucceeded(batch.successBitmap, index)
    if (told === hasSucceeded(record.successBitmap, index)) return []
    return [told ? `${order} was refused` : `${order} was executed`]
  })
}

const OTHER_OUTCOME =
  'the chain had lost a batch that was final, and has executed it again with another outcome: orders were told otherwise, make them good'
