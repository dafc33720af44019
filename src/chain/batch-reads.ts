/** Reads of batches that this service may not have made: the contract's history, and the transaction behind a record. */
import { setImmediate } from 'node:timers/promises'
import { type Address, getAddress, type Hex, numberToHex } from 'viem'
import { ChainError } from '../chain-errors.ts'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { decodeSettle, digestOf, encodeSettle, NO_HISTORY } from './instructions.ts'
import { BATCH_SETTLED, logsOf } from './movement-logs.ts'
import { type RpcNode, RpcUnreachableError } from './node.ts'
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
  const calls = await settlingIn(node, settlement, recorded, transactions)
  const receipts = await Promise.all(calls.map((call) => readReceipt(node, call.hash)))
  const block = { blockNumber: recorded.blockNumber, blockHash: wordOf(node, hash) }
  for (const [index, call] of calls.entries()) {
    const receipt = receipts[index]
    if (receipt?.succeeded === true) return settledBy(node, call, receipt, settledAt)
  }
  const [only, ...others] = calls.filter((_, index) => receipts[index] === undefined)
  return only === undefined || others.length > 0 ? undefined : settledBy(node, only, block, settledAt)
}

/** Of a call's data: the function, and the batch. */
const BEGINNING = 2 + 2 * (4 + 32)
/** A block has gas for no more calls of a contract. */
const MOST_CALLS = 4_096
/** Copies of one batch in its block, each of which somebody has paid for. */
const MOST_COPIES = 256
const CALLS_AT_ONCE = 64

/**
 * The calls with these instructions. Anybody can send calls that revert: no receipt is asked for those of others. But no more are looked at, and
 * no more receipts asked for, than a block can have: of one that lies the process would read on for as long as it says something, once more with
 * each round, until its memory is full.
 */
async function settlingIn(
  node: RpcNode,
  settlement: Address,
  recorded: RecordedSettlement,
  transactions: unknown,
): Promise<FoundTransaction[]> {
  const beginning = encodeSettle(recorded.batchId, NO_HISTORY, '0x').slice(0, BEGINNING)
  const all = Array.isArray(transactions) ? (transactions as (Partial<FoundTransaction> | null)[]) : []
  const calls = all.filter((one): one is FoundTransaction => {
    if (typeof one?.to !== 'string' || typeof one.input !== 'string') return false
    return (
      one.to.toLowerCase() === settlement.toLowerCase() && one.input.slice(0, BEGINNING).toLowerCase() === beginning
    )
  })
  if (calls.length > MOST_CALLS) throw tooManyCalls(node)
  const settling: FoundTransaction[] = []
  for (const [index, call] of calls.entries()) {
    // Whoever waits for something else in this process is not to wait for thousands of them.
    if (index % CALLS_AT_ONCE === CALLS_AT_ONCE - 1) await setImmediate()
    if (hasSettled(call.input, recorded)) settling.push(call)
  }
  if (settling.length > MOST_COPIES) throw tooManyCalls(node)
  return settling
}

function tooManyCalls(node: RpcNode): Error {
  return new RpcUnreachableError(`${node.label}: the block has more calls of a batch than any can have`)
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

type FoundBlock = { hash?: unknown; timestamp?: unknown; transactions?: unknown }
