/**
 * The emergency stop of a chain. It needs neither the database nor a quorum: any node that answers is used, all of them
 * at once. What waits in the pools from the keys that could undo it is replaced first, and it is reported only when
 * most of the nodes that answer show it, at full depth, with nothing waiting any more that could undo it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { answersOf, estimateOf, lowerMedian, valuesOf } from './answers.ts'
import { broadcast } from './broadcast.ts'
import { bumpedFees, type Fees } from './fees.ts'
import { type KeyAction, KeyActionLateError, KeyActionRefusedError, KeyActionUnpaidError } from './key-action.ts'
import type { RpcNode } from './node.ts'
import { readGasEstimate } from './reads.ts'
import { revertName } from './settlement-reads.ts'
import type { Signer } from './signer.ts'
import { type Account, readStopView, type StopView } from './stop-view.ts'

export type StopDeps = {
  config: ChainConfig
  nodes: readonly RpcNode[]
  logger: Logger
  deadlineMs?: number
}

/** `rivals`: accounts that can undo the stop, with their keys where this process has them. */
export type Stop = { signer: Signer; action: KeyAction; rivals: readonly { address: Address; signer?: Signer }[] }

/** More than either contract's `pause` uses. */
export const STOP_GAS = 150_000n
const EMPTY_TRANSFER_GAS = 21_000n
const MOST_REPLACED = 16n
const DEADLINE_MS = 180_000
const POLL_MS = 500
const LEAST_TIP_WEI = 2_000_000_000n
const MOST_DOUBLINGS = 12
/** Nobody waits longer for a node while a chain is to be stopped. */
const PATIENCE_MS = 2_000
/** A node so many blocks behind the others says nothing about what waits. */
const STALE_BLOCKS = 2n

/** What was sent under one nonce of one account. */
type Sent = { nonce: bigint; fees: Fees; hash: Hex; atBlock: bigint }

/**
 * Stops what the action stops, unless it is stopped already.
 * @returns the hash of the last transaction sent for it, or undefined when none was needed
 * @throws KeyActionRefusedError when the key lacks its role; KeyActionUnpaidError when it cannot pay; KeyActionLateError
 */
export async function performStop(given: StopDeps, stop: Stop): Promise<Hex | undefined> {
  const { config, logger, deadlineMs = DEADLINE_MS } = given
  const nodes = given.nodes.map(impatient)
  const deps = { ...given, nodes }
  const accounts = [stop.signer, ...stop.rivals].map(({ address }) => address)
  const request = { action: stop.action, accounts, confirmations: config.confirmations }
  const deadline = Date.now() + deadlineMs
  const replaced = new Map<string, Sent>()
  let sent: Sent | undefined
  let why = 'no node answers'
  while (Date.now() < deadline) {
    const views = (await answersOf(nodes, (node) => readStopView(node, request))).flatMap((answer) =>
      'value' in answer ? [answer.value] : [],
    )
    if (views.length > 0) {
      const waiting = rivalsWaiting(views, stop)
      if (mostOf(views, ({ isDeep }) => isDeep) && waiting.length === 0) return sent?.hash
      const isShown = mostOf(views, (view) => view.isShown)
      // The stop itself takes the place of what waits under the next nonce of its key.
      const own = { signer: stop.signer, from: isShown ? 0n : 1n }
      const others = waiting.filter(({ address }) => address !== stop.signer.address)
      const replacing = [own, ...others].map((rival) => replace(deps, views, rival, replaced))
      if (!isShown) sent = await send(deps, views, stop, sent)
      await Promise.all(replacing)
      why = reasonOf(views, waiting)
      logger.info({ chainId: config.chainId, action: stop.action.name, txHash: sent?.hash, why }, 'stopping')
    }
    await sleep(Math.min(config.pollIntervalMs, POLL_MS))
  }
  throw new KeyActionLateError(`${stop.action.name}: ${why}; run it again to see it through`)
}

function impatient(node: RpcNode): RpcNode {
  return {
    ...node,
    request: (method, params, timeoutMs = PATIENCE_MS) =>
      node.request(method, params, Math.min(timeoutMs, PATIENCE_MS)),
  }
}

function mostOf(views: readonly StopView[], says: (view: StopView) => boolean): boolean {
  return 2 * views.filter(says).length > views.length
}

/** Rivals with transactions that some node still has in its pool. */
function rivalsWaiting(views: readonly StopView[], { rivals }: Stop): { signer?: Signer; address: Address }[] {
  const newest = views.map(({ head }) => head.number).reduce(greatest, 0n)
  const fresh = views.filter(({ head }) => head.number + STALE_BLOCKS >= newest)
  return rivals.filter(({ address }) => fresh.some(({ accounts }) => isWaiting(accounts[address])))
}

function isWaiting(account: Account | undefined): boolean {
  return account !== undefined && account.pending > account.latest
}

function reasonOf(views: readonly StopView[], waiting: readonly { address: Address }[]): string {
  if (!mostOf(views, ({ isShown }) => isShown)) return 'not stopped yet'
  if (waiting.length === 0) return 'stopped, but not at full depth yet'
  const names = waiting.map(({ address }) => address).join(', ')
  return `stopped, but a transaction of ${names} waits in the pool and may undo it`
}

/** Sends the stop under the next nonce, in the place of whatever waits there, and again while it is not mined. */
async function send(deps: StopDeps, views: readonly StopView[], stop: Stop, previous: Sent | undefined): Promise<Sent> {
  const { config, nodes } = deps
  const { signer, action } = stop
  const nonce = nextNonce(views, signer.address)
  const again = previous?.nonce === nonce ? previous : undefined
  const [head] = views.map((view) => view.head).sort((a, b) => (a.number < b.number ? 1 : -1))
  if (head === undefined || (again !== undefined && head.number === again.atBlock)) return again as Sent
  if (again === undefined) await requireAllowed(nodes, signer, action)
  const balance = middle(views, signer.address, 'balance')
  const ceiling = least(config.stopMaxFeePerGasWei, balance / STOP_GAS)
  const fees = again === undefined ? firstFees(views, ceiling) : bumpedFees(again.fees, undefined, ceiling)
  if (again !== undefined && fees === undefined) return again
  if (fees === undefined) throw new KeyActionUnpaidError(action.name, signer.address, balance)
  const call = { nonce, to: action.to, data: action.data, gas: STOP_GAS }
  return { ...(await sendOver(deps, signer, call, fees, ceiling)), nonce, atBlock: head.number }
}

/** Replaces what waits in the pools under the nonces of a key, from `from` after its next one, with nothing. */
async function replace(
  deps: StopDeps,
  views: readonly StopView[],
  { signer, from = 0n }: { signer?: Signer; from?: bigint },
  replaced: Map<string, Sent>,
): Promise<void> {
  if (signer === undefined) return
  const { address } = signer
  const pending = views.map(({ accounts }) => accounts[address]?.pending ?? 0n).reduce(greatest, 0n)
  const first = nextNonce(views, address) + from
  const ceiling = least(deps.config.stopMaxFeePerGasWei, middle(views, address, 'balance') / EMPTY_TRANSFER_GAS)
  const fees = firstFees(views, ceiling)
  if (fees === undefined) return
  for (let nonce = first; nonce < pending && nonce < first + MOST_REPLACED; nonce += 1n) {
    const key = `${address} ${nonce}`
    if (replaced.has(key)) continue
    const empty = { nonce, to: address, data: '0x', gas: EMPTY_TRANSFER_GAS } as const
    replaced.set(key, { ...(await sendOver(deps, signer, empty, fees, ceiling)), nonce, atBlock: 0n })
  }
}

type Call = { nonce: bigint; to: Address; data: Hex; gas: bigint }

/** Sends a call; while nodes have a dearer transaction with that nonce, again for twice as much. */
async function sendOver(
  { config, nodes, logger }: StopDeps,
  signer: Signer,
  call: Call,
  first: Fees,
  ceiling: bigint,
): Promise<{ hash: Hex; fees: Fees }> {
  let fees = first
  for (let doubling = 0; ; doubling += 1) {
    const { raw, hash } = await signer.sign({ chainId: config.chainId, value: 0n, ...call, ...fees })
    const { verdict, text } = await broadcast(nodes, raw)
    const fields = { chainId: config.chainId, signer: signer.address, nonce: String(call.nonce), txHash: hash }
    logger.info({ ...fields, verdict, answer: text }, 'transaction of the stop sent')
    const isOutbid = verdict !== 'accepted' && /underpriced|replace/i.test(text)
    if (!isOutbid || doubling === MOST_DOUBLINGS || 2n * fees.maxFeePerGas > ceiling) return { hash, fees }
    fees = { maxFeePerGas: 2n * fees.maxFeePerGas, maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas }
  }
}

/** Room for the base fee to grow fourfold, and a tip well above what nodes suggest, as far as the ceiling allows. */
function firstFees(views: readonly StopView[], ceiling: bigint): Fees | undefined {
  const [first, ...more] = views
  if (first === undefined) return undefined
  const baseFee = lowerMedian([first.head.baseFeePerGas, ...more.map(({ head }) => head.baseFeePerGas)])
  const suggested = lowerMedian([first.tip, ...more.map(({ tip }) => tip)])
  const tip = greatest(2n * suggested, LEAST_TIP_WEI)
  if (ceiling < baseFee || ceiling === 0n) return undefined
  const maxFeePerGas = least(4n * baseFee + tip, ceiling)
  return { maxFeePerGas, maxPriorityFeePerGas: least(tip, maxFeePerGas) }
}

/** @throws KeyActionRefusedError when most nodes say that the call would be refused */
async function requireAllowed(nodes: readonly RpcNode[], signer: Signer, { name, to, data }: KeyAction): Promise<void> {
  try {
    await estimateOf(nodes, (node) => readGasEstimate(node, { from: signer.address, to, data }))
  } catch (error) {
    const reason = revertName(error)
    if (reason === 'AccessControlUnauthorizedAccount') throw new KeyActionRefusedError(name, reason)
  }
}

function nextNonce(views: readonly StopView[], address: Address): bigint {
  return middle(views, address, 'latest')
}

function middle(views: readonly StopView[], address: Address, field: keyof Account): bigint {
  return lowerMedian(valuesOf(views.map(({ accounts }) => ({ value: accounts[address]?.[field] ?? 0n }))))
}

function greatest(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
