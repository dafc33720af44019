/** What the contracts' timelock was told to do: operations in its logs, and their state in its storage. */
import {
  type Address,
  decodeEventLog,
  getAddress,
  type Hex,
  hexToBigInt,
  keccak256,
  toEventSelector,
  toHex,
  zeroHash,
} from 'viem'
import { timelockAbi } from './generated/timelock.ts'
import { type BlockRange, logsOf, type RawLog } from './movement-logs.ts'
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

const ROLE_GRANTED = toEventSelector('RoleGranted(bytes32,address,address)')
const ROLE_REVOKED = toEventSelector('RoleRevoked(bytes32,address,address)')

/** The names that somebody reads of the timelock's own roles. */
const ROLE_NAMES: Readonly<Record<Hex, string>> = {
  [zeroHash]: 'admin',
  ...Object.fromEntries(['proposer', 'executor', 'canceller'].map((name) => [idOf(name), name])),
}

function idOf(name: string): Hex {
  return keccak256(toHex(`${name.toUpperCase()}_ROLE`))
}

/** `by`: the timelock itself, where an operation did it. */
export type TimelockRoleChange = {
  role: string
  holder: Address
  isGiven: boolean
  by: Address
  txHash: Hex
  blockNumber: bigint
}

/**
 * Every operation that was scheduled in these blocks, at most MOST_BLOCKS of them; the last time, where one was scheduled again. And who
 * was given or lost a role of the timelock. Storage can list neither, so this needs logs.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function findTimelockNews(
  node: RpcNode,
  timelock: Address,
  blocks: BlockRange,
): Promise<{ scheduled: ScheduledOperation[]; roles: TimelockRoleChange[] }> {
  const logs = await logsOf(node, [timelock], [[CALL_SCHEDULED, ROLE_GRANTED, ROLE_REVOKED]], blocks)
  const isCall = ({ topics }: RawLog) => topics[0] === CALL_SCHEDULED
  const others = logs.filter((log) => !isCall(log))
  return { scheduled: operationsOf(logs.filter(isCall)), roles: others.map(roleChangeOf) }
}

function operationsOf(logs: readonly RawLog[]): ScheduledOperation[] {
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

function roleChangeOf({ topics, transactionHash, blockNumber }: RawLog): TimelockRoleChange {
  const [event, role = zeroHash, holder = zeroHash, by = zeroHash] = topics
  return {
    role: ROLE_NAMES[role] ?? role,
    isGiven: event === ROLE_GRANTED,
    holder: addressIn(holder),
    by: addressIn(by),
    txHash: transactionHash,
    blockNumber: hexToBigInt(blockNumber),
  }
}

function addressIn(topic: Hex): Address {
  return getAddress(`0x${topic.slice(26)}`)
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
