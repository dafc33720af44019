/** Up to which block what the chain shows counts for good: every outcome, revert and foreign batch is judged by this one number. */
import { finalBlockOf } from '../chain/final-block.ts'
import { type AgreedHead, agreedHead } from '../chain/quorum.ts'
import type { Work } from './work.ts'

/** `finalBlock`: the highest block that is `confirmations` deep and, where the chain says so, finalized; negative before any is. */
export type FollowedHead = AgreedHead & { finalBlock: bigint }

/**
 * Adds to the agreed head what is final below it. The `finalized` tag is believed only as far as a quorum has it, under the same
 * hash; while too few nodes tell, what was finalized before still is, and nothing more.
 */
export async function withFinality(work: Work, at: AgreedHead): Promise<FollowedHead> {
  const { chain, metrics } = work
  const { chainId, confirmations, finality } = chain.config
  const finalized = finality === 'depth' ? undefined : await finalizedAt(work, at)
  const finalBlock = finalBlockOf(at.head.number, confirmations, finalized)
  metrics.finalLag(chainId, Number(at.head.number - finalBlock))
  return { ...at, finalBlock }
}

async function finalizedAt({ chain, logger, memory }: Work, at: AgreedHead): Promise<bigint> {
  const known = memory.finality
  if (known.askedAtHash === at.head.hash) return known.block
  try {
    const { head } = await agreedHead(chain.nodes, chain.config.quorum, 'finalized')
    memory.finality = { askedAtHash: at.head.hash, block: head.number }
  } catch (error) {
    logger.debug({ chainId: chain.config.chainId, err: error }, 'the finalized block could not be read')
  }
  return memory.finality.block
}
