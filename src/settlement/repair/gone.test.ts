import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FollowedHead } from '../finality.ts'
import type { Recorded } from '../follow/final-records.ts'
import { freshMemory } from '../fresh-memory.ts'
import type { FinalBatch } from '../tables/final.sql.ts'
import type { Work } from '../work.ts'
import { tellGone } from './gone.ts'
import { tellReplaced } from './replaced.ts'

const AT = { finalBlock: 10n } as FollowedHead
/** In a block that is not final, so that nothing is asked about it. */
const lost = (batchId: bigint) => ({ batchId, isForeign: true, minedBlock: 11n }) as FinalBatch
const other = (batchId: bigint) => ({ batch: lost(batchId), record: { blockNumber: 11n } }) as Recorded

function someWork() {
  const said: unknown[] = []
  const memory = freshMemory()
  const logger = { fatal: (fields: { batchId: string }) => said.push(fields.batchId) }
  return { said, memory, work: { memory, logger, chain: { config: { chainId: 1 } } } as unknown as Work }
}

test('since when other chains wait for a batch to be given up counts for that batch alone, and for as long as it is gone', async () => {
  const { said, memory, work } = someWork()
  for (const [batchId, before, after] of [
    [2n, undefined, undefined],
    [2n, 7, 7],
    [3n, 7, undefined],
  ] as const) {
    if (memory.recheck.gone !== undefined) memory.recheck.gone.barredAtMs = before
    await tellGone(work, AT, lost(batchId))
    assert.deepEqual(memory.recheck.gone, { batchId, isForeign: true, barredAtMs: after })
  }
  await tellGone(work, AT, undefined)
  assert.equal(memory.recheck.gone, undefined)
  assert.deepEqual(said, ['2', '2', '3'])
})

test('of several batches that have given way to others the first is told, and other chains wait for it anew', async () => {
  const { said, memory, work } = someWork()
  for (const [batchId, before, after] of [
    [2n, undefined, undefined],
    [2n, 7, 7],
    [3n, 7, undefined],
  ] as const) {
    if (memory.recheck.replaced !== undefined) memory.recheck.replaced.barredAtMs = before
    await tellReplaced(work, AT, [other(batchId + 1n), other(batchId)])
    assert.deepEqual(memory.recheck.replaced, { batchId, barredAtMs: after })
  }
  await tellReplaced(work, AT, [])
  assert.equal(memory.recheck.replaced, undefined)
  assert.deepEqual(said, ['2', '2', '3'])
})
