/** Reads of batches that this service may not have made: the contract's history, and the transaction behind a record. */
import { type Address, getAddress, type Hex, hexToBigInt, isAddressEqual, numberToHex } from 'viem'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { decodeSettle, digestOf } from './instructions.ts'
import type { RpcNode } from './node.ts'
import { type BlockRef, readView } from './reads.ts'
import { readReceipt } from './settlement-reads.ts'

/** The id of the last batch, the running hash that the next one has to name, and the coin in existence. */
export type ContractHead = { lastBatchId: bigint; runningHash: Hex; supplyMicro: bigint }

/** `head()` and `totalSupply()` as of a block: whoever needs one needs the other at the same block, and both cost one request. */
export async function readContractHead(
  node: RpcNode,
  { coin, settlement }: { coin: { address: Address }; settlement: Address },
  block: BlockRef,
): Promise<ContractHead> {
  const [head, supply] = await Promise.all([
    readView(node, { address: settlement, abi: settlementAbi, functionName: 'head' }, block),
    readView(node, { address: coin.address, abi: coinAbi, functionName: 'totalSupply' }, block),
  ])
  const [lastBatchId, runningHash] = head as [bigint, Hex]
  return { lastBatchId, runningHash, supplyMicro: supply as bigint }
}

export type SettledBy = {
  txHash: Hex
  blockNumber: bigint
  blockHash: Hex
  /** EIP-55 checksummed. */
  sender: Address
  nonce: bigint
  callData: Hex
  /** The time of its block. */
  settledAt: Date
}

/** What a record of the contract says of a settled batch. `blockNumber`: of the block that settled it. */
export type RecordedSettlement = { batchId: bigint; blockNumber: bigint; digest: Hex }

/**
 * The transaction that settled a batch, found in the block that the batch's record names: this needs no logs, and no
 * other contract can have made the call. Where the node has dropped the receipt, or has not made it yet, the block tells alone, as long as
 * it has one call with these instructions: the contract says that they were executed there.
 */
export async function findSettlement(
  node: RpcNode,
  settlement: Address,
  { batchId, blockNumber, digest }: RecordedSettlement,
): Promise<SettledBy | undefined> {
  const block = (await node.request('eth_getBlockByNumber', [numberToHex(blockNumber), true])) as FoundBlock | null
  if (block === null) return undefined
  const settledAt = new Date(Number(hexToBigInt(block.timestamp)) * 1_000)
  const withoutReceipt: SettledBy[] = []
  for (const { hash, to, from, nonce, input } of block.transactions) {
    const call = to !== null && isAddressEqual(to, settlement) ? decodeSettle(input) : undefined
    if (call?.batchId !== batchId) continue
    const by = { txHash: hash, sender: getAddress(from), nonce: hexToBigInt(nonce), callData: input, settledAt }
    const receipt = await readReceipt(node, hash)
    if (receipt?.succeeded === true) return { ...by, blockNumber: receipt.blockNumber, blockHash: receipt.blockHash }
    if (receipt === undefined && digestOf(call.packed) === digest)
      withoutReceipt.push({ ...by, blockNumber, blockHash: block.hash })
  }
  const [only, ...others] = withoutReceipt
  return others.length === 0 ? only : undefined
}

type FoundBlock = {
  hash: Hex
  transactions: { hash: Hex; to: Address | null; from: Address; nonce: Hex; input: Hex }[]
  timestamp: Hex
}
