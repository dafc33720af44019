/** One node's whole view of what is in flight, as of one block. A view is believed when several nodes agree on it. */
import type { Address, Hex } from 'viem'
import { findSettlement } from '../../chain/batch-reads.ts'
import type { RpcNode } from '../../chain/node.ts'
import { type BlockHead, readBlock, readNonce } from '../../chain/reads.ts'
import { type BatchRecord, readOutcome, readReceipt } from '../../chain/settlement-reads.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'

export type Location = { txHash: string; blockNumber: bigint; blockHash: string }

/** What became of a batch, as far as this block shows. */
export type BatchFact =
  | { state: 'waiting' }
  /** The contract has the batch. `location` is undefined while no transaction that settled it can be found, and of another digest. */
  | { state: 'settled'; digest: string; successBitmap: bigint; location: Location | undefined }
  /** The nonce is used up at the final block and the batch has no outcome (dead.ts). `byUs`: an attempt of ours reverted. */
  | { state: 'dead'; byUs: boolean }

export type View = {
  /** Next nonces at the head, by signer. */
  nonces: Record<string, bigint>
  /** By batch id. */
  batches: Record<string, BatchFact>
}

export type LookRequest = {
  head: BlockHead
  settlement: Address
  signers: readonly string[]
  /** What to look at; mined batches that need no second look are left out. */
  batches: readonly InFlightBatch[]
}

/**
 * Reads a view, in which nothing is dead. All reads name the head by its hash, so they answer for exactly that block or not at all.
 * @throws RpcAnswerError, RpcUnreachableError when this node cannot tell
 */
export async function look(node: RpcNode, request: LookRequest): Promise<View> {
  const { head, signers } = request
  const nonces = await noncesAt(node, signers, { blockHash: head.hash })
  const isUsed = ({ signer, nonce }: { signer: string; nonce: bigint }) => nonce < (nonces[signer] ?? 0n)
  const consumed = request.batches.filter(
    (batch) => batch.status === 'mined' || isUsed(batch) || earlierSigners(batch).some(isUsed),
  )
  const hashes = new Map<bigint, Hex>([[head.number, head.hash]])
  const facts = await Promise.all(consumed.map((batch) => factOf(node, request, batch, hashes)))
  const batches = Object.fromEntries(
    consumed.map(({ batchId }, index) => [String(batchId), facts[index] ?? { state: 'waiting' as const }]),
  )
  return { nonces, batches }
}

/** Attempts of signers that had the batch before: theirs may still be the one that settles it. */
function earlierSigners({ signer, attempts }: InFlightBatch): InFlightBatch['attempts'] {
  return attempts.filter((attempt) => attempt.signer !== signer)
}

/** The next nonces of signers as of a block. */
export async function noncesAt(node: RpcNode, signers: readonly string[], block: { blockHash: Hex }) {
  const nonces: Record<string, bigint> = {}
  for (const signer of signers) nonces[signer] = await readNonce(node, signer as Address, block)
  return nonces
}

async function factOf(
  node: RpcNode,
  { head, settlement }: LookRequest,
  batch: InFlightBatch,
  hashes: Map<bigint, Hex>,
): Promise<BatchFact> {
  const record = await readOutcome(node, settlement, batch.batchId, { blockHash: head.hash })
  if (!record.settled) return { state: 'waiting' }
  const { digest, successBitmap } = record
  // What others made under this id is read where it is kept (repair/history.ts): nobody asks here where it is.
  const isOurs = digest === batch.digest
  const location = isOurs ? await locate(node, { settlement, head, record }, batch, hashes) : undefined
  return { state: 'settled', digest, successBitmap, location }
}

/** The canonical block, not above the head, with the transaction that settled the batch. */
async function locate(
  node: RpcNode,
  { settlement, head, record }: { settlement: Address; head: BlockHead; record: BatchRecord },
  batch: InFlightBatch,
  hashes: Map<bigint, Hex>,
): Promise<Location | undefined> {
  const { status, txHash: known, minedHash } = batch
  // The hash of a block says which transactions it has: seen there once, by a quorum, it is there for as long as the block is.
  if (
    status === 'mined' &&
    known !== null &&
    minedHash !== null &&
    (await hashAt(node, record.blockNumber, hashes)) === minedHash
  )
    return { txHash: known, blockNumber: record.blockNumber, blockHash: minedHash }
  for (const { txHash } of [...batch.attempts].reverse()) {
    const receipt = await readReceipt(node, txHash)
    if (receipt?.succeeded !== true || receipt.blockNumber > head.number) continue
    const { blockNumber, blockHash } = receipt
    if ((await hashAt(node, blockNumber, hashes)) === blockHash) return { txHash, blockNumber, blockHash }
  }
  const found = await findSettlement(node, settlement, { batchId: batch.batchId, ...record })
  if (found === undefined || (await hashAt(node, found.blockNumber, hashes)) !== found.blockHash) return undefined
  const { txHash, blockNumber, blockHash } = found
  return { txHash, blockNumber, blockHash }
}

/** The hash of the canonical block at a height. @param hashes those that are known, of one node */
export async function hashAt(node: RpcNode, number: bigint, hashes: Map<bigint, Hex>): Promise<Hex | undefined> {
  const known = hashes.get(number)
  if (known !== undefined) return known
  const hash = (await readBlock(node, number))?.hash
  if (hash !== undefined) hashes.set(number, hash)
  return hash
}
