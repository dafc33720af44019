/** Lost batches whose nonces are used up in final blocks, asked so that nodes which keep no state of old blocks can tell, too. */
import type { Hex } from 'viem'
import { agree } from '../../chain/quorum.ts'
import type { FollowedHead } from '../finality.ts'
import { hashAt, noncesAt } from '../follow/look.ts'
import { isUsedAtDepth, nonceOf } from '../follow/used-nonces.ts'
import type { Work } from '../work.ts'
import type { Lost } from './raise-lost.ts'

/**
 * The first of them whose nonces are used up in final blocks.
 * @throws NoQuorumError
 */
export async function usedUpOf(work: Work, at: FollowedHead, lost: readonly Lost[]): Promise<Lost[]> {
  const { chain, memory } = work
  const { quorum } = chain.config
  const { head, finalBlock } = at
  const signers = [...new Set(lost.map(({ signer }) => signer))]
  const { value: nonces } = await agree(at.nodes, quorum, (node) => noncesAt(node, signers, { blockHash: head.hash }))
  const free = lost.findIndex(({ signer, nonce }) => nonce >= (nonces[signer] ?? 0n))
  const used = free < 0 ? lost : lost.slice(0, free)
  const known = memory.recheck.usedSince
  const { number, hash } = head
  const since = new Map(used.map((batch) => [nonceOf(batch), known.get(nonceOf(batch)) ?? { number, hash }]))
  memory.recheck.usedSince = since
  const depth = { head, finalBlock, usedSince: since }
  for (const [index, batch] of used.entries()) {
    const { value: isDeep } = await agree(at.nodes, quorum, (node) => {
      const hashes = new Map<bigint, Hex>([[number, hash]])
      return isUsedAtDepth(node, depth, batch, (height) => hashAt(node, height, hashes))
    })
    if (isDeep) continue
    // Seen on another branch: it counts from this head.
    for (const each of used.slice(index))
      if ((since.get(nonceOf(each))?.number ?? number) <= finalBlock) since.set(nonceOf(each), { number, hash })
    return used.slice(0, index)
  }
  return [...used]
}
