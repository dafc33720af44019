/** What an honest node says whose newest block is this one: JSON-RPC methods as settlement asks them. */
import { type Abi, type Address, encodeFunctionResult, getAddress, type Hex, hexToBigInt, numberToHex, pad } from 'viem'
import { decodeCall } from '../../src/chain/call-data.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { decodeSettle } from '../../src/chain/instructions.ts'
import { RpcAnswerError } from '../../src/chain/node.ts'
import { type ModelBlock, type Receipt, settleGas } from './blocks.ts'
import { accountOf, availableIn, copyOf, execute, Reverted, settle, walletOf } from './contracts.ts'

const NO_DIGEST = pad('0x', { size: 24 })
const isAt = (address: Address, contract: Address) => address.toLowerCase() === contract.toLowerCase()

/** The oldest block first, the node's newest last. */
export type View = { label: string; branch: readonly ModelBlock[]; finalized: bigint; isPruned: boolean }

export const refuse = (label: string, message: string, data?: unknown) =>
  new RpcAnswerError(label, data === undefined ? -32_000 : 3, message, data)

/** The block that a request names. */
export function blockOf({ label, branch }: View, reference: unknown): ModelBlock {
  const newest = branch.at(-1) as ModelBlock
  if (reference === 'latest' || reference === 'pending' || reference === undefined) return newest
  const found =
    typeof reference === 'string'
      ? branch[Number(hexToBigInt(reference as Hex))]
      : branch.findLast(({ hash }) => hash === (reference as { blockHash: Hex }).blockHash)
  if (found === undefined) throw refuse(label, 'hash is not currently canonical')
  return found
}

/** A node without an archive has the state of the newest blocks alone. */
const KEPT = 8n
function stateAt(view: View, reference: unknown): ModelBlock {
  const block = blockOf(view, reference)
  const newest = view.branch.at(-1) as ModelBlock
  if (view.isPruned && newest.number - block.number > KEPT) throw refuse(view.label, 'missing trie node')
  return block
}

function shownBlock(block: ModelBlock, isFull: boolean) {
  const { number, hash, parentHash, timestamp, gasLimit, baseFee, receipts } = block
  const transactions = receipts.map(({ transaction: { hash: own, from, to, nonce, data } }) =>
    isFull ? { hash: own, from, to, nonce: numberToHex(nonce), input: data } : own,
  )
  const quantities = { number, timestamp, gasLimit, baseFeePerGas: baseFee }
  const shown = Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, numberToHex(value)]))
  return { ...shown, hash, parentHash, transactions }
}

export function shownReceipt({ block, receipt }: { block: ModelBlock; receipt: Receipt }) {
  const { transaction, succeeded, gasUsed, logs } = receipt
  return {
    transactionHash: transaction.hash,
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    status: succeeded ? '0x1' : '0x0',
    gasUsed: numberToHex(gasUsed),
    logs,
  }
}

export function answer(view: View, method: string, params: readonly unknown[]): unknown {
  const newest = view.branch.at(-1) as ModelBlock
  switch (method) {
    case 'eth_getBlockByNumber': {
      const [tag, isFull] = params as [Hex | 'latest' | 'finalized', boolean]
      if (tag === 'finalized') return shownBlock(view.branch[Number(view.finalized)] ?? newest, isFull)
      const found = tag === 'latest' ? newest : view.branch[Number(hexToBigInt(tag))]
      return found === undefined ? null : shownBlock(found, isFull)
    }
    case 'eth_getTransactionCount':
      return numberToHex(accountOf(stateAt(view, params[1]).state, params[0] as string).nonce)
    case 'eth_getBalance':
      return numberToHex(accountOf(stateAt(view, params[1]).state, params[0] as string).wei)
    case 'eth_call': {
      const { to, data } = params[0] as { to?: Address; data: Hex }
      if (to === undefined) throw refuse(view.label, 'contract creation is not allowed')
      return called(to, data, stateAt(view, params[1]), view.label)
    }
    case 'eth_estimateGas':
      return numberToHex(estimate(params[0] as Call, newest, view.label))
    case 'eth_maxPriorityFeePerGas':
      return numberToHex(1_000_000_000n)
    case 'eth_getStorageAt':
      return pad(isAt(params[0] as Address, newest.state.coin) ? '0x01' : '0x02', { size: 32 })
    case 'eth_getLogs':
      return []
    default:
      throw new Error(`the model knows no ${method}`)
  }
}

type Call = { from: Address; to: Address; data: Hex }

function estimate({ from, to, data }: Call, block: ModelBlock, label: string): bigint {
  const next = { number: block.number + 1n, timestamp: block.timestamp + 2n }
  try {
    if (isAt(to, block.state.settlement)) {
      const call = decodeSettle(data)
      if (call === undefined) throw refuse(label, 'execution reverted', '0x')
      settle(copyOf(block.state), { sender: from, ...call }, next)
      return settleGas(call.packed)
    }
    const { functionName, args } = decodeCall(coinAbi, data)
    if (functionName !== 'execute') throw refuse(label, 'execution reverted', '0x')
    execute(copyOf(block.state), args[0])
    return settleGas(args[0])
  } catch (error) {
    if (error instanceof Reverted) throw refuse(label, error.message, error.data)
    throw error
  }
}

function called(to: Address, data: Hex, block: ModelBlock, label: string): Hex {
  const { state } = block
  const isCoin = isAt(to, state.coin)
  const abi = (isCoin ? coinAbi : settlementAbi) as Abi
  const { functionName, args = [] } = decodeCall(abi, data)
  const result = seenOf(functionName, args, block, isCoin)
  if (result === undefined) throw refuse(label, `the model knows no ${functionName} of ${state.lastBatchId}`)
  return encodeFunctionResult({ abi, functionName, result } as never)
}

function seenOf(name: string, args: readonly unknown[], block: ModelBlock, isCoin: boolean): unknown {
  const { state } = block
  const bucket = state.buckets[Number(args[0] ?? 0)] ?? state.buckets[0]
  const wallet = () => walletOf(state, args[0] as string)
  switch (name) {
    case 'head':
      return [state.lastBatchId, state.runningHash]
    case 'outcomeOf': {
      const record = state.records.get(args[0] as bigint)
      return [record !== undefined, record?.bitmap ?? 0n, record?.digest ?? NO_DIGEST, record?.block ?? 0n]
    }
    case 'totalSupply':
      return state.supply
    case 'balanceOf':
      return wallet().micro
    case 'isFrozen':
      return wallet().isFrozen
    case 'isLinkedTo':
      return wallet().isLinked
    case 'paused':
      return isCoin ? state.isCoinPaused : state.isSettlementPaused
    case 'availableOf':
      return availableIn(bucket, block)
    case 'limitOf':
      return { capacity: bucket.capacity, refillPerSecond: bucket.refill }
    case 'ceilingOf':
      return { capacity: 10n ** 18n, refillPerSecond: 10n ** 18n }
    case 'getRoleMembers': {
      const isSigner = !isCoin && args[0] === ROLE_IDS.signer
      return isSigner ? [...state.signers].map((each) => getAddress(each)) : []
    }
    case 'coin':
      return state.coin
    default:
      return undefined
  }
}
