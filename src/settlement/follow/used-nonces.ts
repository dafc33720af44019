/** Nonces that are used up while their batches have no outcome: how deep, also where nodes keep no state of old blocks. */
import type { Address, Hex } from 'viem'
import { RpcAnswerError, type RpcNode } from '../../chain/node.ts'
import { type BlockHead, readNonce } from '../../chain/reads.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'

/** As of which head, and the highest block below it whose contents are final. */
export type Depth = { head: Pick<BlockHead, 'number' | 'hash'>; finalBlock: bigint }

export type UsedSince = ReadonlyMap<string, { number: bigint; hash: Hex }>

/** Names the nonce of a batch. */
export const nonceOf = ({ signer, nonce }: Pick<InFlightBatch, 'signer' | 'nonce'>) => `${signer}/${nonce}`

/** Nodes that keep no archive have the state of about 128 blocks. */
const STATE_KEPT_BLOCKS = 100n

/**
 * Whether the nonce was used up at the final block: where it was seen to be used before, that block is final by now. Only otherwise nodes are
 * asked about the state of an old block, which they may not have.
 */
export async function isUsedAtDepth(
  node: RpcNode,
  { head, finalBlock, usedSince }: Depth & { usedSince?: UsedSince },
  batch: Pick<InFlightBatch, 'signer' | 'nonce'>,
  hashAt: (number: bigint) => Promise<Hex | undefined>,
): Promise<boolean> {
  const since = usedSince?.get(nonceOf(batch))
  if (since !== undefined && since.number <= finalBlock && (await hashAt(since.number)) === since.hash) return true
  if (head.number - finalBlock > STATE_KEPT_BLOCKS) return false
  try {
    return (await readNonce(node, batch.signer as Address, finalBlock)) > batch.nonce
  } catch (error) {
    if (error instanceof RpcAnswerError) return false
    throw error
  }
}

/** The batches without an outcome whose nonces are used up at the head (pure). */
export function usedUp(
  batches: readonly InFlightBatch[],
  view: { nonces: Readonly<Record<string, bigint>>; batches: Readonly<Record<string, { state: string }>> },
): InFlightBatch[] {
  return batches.filter(
    ({ batchId, signer, nonce, status }) =>
      status === 'signed' && view.batches[String(batchId)]?.state === 'waiting' && nonce < (view.nonces[signer] ?? 0n),
  )
}

/**
 * The nonces that are used up while their batches have no outcome, each with the head at which that was first seen. One that would be deep
 * enough by now, and was not taken for dead, was seen on another branch: it counts from this head.
 */
export function usedSinceAfter(
  before: UsedSince,
  batches: readonly InFlightBatch[],
  view: Parameters<typeof usedUp>[1],
  { head, finalBlock }: Depth,
): UsedSince {
  return new Map(
    usedUp(batches, view).map((batch) => {
      const known = before.get(nonceOf(batch))
      const isStale = known === undefined || known.number <= finalBlock
      return [nonceOf(batch), isStale ? { number: head.number, hash: head.hash } : known]
    }),
  )
}
