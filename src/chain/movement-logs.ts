/** Finds the transactions behind a change of the contracts, where a node serves logs. They only name what reads have shown. */
import { type Address, type Hex, hexToBigInt, numberToHex, toEventSelector, zeroAddress } from 'viem'
import { least } from '../values/bigints.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'
import { hexOf, isWord, quantityOf, wordOf } from './words.ts'

/** Coin that was created (`from` is null) or destroyed (`to` is null) by a transaction. */
export type Created = {
  txHash: Hex
  blockNumber: bigint
  from: Address | null
  to: Address | null
  amountMicro: bigint
}

/** Providers that serve logs at all serve so many blocks at once. */
const BLOCKS_AT_ONCE = 500n
/** What is older is not looked for in one go. */
export const MOST_BLOCKS = 10_000n

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
/** `BatchSettled`, which names its batch first. */
export const BATCH_SETTLED = toEventSelector('BatchSettled(uint256,bytes24,uint256)')
const NOBODY: Hex = `0x${'0'.repeat(64)}`
const POWERS = [
  'RoleGranted(bytes32,address,address)',
  'RoleRevoked(bytes32,address,address)',
  'LimitSet(uint8,uint64,uint64)',
  'CeilingSet(uint8,uint64,uint64)',
  'Upgraded(address)',
].map((event) => toEventSelector(event))

export type BlockRange = { from: bigint; to: bigint }

/**
 * Every mint and burn of the coin in these blocks by a transaction that settled no batch.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function findCreated(
  node: RpcNode,
  { coin, settlement }: { coin: Address; settlement: Address },
  blocks: BlockRange,
): Promise<Created[]> {
  const settled = await logsOf(node, [settlement], [BATCH_SETTLED], blocks)
  const batches = new Set(settled.map(({ transactionHash }) => transactionHash))
  const minted = await logsOf(node, [coin], [TRANSFER, NOBODY], blocks)
  const burnt = await logsOf(node, [coin], [TRANSFER, null, NOBODY], blocks)
  const outside = [...minted, ...burnt].filter(({ transactionHash }) => !batches.has(transactionHash))
  return outside.map(({ transactionHash, blockNumber, topics, data }) => ({
    txHash: transactionHash,
    blockNumber: hexToBigInt(blockNumber),
    from: walletOf(topics[1]),
    to: walletOf(topics[2]),
    amountMicro: isWord(data) && data !== '0x' ? hexToBigInt(data) : 0n,
  }))
}

/** The transactions that changed roles, limits or code in these blocks. @throws RpcAnswerError, RpcUnreachableError */
export async function findPowerChanges(
  node: RpcNode,
  contracts: readonly Address[],
  blocks: BlockRange,
): Promise<{ txHash: Hex; blockNumber: bigint }[]> {
  const logs = await logsOf(node, contracts, [POWERS], blocks)
  const found = new Map(logs.map(({ transactionHash, blockNumber }) => [transactionHash, hexToBigInt(blockNumber)]))
  return [...found].map(([txHash, blockNumber]) => ({ txHash, blockNumber }))
}

export type RawLog = { transactionHash: Hex; blockNumber: Hex; topics: readonly Hex[]; data: Hex }

/**
 * The logs of these blocks, of the last MOST_BLOCKS of them at most. Of blocks whose logs are more than the node gives at once, fewer are asked
 * for: whoever fills them must not hide what else is there. And more again behind them: that a node refused one block, or was asked too often for
 * a moment, is no reason to ask it thousands of times, while its chain waits.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function logsOf(
  node: RpcNode,
  address: readonly Address[],
  topics: readonly unknown[],
  { from, to }: BlockRange,
): Promise<RawLog[]> {
  const found: RawLog[] = []
  let pace = FULL_PACE
  for (let start = to - from >= MOST_BLOCKS ? to - MOST_BLOCKS + 1n : from; start <= to; ) {
    const end = least(start + pace.atOnce - 1n, to)
    const range = { fromBlock: numberToHex(start), toBlock: numberToHex(end) }
    try {
      const logs = await node.request('eth_getLogs', [{ ...range, address, topics }])
      if (Array.isArray(logs)) for (const log of logs) found.push(rawLogOf(node, log))
      start = end + 1n
      pace = afterAnswer(pace)
    } catch (error) {
      if (start === end || !mayBeTooMany(error)) throw error
      pace = afterRefusal(pace, end - start + 1n)
    }
  }
  return found
}

const MOST_TOPICS = 4

function rawLogOf(node: RpcNode, log: unknown): RawLog {
  const { transactionHash, blockNumber, topics, data } = (log ?? {}) as Record<string, unknown>
  if (!Array.isArray(topics) || topics.length > MOST_TOPICS)
    throw new RpcUnreachableError(`${node.label}: the answer is not a log`)
  quantityOf(node, blockNumber)
  return {
    transactionHash: wordOf(node, transactionHash),
    blockNumber: blockNumber as Hex,
    topics: topics.map((topic) => wordOf(node, topic)),
    data: hexOf(node, data),
  }
}

/** How many blocks are asked for at once; `answersLeft`: until more are tried, after `patience` answers in all. */
type Pace = { atOnce: bigint; isTrial: boolean; patience: number; answersLeft: number }

const FULL_PACE: Pace = { atOnce: BLOCKS_AT_ONCE, isTrial: false, patience: 1, answersLeft: 1 }

function afterAnswer({ atOnce, isTrial, patience: before, answersLeft }: Pace): Pace {
  const patience = isTrial ? 1 : before
  if (atOnce === BLOCKS_AT_ONCE) return FULL_PACE
  if (answersLeft > 1 && !isTrial) return { atOnce, isTrial: false, patience, answersLeft: answersLeft - 1 }
  return { atOnce: least(atOnce * 2n, BLOCKS_AT_ONCE), isTrial: true, patience, answersLeft: patience }
}

/** A node that refuses what was tried gives no more at once, perhaps of any blocks: it is tried after ever longer. */
function afterRefusal({ isTrial, patience: before }: Pace, refused: bigint): Pace {
  const patience = isTrial ? before * 2 : before
  return { atOnce: refused / 2n, isTrial: false, patience, answersLeft: patience }
}

const METHOD_NOT_FOUND = -32_601

/** Whether a node may answer about fewer blocks: it has refused these, or said more of them than is read. */
function mayBeTooMany(error: unknown): boolean {
  if (error instanceof RpcAnswerError) return error.code !== METHOD_NOT_FOUND
  return error instanceof RpcUnreachableError && error.isTooLong
}

function walletOf(topic: Hex | undefined): Address | null {
  const wallet: Address = `0x${(topic ?? NOBODY).slice(26)}`
  return wallet === zeroAddress ? null : wallet
}
