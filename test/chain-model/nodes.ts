/** The nodes of the model: each has a pool of its own, and lags, fails and lies by itself. */
import { encodeFunctionResult, type Hex, hexToBigInt, keccak256, numberToHex, toFunctionSelector, toHex } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { type RpcNode, RpcUnreachableError } from '../../src/chain/node.ts'
import { answer, refuse, shownReceipt, type View } from './answers.ts'
import { type Blocks, MODEL_CHAIN_ID, type ModelBlock, readSigned, type Transaction } from './blocks.ts'
import { accountOf } from './contracts.ts'

/** What a node does with signed bytes. Of the last five it takes none. */
export type BroadcastWay =
  | 'takes'
  | 'takes and does not answer'
  | 'swallows'
  | 'does not answer'
  | 'already known'
  | 'nonce too low'
  | 'replacement transaction underpriced'
  | 'insufficient funds for gas * price + value'
  | 'internal error'

/** All that can be wrong with a node; what is left out is right. */
export type Fault = {
  isDown?: boolean
  /** Its newest block is so many blocks old. */
  lag?: number
  /** It stays on a branch that the chain has left. */
  branch?: ModelBlock
  broadcast?: BroadcastWay
  receipts?: 'none' | 'of dead branches'
  /** So many more transactions of each account than there are. */
  nonceOff?: bigint
  chainId?: number
  /** About outcomes of batches. */
  outcomes?: 'unsettled' | 'all failed' | 'all succeeded' | 'of another digest'
  /** A block above the newest one that nobody made. */
  inventsHead?: boolean
  refuses?: readonly string[]
  /** Of methods, once in so many calls. */
  failsOneIn?: number
  tip?: bigint
  estimates?: 'revert' | 'low' | 'high'
  isPoor?: boolean
  isPruned?: boolean
  takesOnlyMineable?: boolean
}

/** `seen`: whatever it was ever asked to send, for whoever wants to send it again. */
export type ModelNode = RpcNode & {
  pool: Map<string, Transaction>
  fault: Fault
  asked: Map<string, number>
  seen: Map<Hex, Transaction>
}

export const keyOf = ({ from, nonce }: Transaction) => `${from.toLowerCase()}/${nonce}`
const isDearer = (one: Transaction, than: Transaction) =>
  10n * one.maxFee >= 11n * than.maxFee && 10n * one.tip >= 11n * than.tip

/** @param finalized the newest block that can never be taken back, as far as nodes know */
export function createNode(label: string, blocks: Blocks, finalized: () => bigint): ModelNode {
  const pool = new Map<string, Transaction>()
  const asked = new Map<string, number>()
  let calls = 0
  const seen = new Map<Hex, Transaction>()
  const node: ModelNode = { label, pool, asked, seen, fault: {}, request }

  function view(): View {
    const { branch, lag = 0, isPruned = false } = node.fault
    const all = branch === undefined ? blocks.all() : blocks.branchOf(branch)
    const seen = lag === 0 ? all : all.slice(0, Math.max(all.length - lag, 1))
    return { label, branch: seen, finalized: finalized(), isPruned }
  }

  async function take(raw: Hex): Promise<Hex> {
    const { broadcast = 'takes', takesOnlyMineable = false } = node.fault
    if (broadcast === 'does not answer') throw new RpcUnreachableError(`${label}: no answer within 10000 ms`)
    const transaction = await readSigned(raw)
    seen.set(transaction.hash, transaction)
    if (broadcast === 'swallows') return transaction.hash
    if (broadcast !== 'takes' && broadcast !== 'takes and does not answer') throw refuse(label, broadcast)
    const problem = problemOf(transaction, takesOnlyMineable)
    if (problem !== undefined) throw refuse(label, problem)
    pool.set(keyOf(transaction), transaction)
    if (broadcast === 'takes') return transaction.hash
    throw new RpcUnreachableError(`${label}: no answer within 10000 ms`)
  }

  function problemOf(transaction: Transaction & { chainId: number }, onlyMineable: boolean): string | undefined {
    const newest = view().branch.at(-1) as ModelBlock
    const { nonce, wei } = accountOf(newest.state, transaction.from)
    const before = pool.get(keyOf(transaction))
    if (transaction.chainId !== MODEL_CHAIN_ID) return 'invalid chain id for signer'
    if (transaction.nonce < nonce) return 'nonce too low'
    if (before?.hash === transaction.hash) return 'already known'
    if (transaction.gas > newest.gasLimit) return 'exceeds block gas limit'
    if (onlyMineable && transaction.maxFee < newest.baseFee) return 'max fee per gas less than block base fee'
    if (wei < transaction.gas * transaction.maxFee) return 'insufficient funds for gas * price + value'
    return before === undefined || isDearer(transaction, before) ? undefined : 'replacement transaction underpriced'
  }

  async function request(method: string, params: readonly unknown[]): Promise<unknown> {
    const { fault } = node
    calls += 1
    asked.set(method, (asked.get(method) ?? 0) + 1)
    if (fault.isDown || (fault.failsOneIn !== undefined && calls % fault.failsOneIn === 0))
      throw new RpcUnreachableError(`${label}: ${method}: no answer within 5000 ms`)
    if (fault.refuses?.includes(method)) throw refuse(label, 'the method does not exist')
    if (method === 'eth_chainId') return numberToHex(fault.chainId ?? MODEL_CHAIN_ID)
    if (method === 'eth_sendRawTransaction') return await take(params[0] as Hex)
    const lie = lieOf(fault, method, params)
    if (lie !== undefined) return lie()
    if (method === 'eth_getTransactionReceipt') {
      const found = blocks.findReceipt(params[0] as Hex, view().branch)
      return found === undefined ? null : shownReceipt(found)
    }
    return answer(view(), method, params)
  }

  /** How it says something else than it should about this; undefined where it does not. */
  function lieOf(fault: Fault, method: string, params: readonly unknown[]): (() => unknown) | undefined {
    switch (method) {
      case 'eth_getTransactionReceipt': {
        if (fault.receipts === 'none') return () => null
        const dead = fault.receipts === undefined ? undefined : blocks.findDead(params[0] as Hex)
        return dead && (() => shownReceipt(dead))
      }
      case 'eth_getTransactionCount': {
        const { nonceOff = 0n } = fault
        return nonceOff === 0n
          ? undefined
          : () => numberToHex(positive(hexToBigInt(answer(view(), method, params) as Hex) + nonceOff))
      }
      case 'eth_getBlockByNumber':
        return fault.inventsHead && params[0] === 'latest' ? () => invented() : undefined
      case 'eth_call':
        return fault.outcomes && lieAboutOutcome(fault.outcomes, params)
      case 'eth_maxPriorityFeePerGas':
        return fault.tip === undefined ? undefined : () => numberToHex(fault.tip as bigint)
      case 'eth_estimateGas':
        if (fault.estimates === 'revert') throw refuse(label, 'execution reverted', '0x')
        return fault.estimates && (() => (fault.estimates === 'low' ? '0x5208' : '0x1000000'))
      case 'eth_getBalance':
        return fault.isPoor ? () => '0x0' : undefined
      default:
        return undefined
    }
  }

  function invented() {
    const shown = answer(view(), 'eth_getBlockByNumber', ['latest', false]) as Record<string, Hex>
    const number = hexToBigInt(shown.number as Hex) + 1n
    return { ...shown, number: numberToHex(number), parentHash: shown.hash, hash: keccak256(toHex(`no ${number}`)) }
  }

  function lieAboutOutcome(how: NonNullable<Fault['outcomes']>, params: readonly unknown[]) {
    const { data } = params[0] as { data: Hex }
    if (!data.startsWith(OUTCOME_OF)) return undefined
    return () => {
      const honest = answer(view(), 'eth_call', params) as Hex
      const isSettled = honest.slice(2, 66).endsWith('1')
      const [bitmap, digest, block] = [66, 130, 194].map((from) => `0x${honest.slice(from, from + 64)}` as Hex)
      const lies = {
        unsettled: [false, 0n, `0x${'00'.repeat(24)}`, 0n],
        'all failed': [isSettled, 0n, digest?.slice(0, 50), hexToBigInt(block as Hex)],
        'all succeeded': [isSettled, isSettled ? (1n << 8n) - 1n : 0n, digest?.slice(0, 50), hexToBigInt(block as Hex)],
        'of another digest': [
          isSettled,
          hexToBigInt(bitmap as Hex),
          keccak256(digest as Hex).slice(0, 50),
          hexToBigInt(block as Hex),
        ],
      }
      return encodeFunctionResult({ abi: settlementAbi, functionName: 'outcomeOf', result: lies[how] as never })
    }
  }

  return node
}

const OUTCOME_OF = toFunctionSelector('outcomeOf(uint256)')
const positive = (value: bigint) => (value < 0n ? 0n : value)

/** What every pool together has, the dearest of each nonce. */
export function poolsOf(nodes: readonly ModelNode[]): Transaction[] {
  const all = new Map<string, Transaction>()
  for (const { pool } of nodes) {
    for (const [key, transaction] of pool) {
      const other = all.get(key)
      if (other === undefined || transaction.tip > other.tip) all.set(key, transaction)
    }
  }
  return [...all.values()]
}

/** Forgets what no block can have any more. */
export function sweep(nodes: readonly ModelNode[], { state }: ModelBlock): void {
  for (const { pool } of nodes)
    for (const [key, { from, nonce }] of pool) if (nonce < accountOf(state, from).nonce) pool.delete(key)
}
