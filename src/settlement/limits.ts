/** Publishes what the on-chain buckets can hold at most, so that orders above it are refused at acceptance. */
import { BUCKET } from '../chain/instructions.ts'
import { type AgreedHead, agree } from '../chain/quorum.ts'
import { readCapacities } from '../chain/settlement-reads.ts'
import { underLease } from '../leases/leases.sql.ts'
import { DIRECTIONS } from '../orders/order.ts'
import { writeLimits } from './tables/limits.sql.ts'
import type { Work } from './work.ts'

/** Far below the age at which acceptance stops believing a limit (orders/accept/facts.sql.ts). */
const PUBLISH_EVERY_MS = 10_000

/**
 * Publishes the limits, now and then, beside everything else: a node that never answers must hold nothing up. Where nodes do
 * not agree nothing is published.
 */
export function publishLimits(work: Work, at: AgreedHead): void {
  const { chain, logger, memory, nowMs } = work
  if (memory.limits.isUnderWay || nowMs() - memory.limits.publishedAtMs < PUBLISH_EVERY_MS) return
  memory.limits = { isUnderWay: true, publishedAtMs: nowMs() }
  void publish(work, at)
    .catch((error: unknown) => {
      logger.debug({ chainId: chain.config.chainId, err: error }, 'the on-chain limits could not be published')
    })
    .finally(() => {
      memory.limits.isUnderWay = false
    })
}

/** A quorum must agree, because a wrong limit would refuse orders. */
async function publish({ db, chain, lease }: Work, at: AgreedHead): Promise<void> {
  const { chainId, settlement, quorum } = chain.config
  const { value } = await agree(at.nodes, quorum, (node) =>
    readCapacities(node, settlement, { blockHash: at.head.hash }),
  )
  const limits = DIRECTIONS.map((direction) => ({ direction, capacityMicro: value[BUCKET[direction]] }))
  await underLease(db, lease, (tx) => writeLimits(tx, chainId, limits))
}
