/** What the Settlement contract and the chain around it say about batches: each function asks one node. */
import { type Address, decodeErrorResult, decodeEventLog, type Hex, hexToBigInt, isHex } from 'viem'
import { encodeCall } from './call-data.ts'
import { ROLE_IDS } from './deployment/roles.ts'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { type BucketName, KIND } from './instructions.ts'
import { RpcAnswerError, type RpcNode } from './node.ts'
import { type BlockRef, readGasEstimate, readView } from './reads.ts'
import { isWord } from './words.ts'

/** `digest` has 24 bytes; `blockNumber` is that of the block that settled the batch. */
export type BatchRecord = { settled: boolean; successBitmap: bigint; digest: Hex; blockNumber: bigint }

/** `outcomeOf(batchId)`: the truth about a batch as of a block. */
export async function readOutcome(
  node: RpcNode,
  settlement: Address,
  batchId: bigint,
  block: BlockRef,
): Promise<BatchRecord> {
  const view = { address: settlement, abi: settlementAbi, functionName: 'outcomeOf', args: [batchId] }
  const answer = (await readView(node, view, block)) as [boolean, bigint, Hex, bigint]
  const [settled, successBitmap, digest, blockNumber] = answer
  return { settled, successBitmap, digest, blockNumber }
}

/**
 * The gas of executing instructions, as a call from Settlement to the coin, whichever batch comes before.
 * @throws RpcAnswerError when the coin would refuse all of them; RpcUnreachableError
 */
export function readExecutionEstimate(
  node: RpcNode,
  { coin, settlement }: { coin: Address; settlement: Address },
  packed: Hex,
): Promise<bigint> {
  const data = encodeCall(coinAbi, 'execute', [packed])
  return readGasEstimate(node, { from: settlement, to: coin, data })
}

/** `availableMicro` at the newest block, and the most that the bucket can hold. */
export type Bucket = { availableMicro: bigint; capacityMicro: bigint }
export type Buckets = Readonly<Record<BucketName, Bucket>>

/** The limits of all kinds. */
export async function readBuckets(node: RpcNode, settlement: Address): Promise<Buckets> {
  const read = (functionName: string, kind: number) =>
    readView(node, { address: settlement, abi: settlementAbi, functionName, args: [kind] })
  const bucket = async (kind: number): Promise<Bucket> => {
    const [available, limit] = await Promise.all([read('availableOf', kind), read('limitOf', kind)])
    return { availableMicro: available as bigint, capacityMicro: (limit as { capacity: bigint }).capacity }
  }
  return await ofEachKind(bucket)
}

async function ofEachKind<T>(read: (kind: number) => Promise<T>): Promise<Readonly<Record<BucketName, T>>> {
  const [mint, burn, transfer] = await Promise.all([read(KIND.MINT), read(KIND.REDEEM), read(KIND.TRANSFER)])
  return { mint, burn, transfer }
}

/** The most that the bucket of each kind can hold as of a block, in micro units. */
export async function readCapacities(
  node: RpcNode,
  settlement: Address,
  block: BlockRef,
): Promise<Readonly<Record<BucketName, bigint>>> {
  return await ofEachKind(async (kind) => {
    const view = { address: settlement, abi: settlementAbi, functionName: 'limitOf', args: [kind] }
    return ((await readView(node, view, block)) as { capacity: bigint }).capacity
  })
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
  if (raw === null || !isWord(raw.blockNumber) || !isWord(raw.blockHash)) return undefined
  return {
    txHash,
    blockNumber: hexToBigInt(raw.blockNumber),
    blockHash: raw.blockHash,
    succeeded: raw.status === '0x1',
    gasUsed: isWord(raw.gasUsed) ? hexToBigInt(raw.gasUsed) : 0n,
    logs: Array.isArray(raw.logs) ? (raw.logs as RawLog[]) : [],
  }
}

/** The reasons by their numbers in `enum Reason` of contracts/src/shared/Instruction.sol. */
const REASONS = [
  'none',
  'invalid_instruction',
  'contract_address',
  'wallet_frozen',
  'wallet_not_linked',
  'insufficient_balance',
]

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
      // An event of another contract version: the bitmap alone decides, and the reason stays general.
    }
  }
  return reasons
}

/** Why the contract takes nothing from a sender, and would take it from another. */
export type SenderRefusal = 'role' | 'code'

/** `code`: whoever has a signer's key may let its address run code (EIP-7702), and from such a one the contract takes no batch. */
const SENDER_REFUSALS: Readonly<Record<string, SenderRefusal>> = {
  AccessControlUnauthorizedAccount: 'role',
  CallerHasCode: 'code',
}

/** Why the contract refuses the sender of a call that reverted; undefined when it is not that. */
export function senderRefusal(error: unknown): SenderRefusal | undefined {
  return SENDER_REFUSALS[revertName(error) ?? '']
}

const LIMITS = ['Mint', 'Burn', 'Transfer']

/**
 * The custom error, of Settlement or of the coin behind it, with which a call of Settlement reverted; undefined when
 * `error` is not a revert. `LimitExceeded` gets its kind in front; and whoever has not the role that the coin wants of Settlement is
 * Settlement, and no signer.
 */
export function revertName(error: unknown): string | undefined {
  if (!(error instanceof RpcAnswerError)) return undefined
  const data = isHex(error.data) ? error.data : (error.data as { data?: unknown } | undefined)?.data
  if (isHex(data) && data.length >= 10) {
    try {
      const { errorName, args } = decodeErrorResult({ abi: [...settlementAbi, ...coinAbi], data })
      if (errorName === 'AccessControlUnauthorizedAccount' && args[1] === ROLE_IDS.settler)
        return 'SettlementUnauthorizedAccount'
      return errorName === 'LimitExceeded' ? `${LIMITS[args[0]]}${errorName}` : errorName
    } catch {
      return `unknown error ${data.slice(0, 10)}`
    }
  }
  return /revert/i.test(error.message) ? 'reverted' : undefined
}
