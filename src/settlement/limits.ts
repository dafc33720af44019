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
 * Publishes the limits, now and then. A quorum must agree, because a wrong one would refuse orders. Where nodes do not
 * agree nothing is published, and nothing else waits for it.
 */
export async function publishLimits(work: Work, at: AgreedHead): Promise<void> {
  const { db, chain, lease, logger, memory, nowMs } = work
  const { chainId, settlement, quorum } = chain.config
  if (nowMs() - memory.limits.publishedAtMs < PUBLISH_EVERY_MS) return
  memory.limits.publishedAtMs = nowMs()
  const read = await agree(at.nodes, quorum, (node) =>
    readCapacities(node, settlement, { blockHash: at.head.hash }),
  ).catch((error: unknown) => {
    logger.debug({ chainId, err: error }, 'the on-chain limits could not be read')
  })
  if (read === undefined) return
  const limits = DIRECTIONS.map((direction) => ({ direction, capacityMicro: read.value[BUCKET[direction]] }))
  await underLease(db, lease, (tx) => writeLimits(tx, chainId, limits))
}
