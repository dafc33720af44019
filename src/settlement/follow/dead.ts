/** Batches that can never execute: their nonces are used up at full depth, and they have no outcome. */
import type { Hex } from 'viem'
import type { RpcNode } from '../../chain/node.ts'
import { agree, NoQuorumError } from '../../chain/quorum.ts'
import { type Receipt, readReceipt } from '../../chain/settlement-reads.ts'
import { type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import { type BatchFact, hashAt, type View } from './look.ts'
import { type Depth, isUsedAtDepth, type UsedSince, usedUp } from './used-nonces.ts'

/** `usedSince`: by `nonceOf` (used-nonces.ts), the block at which a nonce was first seen used up. */
export type DeathRequest = Depth & { batches: readonly InFlightBatch[]; usedSince?: UsedSince }

/**
 * Adds to a view which of its batches are dead, as a quorum says of each. Nodes keep different receipts, and states of old blocks, so each
 * batch is asked about apart from the view: one that knows less must not keep the others from what they all see.
 * @returns `isSure` when enough of them said the same of each; a batch of which they did not waits, and is to be asked about again
 */
export async function withDead(
  nodes: readonly RpcNode[],
  quorum: number,
  request: DeathRequest,
  view: View,
): Promise<{ view: View; isSure: boolean }> {
  const used = request.finalBlock >= 0n ? usedUp(request.batches, view) : []
  const { number, hash } = request.head
  const hashes = new Map(nodes.map((node) => [node, new Map<bigint, Hex>([[number, hash]])]))
  const found = await Promise.all(
    used.map(async (batch): Promise<[string, BatchFact | undefined]> => {
      let byUs = false
      const ask = async (node: RpcNode): Promise<boolean> => {
        const reverted = await findRevert(node, batch)
        byUs ||= reverted !== undefined
        return await isDead(node, request, batch, reverted, hashes.get(node) ?? new Map())
      }
      return [String(batch.batchId), await factOf(agree(nodes, quorum, ask), () => byUs)]
    }),
  )
  const known = found.filter((each): each is [string, BatchFact] => each[1] !== undefined)
  const batches = { ...view.batches, ...Object.fromEntries(known) }
  return { view: { ...view, batches }, isSure: known.length === found.length }
}

/** Undefined while too few nodes say the same. @param byUs whether any of them has shown that an attempt of ours reverted */
async function factOf(asked: Promise<{ value: boolean }>, byUs: () => boolean): Promise<BatchFact | undefined> {
  try {
    const { value } = await asked
    return value ? { state: 'dead', byUs: byUs() } : { state: 'waiting' }
  } catch (error) {
    if (error instanceof NoQuorumError) return undefined
    throw error
  }
}

/** Where an attempt has reverted, its block says how deep. */
async function isDead(
  node: RpcNode,
  request: DeathRequest,
  batch: InFlightBatch,
  reverted: Receipt | undefined,
  hashes: Map<bigint, Hex>,
): Promise<boolean> {
  const isThere = reverted && (await hashAt(node, reverted.blockNumber, hashes)) === reverted.blockHash
  if (isThere) return reverted.blockNumber <= request.finalBlock
  return await isUsedAtDepth(node, request, batch, (number) => hashAt(node, number, hashes))
}

async function findRevert(node: RpcNode, batch: InFlightBatch): Promise<Receipt | undefined> {
  for (const { txHash } of presentAttempts(batch)) {
    const receipt = await readReceipt(node, txHash)
    if (receipt?.succeeded === false) return receipt
  }
  return undefined
}
