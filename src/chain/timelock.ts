/** What the contracts' timelock was told to do: operations in its logs, and their state in its storage. */
import { type Address, decodeEventLog, getAddress, type Hex, hexToBigInt, toEventSelector } from 'viem'
import { timelockAbi } from './generated/timelock.ts'
import { type BlockRange, logsOf } from './movement-logs.ts'
import type { RpcNode } from './node.ts'
import { type BlockRef, readView } from './reads.ts'

/** A call that the timelock is to make; `value`: wei. */
export type ScheduledCall = { target: Address; value: bigint; data: Hex }

/** `id`: the timelock's own name for it. */
export type ScheduledOperation = {
  id: Hex
  calls: ScheduledCall[]
  txHash: Hex
  blockNumber: bigint
}

const CALL_SCHEDULED = toEventSelector('CallScheduled(bytes32,uint256,address,uint256,bytes,bytes32,uint256)')

/**
 * Every operation that was scheduled in these blocks, at most MOST_BLOCKS of them; the last time, where one was scheduled again.
 * Storage cannot list them, so this needs logs.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function findScheduled(
  node: RpcNode,
  timelock: Address,
  blocks: BlockRange,
): Promise<ScheduledOperation[]> {
  const logs = await logsOf(node, [timelock], [CALL_SCHEDULED], blocks)
  const found = new Map<string, ScheduledOperation>()
  for (const { topics, data, transactionHash, blockNumber } of logs) {
    const { args } = decodeEventLog({
      abi: timelockAbi,
      eventName: 'CallScheduled',
      topics: topics as [Hex, ...Hex[]],
      data,
    })
    const { id, index, target, value } = args
    // Scheduled, cancelled and scheduled again: its calls are the same, and only the last time counts.
    const operation = index === 0n ? undefined : found.get(id)
    const calls = operation?.calls ?? []
    calls.push({ target: getAddress(target), value, data: args.data })
    found.set(id, { id, calls, txHash: transactionHash, blockNumber: hexToBigInt(blockNumber) })
  }
  return [...found.values()]
}

/** Who sent a transaction; null where the node does not know it. @throws RpcAnswerError, RpcUnreachableError */
export async function readSender(node: RpcNode, txHash: Hex): Promise<Address | null> {
  const transaction = (await node.request('eth_getTransactionByHash', [txHash])) as { from?: Hex } | null
  return transaction?.from === undefined ? null : getAddress(transaction.from)
}

/** Whether an operation can still be executed, and from when on. */
export type OperationState = { status: 'pending'; readyAt: Date } | { status: 'executed' | 'cancelled' }

const NOT_SCHEDULED = 0n
const DONE = 1n
/** The last second that a date can name; a delay can go far beyond it. */
const LAST_SECOND = 8_640_000_000_000n

/** The states of operations as of a block. @throws RpcAnswerError, RpcUnreachableError */
export async function readOperationStates(
  node: RpcNode,
  timelock: Address,
  ids: readonly Hex[],
  block: BlockRef,
): Promise<OperationState[]> {
  return await Promise.all(
    ids.map(async (id): Promise<OperationState> => {
      const view = { address: timelock, abi: timelockAbi, functionName: 'getTimestamp', args: [id] }
      const at = (await readView(node, view, block)) as bigint
      if (at === NOT_SCHEDULED) return { status: 'cancelled' }
      if (at === DONE) return { status: 'executed' }
      return { status: 'pending', readyAt: new Date(Number(at < LAST_SECOND ? at : LAST_SECOND) * 1_000) }
    }),
  )
}
