/** Fences: batches that settle nothing, signed where the database may have lost what it had signed. */
import { randomBytes } from 'node:crypto'
import type { Hex } from 'viem'
import type { Memory } from '../memory.ts'
import type { ChainRow } from '../tables/chains.sql.ts'
import type { FenceState } from '../tables/fences.sql.ts'
import type { Work } from '../work.ts'
import type { Signed } from './sign-all.ts'

/** No batch of any history has it. */
export function newFenceTag(): Hex {
  return `0x${randomBytes(8).toString('hex')}`
}

/** Says until the chain's fence is final that no order can end without having settled. */
export function noteFenceState(work: Work, { fence }: Pick<ChainRow, 'fence'>): void {
  const { chain, logger, memory } = work
  const isNew = memory.holds.fence === undefined && fence !== 'done'
  memory.holds.fence = holdFor(fence)
  if (isNew) logger.warn({ chainId: chain.config.chainId, fence }, UNFENCED)
}

/** Whether one is to be signed before anything else. */
export function isFenceDue({ holds }: Memory): boolean {
  return holds.fence?.details.fence === 'due'
}

/** One that was stored just now. */
export function noteFence({ chain, logger, memory }: Work, signed: readonly Signed[]): void {
  const fence = signed.find(({ fenceTag }) => fenceTag !== undefined)
  if (fence === undefined) return
  memory.holds.fence = holdFor('under way')
  logger.warn(
    { chainId: chain.config.chainId, batchId: String(fence.batchId), txHash: fence.hash },
    'a fence was signed',
  )
}

const holdFor = (fence: FenceState): Memory['holds']['fence'] =>
  fence === 'done' ? undefined : { reason: 'fence', details: { fence } }

const UNFENCED =
  'the database may lack what it had signed: no order is rejected or cancelled before a batch that settles nothing, the fence, is final'
