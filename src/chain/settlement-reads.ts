/** What the Settlement contract and the chain around it say about batches: each function asks one node. */
import {
  type Address,
  decodeErrorResult,
  decodeEventLog,
  encodeEventTopics,
  type Hex,
  hexToBigInt,
  isHex,
  numberToHex,
} from 'viem'
import { settlementAbi } from './generated/settlement.ts'
import { RpcAnswerError, type RpcNode } from './node.ts'
import { type BlockRef, readView } from './reads.ts'

export type BatchRecord = { settled: boolean; successBitmap: bigint; digest: Hex }

/** `outcomeOf(batchId)`: the truth about a batch as of a block. */
export async function readOutcome(
  node: RpcNode,
  settlement: Address,
  batchId: bigint,
  block: BlockRef,
): Promise<BatchRecord> {
  const view = { address: settlement, abi: settlementAbi, functionName: 'outcomeOf', args: [batchId] }
  const [settled, successBitmap, digest] = (await readView(node, view, block)) as [boolean, bigint, Hex]
  return { settled, successBitmap, digest }
}

export type Buckets = {
  mintAvailable: bigint
  mintCapacity: bigint
  debitAvailable: bigint
  debitCapacity: bigint
}

/** Both limits: what is available at the newest block, and the most they ever hold. Micro units. */
export async function readBuckets(node: RpcNode, settlement: Address): Promise<Buckets> {
  const read = (functionName: string) => readView(node, { address: settlement, abi: settlementAbi, functionName })
  const [mintAvailable, debitAvailable, mintLimit, debitLimit] = await Promise.all([
    read('mintAvailable') as Promise<bigint>,
    read('debitAvailable') as Promise<bigint>,
    read('mintLimit') as Promise<[bigint, bigint]>,
    read('debitLimit') as Promise<[bigint, bigint]>,
  ])
  return { mintAvailable, mintCapacity: mintLimit[0], debitAvailable, debitCapacity: debitLimit[0] }
}

export type Receipt = {
  txHash: Hex
  blockNumber: bigint
  blockHash: Hex
  succeeded: boolean
  gasUsed: bigint
  logs: readonly RawLog[]
}
type RawLog = { address: Address; topics: [Hex, ...Hex[]] | []; data: Hex }

/** A transaction's receipt; undefined while the node knows of no block that holds it. */
export async function readReceipt(node: RpcNode, txHash: Hex): Promise<Receipt | undefined> {
  const raw = (await node.request('eth_getTransactionReceipt', [txHash])) as Record<string, unknown> | null
  if (raw === null || !isHex(raw.blockNumber) || !isHex(raw.blockHash)) return undefined
  return {
    txHash,
    blockNumber: hexToBigInt(raw.blockNumber),
    blockHash: raw.blockHash,
    succeeded: raw.status === '0x1',
    gasUsed: isHex(raw.gasUsed) ? hexToBigInt(raw.gasUsed) : 0n,
    logs: Array.isArray(raw.logs) ? (raw.logs as RawLog[]) : [],
  }
}

const REASONS = ['none', 'wallet_frozen', 'wallet_not_linked', 'insufficient_balance', 'invalid_instruction']

/** Why instructions of a batch failed, by their index, from the `InstructionFailed` events of its receipt. */
export function failureReasons(receipt: Receipt, settlement: Address, batchId: bigint): Map<number, string> {
  const reasons = new Map<number, string>()
  for (const log of receipt.logs) {
    if (log.address.toLowerCase() !== settlement.toLowerCase()) continue
    try {
      const event = decodeEventLog({ abi: settlementAbi, topics: log.topics, data: log.data })
      if (event.eventName !== 'InstructionFailed' || event.args.batchId !== batchId) continue
      reasons.set(Number(event.args.index), REASONS[event.args.reason] ?? 'instruction_failed')
    } catch {
      // An event of another contract version: the bitmap alone decides, the reason stays general.
    }
  }
  return reasons
}

export type FoundSettlement = { txHash: Hex; blockNumber: bigint; blockHash: Hex }

const LOG_WINDOW = 2_000n
const LOG_WINDOWS = 50

/**
 * Searches the chain backwards for the transaction that settled a batch, when none of the known hashes did.
 * @param from the newest block to look at; 100,000 blocks are searched at most
 */
export async function findSettlement(
  node: RpcNode,
  settlement: Address,
  batchId: bigint,
  from: bigint,
): Promise<FoundSettlement | undefined> {
  const topics = encodeEventTopics({ abi: settlementAbi, eventName: 'BatchSettled', args: { batchId } })
  let toBlock = from
  for (let window = 0; window < LOG_WINDOWS && toBlock >= 0n; window += 1) {
    const fromBlock = toBlock >= LOG_WINDOW ? toBlock - LOG_WINDOW + 1n : 0n
    const range = { fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) }
    const logs = (await node.request('eth_getLogs', [{ address: settlement, topics, ...range }])) as FoundLog[]
    const log = logs.at(-1)
    if (log !== undefined) {
      return { txHash: log.transactionHash, blockNumber: hexToBigInt(log.blockNumber), blockHash: log.blockHash }
    }
    toBlock = fromBlock - 1n
  }
  return undefined
}

type FoundLog = { transactionHash: Hex; blockNumber: Hex; blockHash: Hex }

/** The custom error with which a call of Settlement reverted; undefined when `error` is not a revert. */
export function revertName(error: unknown): string | undefined {
  if (!(error instanceof RpcAnswerError)) return undefined
  const data = isHex(error.data) ? error.data : (error.data as { data?: unknown } | undefined)?.data
  if (isHex(data) && data.length >= 10) {
    try {
      return decodeErrorResult({ abi: settlementAbi, data }).errorName
    } catch {
      return `unknown error ${data.slice(0, 10)}`
    }
  }
  return /revert/i.test(error.message) ? 'reverted' : undefined
}
