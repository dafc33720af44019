/**
 * A fresh batch id that the contract has settled before: the database was restored from an older backup, or another
 * service uses the same contract. The digest tells which.
 */
import type { Address, Hex } from 'viem'
import { hexToBigInt, isAddressEqual } from 'viem'
import type { RpcNode } from '../../chain/node.ts'
import { type AgreedHead, agree } from '../../chain/quorum.ts'
import { findSettlement, readOutcome } from '../../chain/settlement-reads.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { submitOrders } from '../../orders/life/moves.sql.ts'
import type { Draft } from '../form/draft.ts'
import { setHeld } from '../holds.ts'
import { insertBatch } from '../tables/batches.sql.ts'
import { takeBatchId } from '../tables/chains.sql.ts'
import type { Work } from '../work.ts'

/**
 * Takes over the outcome when the settled batch is exactly the one about to be formed; otherwise forms nothing on this
 * chain any more, because orders that seem to wait may have been settled before the backup was restored.
 */
export async function handleSettledId(work: Work, at: AgreedHead, draft: Draft): Promise<void> {
  const { chain, logger, memory } = work
  const { chainId, settlement, quorum } = chain.config
  const read = async (node: RpcNode) => {
    const { settled, digest } = await readOutcome(node, settlement, draft.batchId, { blockHash: at.head.hash })
    const found = settled ? await findSettlement(node, settlement, draft.batchId, at.head.number) : undefined
    return { settled, digest, sender: found && (await senderOf(node, found.txHash)) }
  }
  const { value } = await agree(at.nodes, quorum, read)
  if (!value.settled) return
  const signer = chain.signers.find(({ address }) => value.sender && isAddressEqual(address, value.sender.address))
  const isOurs = value.digest.toLowerCase() === draft.digest.toLowerCase()
  if (isOurs && signer !== undefined && value.sender !== undefined) {
    await adopt(work, draft, signer.address, value.sender.nonce)
    return
  }
  const isNews = memory.holds.held.reason !== 'batch-conflict'
  setHeld(work, 'batch-conflict', { batchId: String(draft.batchId) })
  if (!isNews) return
  logger.fatal(
    { chainId, batchId: String(draft.batchId), settledDigest: value.digest, ownDigest: draft.digest },
    'the chain has settled this batch id with other instructions: the database is older than the chain, or shares the ' +
      'contract with another service. Nothing is settled on this chain until an operator has compared the orders with the ' +
      'BatchSettled events from this batch id on, and has set chains.next_batch_id past the last settled one',
  )
}

async function adopt(work: Work, draft: Draft, signer: Address, nonce: bigint): Promise<void> {
  const { db, chain, lease, logger, memory } = work
  const { chainId } = chain.config
  const { batchId, digest, callData, orders } = draft
  await underLease(db, lease, async (tx) => {
    if (!(await takeBatchId(tx, chainId, batchId))) return
    const batch = { chainId, batchId, signer, nonce, digest, callData, fencingToken: lease.token }
    await insertBatch(tx, { ...batch, orderCount: orders.length })
    const orderIds = orders.map(({ orderId }) => orderId)
    await submitOrders(tx, { chainId, batchId }, orderIds, null)
  })
  // The head that was recorded shows it already.
  memory.follow.recordedHash = undefined
  logger.warn(
    { chainId, batchId: String(batchId) },
    'this batch was settled before with the same instructions: its outcome is adopted',
  )
}

async function senderOf(node: RpcNode, txHash: Hex): Promise<{ address: Address; nonce: bigint } | undefined> {
  const raw = (await node.request('eth_getTransactionByHash', [txHash])) as { from: Address; nonce: Hex } | null
  return raw === null ? undefined : { address: raw.from, nonce: hexToBigInt(raw.nonce) }
}
