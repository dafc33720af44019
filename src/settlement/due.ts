/** Which orders are due for a batch now. */
import type { AgreedHead } from '../chain/quorum.ts'
import { countOversized, readPending, readUnminedTotals } from './facts.ts'
import type { InFlightBatch } from './in-flight-store.ts'
import { readMarket } from './market.ts'
import { batchSizeFor, shouldForm, unminedLimitFor } from './pace.ts'
import { type Selection, selectOrders } from './select.ts'
import { setHeld, type Work } from './work.ts'

/**
 * The orders of the next batch, when it is time to form one. Why nothing can be formed although orders wait is reported.
 */
export async function selectDue(
  work: Work,
  at: AgreedHead,
  inFlight: readonly InFlightBatch[],
): Promise<Selection | undefined> {
  const { db, chain, memory } = work
  const { chainId, pollIntervalMs } = chain.config
  const limit = batchSizeFor(memory.gasPerOrder, at.head.gasLimit)
  const { buckets } = await readMarket(work, at)
  const { mintCapacity, debitCapacity } = buckets
  const filter = { directions: ['MINT', 'REDEEM', 'TRANSFER'] as const, mintCapacity, debitCapacity, limit }
  const pending = await readPending(db, chainId, filter)
  const due = shouldForm({
    waiting: pending.length,
    batchSize: limit,
    unmined: inFlight.filter(({ status }) => status === 'signed').length,
    unminedLimit: unminedLimitFor(memory.gasPerOrder, at.head.gasLimit),
    sinceHeadMs: performance.now() - memory.headSeenAtMs,
    blockIntervalMs: memory.blockIntervalMs,
    pollIntervalMs,
  })
  if (!due) {
    if (pending.length === 0) await reportIdle(work, buckets)
    return undefined
  }
  const taken = await readUnminedTotals(db, chainId)
  const room = {
    mintMicro: buckets.mintAvailable - taken.mintMicro,
    debitMicro: buckets.debitAvailable - taken.debitMicro,
  }
  const selection = selectOrders(pending, room, limit)
  if (selection.orders.length > 0) return selection
  // One bucket is empty and fills the whole window: what needs the other one may stand behind it.
  const { mint } = selection.blocked
  const directions = mint ? (['REDEEM', 'TRANSFER'] as const) : (['MINT'] as const)
  const others = selectOrders(await readPending(db, chainId, { ...filter, directions }), room, limit)
  if (others.orders.length > 0) return others
  setHeld(work, mint ? 'mint-limit' : 'debit-limit')
  return undefined
}

/** Nothing that could be settled waits; orders too large for a bucket are told of loudly. */
async function reportIdle(work: Work, capacity: { mintCapacity: bigint; debitCapacity: bigint }): Promise<void> {
  const { db, chain, logger, metrics, memory } = work
  setHeld(work, 'none')
  if (performance.now() - memory.statisticsAtMs < 10_000) return
  memory.statisticsAtMs = performance.now()
  const count = await countOversized(db, chain.config.chainId, capacity)
  metrics.oversizedOrders(chain.config.chainId, count)
  if (count > 0) {
    logger.error(
      { chainId: chain.config.chainId, count },
      'orders are larger than an on-chain limit: raise it, or they wait',
    )
  }
}
