/** Reads of batches that this service may not have made: the contract's history, and the transaction behind a record. */
import { type Address, getAddress, type Hex, isAddressEqual, numberToHex } from 'viem'
import { ChainError } from '../chain-errors.ts'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { decodeSettle, digestOf } from './instructions.ts'
import { BATCH_SETTLED, logsOf } from './movement-logs.ts'
import type { RpcNode } from './node.ts'
import { type BlockRef, readBlock, readView } from './reads.ts'
import { readReceipt } from './settlement-reads.ts'
import { hexOf, quantityOf, wordOf } from './words.ts'

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
 * it has one call with these instructions: the contract says that they were executed there. A block that the node does not give whole is
 * asked for its log.
 */
export async function findSettlement(
  node: RpcNode,
  settlement: Address,
  recorded: RecordedSettlement,
): Promise<SettledBy | undefined> {
  try {
    const params = [numberToHex(recorded.blockNumber), true]
    const block = (await node.request('eth_getBlockByNumber', params)) as FoundBlock | null
    return block === null ? undefined : await findInBlock(node, settlement, recorded, block)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    // Whoever has a signer's key can fill the block of a batch until it is longer than what is read of any answer.
    return await findByLog(node, settlement, recorded).catch(() => {
      throw error
    })
  }
}

async function findInBlock(
  node: RpcNode,
  settlement: Address,
  recorded: RecordedSettlement,
  { hash, timestamp, transactions }: FoundBlock,
): Promise<SettledBy | undefined> {
  const settledAt = quantityOf(node, timestamp)
  const withoutReceipt: SettledBy[] = []
  for (const transaction of transactions) {
    const { to, input } = transaction
    // Anybody can send calls that revert: no receipt is asked for those of others.
    if (to === null || !isAddressEqual(to, settlement) || !hasSettled(input, recorded)) continue
    const receipt = await readReceipt(node, transaction.hash)
    if (receipt?.succeeded === true) return settledBy(node, transaction, receipt, settledAt)
    const block = { blockNumber: recorded.blockNumber, blockHash: wordOf(node, hash) }
    if (receipt === undefined) withoutReceipt.push(settledBy(node, transaction, block, settledAt))
  }
  const [only, ...others] = withoutReceipt
  return others.length === 0 ? only : undefined
}

/** What a log names is as certain as the block's own word: its input is what the record says was executed there. */
async function findByLog(
  node: RpcNode,
  settlement: Address,
  recorded: RecordedSettlement,
): Promise<SettledBy | undefined> {
  const { batchId, blockNumber } = recorded
  const topics = [BATCH_SETTLED, numberToHex(batchId, { size: 32 })]
  const [log] = await logsOf(node, [settlement], topics, { from: blockNumber, to: blockNumber })
  const block = await readBlock(node, blockNumber)
  if (log === undefined || block === undefined) return undefined
  const found = (await node.request('eth_getTransactionByHash', [log.transactionHash])) as FoundTransaction | null
  if (found === null || !hasSettled(found.input, recorded)) return undefined
  return settledBy(node, found, { blockNumber, blockHash: block.hash }, block.timestamp)
}

/** Whether a call is of this batch, with the instructions of its record. */
function hasSettled(input: Hex, { batchId, digest }: RecordedSettlement): boolean {
  const call = decodeSettle(input)
  return call?.batchId === batchId && digestOf(call.packed) === digest
}

/** However it was found, it says the same in the same words: nodes are compared. */
function settledBy(
  node: RpcNode,
  { hash, from, nonce, input }: FoundTransaction,
  { blockNumber, blockHash }: Pick<SettledBy, 'blockNumber' | 'blockHash'>,
  timestamp: bigint,
): SettledBy {
  const settledAt = new Date(Number(timestamp) * 1_000)
  const by = {
    txHash: wordOf(node, hash),
    sender: getAddress(from),
    nonce: quantityOf(node, nonce),
    callData: hexOf(node, input),
  }
  return { ...by, blockNumber, blockHash, settledAt }
}

/** As nodes give it; what of it is passed on is checked first. */
type FoundTransaction = { hash: Hex; to: Address | null; from: Address; nonce: Hex; input: Hex }

type FoundBlock = {
  hash: Hex
  transactions: FoundTransaction[]
  timestamp: Hex
}
