/** The transactions of a stop: the stop itself, and what takes the place of transactions that could undo it. */
import type { Logger } from 'pino'
import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { greatest, least } from '../values/bigints.ts'
import { lowerMedian } from './answers.ts'
import { broadcastToMost } from './broadcast.ts'
import { bumpedFees, EMPTY_TRANSFER_GAS, type Fees } from './fees.ts'
import type { KeyAction } from './key-action.ts'
import { KeyActionLateError, KeyActionRefusedError, KeyActionUnpaidError } from './key-action-errors.ts'
import { signedByKey } from './key-signature.ts'
import type { RpcNode } from './node.ts'
import { readGasEstimate } from './reads.ts'
import { revertName } from './settlement-reads.ts'
import type { Signer } from './signer.ts'
import { middle, nextNonce, nextNonces, type StopView } from './stop-view.ts'

export type StopDeps = {
  config: Pick<ChainConfig, 'chainId' | 'confirmations' | 'pollIntervalMs' | 'stopMaxFeePerGasWei'>
  nodes: readonly RpcNode[]
  logger: Logger
  deadlineMs?: number
  /** How long a signer is asked that has signed nothing yet. */
  unsignedMs?: number
}

/** A stop that is being performed; `deadline`: when it is given up, by the clock that is never set. */
export type StopUnderWay = StopDeps & { deadline: number }

/** `rivals`: accounts that can undo the stop, with their keys where this process has them. */
export type Stop = { signer: Signer; action: KeyAction; rivals: readonly { address: Address; signer?: Signer }[] }

/** More than `pause`, or `revokeRole`, of either contract uses. */
export const STOP_GAS = 150_000n
const MOST_REPLACED = 16n
const LEAST_TIP_WEI = 2_000_000_000n
const MOST_DOUBLINGS = 24

/** What was sent under one nonce of one account. `isContested`: a node wants more for it. `heads`: the newest blocks of nodes, each time that it was sent. */
export type Sent = { nonce: bigint; fees: Fees; isContested: boolean; hash: Hex; heads: ReadonlySet<bigint> }

/** Sends the stop under the next nonce, in the place of whatever waits there, and again while it is not mined. */
export async function send(
  deps: StopUnderWay,
  views: readonly StopView[],
  stop: Stop,
  earlier: Map<bigint, Sent>,
  turn: number,
): Promise<Sent> {
  const { config, nodes } = deps
  const { signer, action } = stop
  const nonces = nextNonces(views, signer.address)
  const nonce = nonces[turn % nonces.length] ?? 0n
  const again = earlier.get(nonce)
  if (again !== undefined && !isBlockNew(views, again)) return again
  if (again === undefined) await requireAllowed(nodes, signer, action)
  // A node that knows less money than there is must not prevent the stop; one that knows more makes nodes refuse it.
  const balance = views.map(({ accounts }) => accounts[signer.address]?.balance ?? 0n).reduce(greatest, 0n)
  const ceiling = least(config.stopMaxFeePerGasWei, balance / STOP_GAS)
  const fees = again === undefined ? firstFees(views, ceiling) : raisedFees(again, ceiling)
  if (fees === undefined) throw new KeyActionUnpaidError(action.name, signer.address, balance)
  const call = { nonce, to: action.to, data: action.data, gas: STOP_GAS }
  const sent = { ...(await sendOver(deps, signer, call, fees, ceiling)), nonce, heads: headsWith(views, again) }
  earlier.set(nonce, sent)
  return sent
}

/**
 * Replaces what waits in the pools under the nonces of a key, from `from` after its next one, with nothing; again with each
 * block while it waits.
 */
export async function replace(
  deps: StopUnderWay,
  views: readonly StopView[],
  { signer, from = 0n }: { signer?: Signer; from?: bigint },
  replaced: Map<string, Sent>,
): Promise<void> {
  if (signer === undefined) return
  const { address } = signer
  const pending = views.map(({ accounts }) => accounts[address]?.pending ?? 0n).reduce(greatest, 0n)
  const first = nextNonce(views, address) + from
  const count = Number(least(greatest(pending - first, 0n), MOST_REPLACED))
  const ceiling = least(deps.config.stopMaxFeePerGasWei, middle(views, address, 'balance') / EMPTY_TRANSFER_GAS)
  const replaceOne = async (nonce: bigint) => {
    const again = replaced.get(`${address} ${nonce}`)
    const fees = again === undefined ? firstFees(views, ceiling) : raisedFees(again, ceiling)
    if (fees === undefined || (again !== undefined && !isBlockNew(views, again))) return
    const empty = { nonce, to: address, data: '0x', gas: EMPTY_TRANSFER_GAS } as const
    const sent = await sendOver(deps, signer, empty, fees, ceiling)
    replaced.set(`${address} ${nonce}`, { ...sent, nonce, heads: headsWith(views, again) })
  }
  await Promise.all(Array.from({ length: count }, (_, index) => replaceOne(first + BigInt(index))))
}

/** Whether any node has a block that none had before: one that stands still, however high, must not hide what the others see. */
function isBlockNew(views: readonly StopView[], { heads }: Sent): boolean {
  return views.some(({ head }) => !heads.has(head.number))
}

function headsWith(views: readonly StopView[], again: Sent | undefined): ReadonlySet<bigint> {
  return new Set([...(again?.heads ?? []), ...views.map(({ head }) => head.number)])
}

type Call = { nonce: bigint; to: Address; data: Hex; gas: bigint }

/** Sends a call; while most nodes have a dearer transaction with that nonce, or take none that is so cheap, again for twice as much, up to the ceiling. */
async function sendOver(
  { config, nodes, logger, deadline }: StopUnderWay,
  signer: Signer,
  call: Call,
  first: Fees,
  ceiling: bigint,
): Promise<Pick<Sent, 'hash' | 'fees' | 'isContested'>> {
  let fees = first
  for (let doubling = 0; ; doubling += 1) {
    // A process that was halted would stop, or undo, what others have decided since.
    if (performance.now() >= deadline)
      throw new KeyActionLateError('interrupted until after its time: nothing was sent')
    const { raw, hash } = await signedByKey(signer, { chainId: config.chainId, value: 0n, ...call, ...fees })
    const { verdict, text, isOutbid, isContested } = await broadcastToMost(nodes, raw)
    const fields = { chainId: config.chainId, signer: signer.address, nonce: String(call.nonce), txHash: hash }
    logger.info({ ...fields, verdict, answer: text }, 'transaction of the stop sent')
    if (!isOutbid || doubling === MOST_DOUBLINGS || fees.maxPriorityFeePerGas >= ceiling)
      return { hash, fees, isContested }
    fees = doubledFees(fees, ceiling)
  }
}

function doubledFees(fees: Fees, ceiling: bigint): Fees {
  const maxFeePerGas = least(2n * fees.maxFeePerGas, ceiling)
  return { maxFeePerGas, maxPriorityFeePerGas: least(2n * fees.maxPriorityFeePerGas, maxFeePerGas) }
}

/**
 * Room for the base fee to grow fourfold, and a tip well above what nodes suggest, as far as the ceiling allows; half of that is left for later blocks where the
 * base fee allows it, because pools take no higher tip for the same price. Of two base fees the higher
 * counts: one that is too high costs nothing, and a node that stands still may know one of long ago.
 */
function firstFees(views: readonly StopView[], ceiling: bigint): Fees | undefined {
  const [first, ...more] = views
  if (first === undefined) return undefined
  const baseFees = [first.head.baseFeePerGas, ...more.map(({ head }) => head.baseFeePerGas)] as const
  if (ceiling < lowerMedian(baseFees) || ceiling === 0n) return undefined
  const payable = baseFees.filter((fee) => fee <= ceiling).sort((a, b) => (a < b ? -1 : 1))
  const baseFee = payable[payable.length >> 1] ?? 0n
  const suggested = lowerMedian([first.tip, ...more.map(({ tip }) => tip)])
  const tip = greatest(2n * suggested, LEAST_TIP_WEI)
  const room = greatest(ceiling / 2n, baseFee + baseFee / 8n + tip)
  const maxFeePerGas = least(least(4n * baseFee + tip, room), ceiling)
  return { maxFeePerGas, maxPriorityFeePerGas: least(tip, maxFeePerGas) }
}

/**
 * More than before, with twice the tip, or the same at the ceiling: what a node has lost is sent to it again. Twice as much in all where a node wanted more, although others took it or
 * said nothing, and no block has it since.
 */
function raisedFees({ fees, isContested }: Sent, ceiling: bigint): Fees {
  // Also of the tip alone, where nothing is left for the rest: what waits may be all tip.
  const hasRoom = fees.maxFeePerGas <= ceiling && fees.maxPriorityFeePerGas < ceiling
  if (isContested && hasRoom) return doubledFees(fees, ceiling)
  const raised = bumpedFees(fees, undefined, ceiling)
  if (raised === undefined) return fees
  // Whoever fills blocks does it by tips.
  return { ...raised, maxPriorityFeePerGas: least(2n * fees.maxPriorityFeePerGas, raised.maxFeePerGas) }
}

/** @throws KeyActionRefusedError when every node that can tell says that the call would be refused */
async function requireAllowed(nodes: readonly RpcNode[], signer: Signer, { name, to, data }: KeyAction): Promise<void> {
  const call = { from: signer.address, to, data }
  const answers = await Promise.allSettled(nodes.map((node) => readGasEstimate(node, call)))
  const told = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? ['allowed'] : (revertName(answer.reason) ?? []),
  )
  const refusal = 'AccessControlUnauthorizedAccount'
  if (told.length > 0 && told.every((each) => each === refusal)) throw new KeyActionRefusedError(name, refusal)
}
