/** Single reads of one node: each function asks once and checks the shape of what comes back. */
import { type Abi, type Address, decodeFunctionResult, type Hex, numberToHex } from 'viem'
import { encodeCall } from './call-data.ts'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import { hexOf, quantityOf, wordOf } from './words.ts'

/** The parts of a block that settlement needs. */
export type BlockHead = {
  number: bigint
  hash: Hex
  parentHash: Hex
  timestamp: bigint
  gasLimit: bigint
  baseFeePerGas: bigint
}

/** A block by tag, number, or hash: by hash (EIP-1898) a read fails instead of answering for another branch. */
export type BlockRef = 'latest' | 'pending' | bigint | { blockHash: Hex }

/** The JSON-RPC form of a block reference. */
function blockParam(block: BlockRef): unknown {
  if (typeof block === 'bigint') return numberToHex(block)
  return typeof block === 'string' ? block : { blockHash: block.blockHash, requireCanonical: true }
}

/** The newest block, or the newest that can never be reorganised away, as far as the chain knows such a thing. */
export type HeadTag = 'latest' | 'finalized'

/**
 * The block at a height, or the newest; undefined when the node has no such block.
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function readBlock(node: RpcNode, block: HeadTag | bigint): Promise<BlockHead | undefined> {
  const tag = typeof block === 'bigint' ? blockParam(block) : block
  const raw = await node.request('eth_getBlockByNumber', [tag, false])
  if (raw === null) return undefined
  const { number, hash, parentHash, timestamp, gasLimit, baseFeePerGas } = raw as Record<string, unknown>
  return {
    number: quantityOf(node, number),
    hash: wordOf(node, hash),
    parentHash: wordOf(node, parentHash),
    timestamp: quantityOf(node, timestamp),
    gasLimit: quantityOf(node, gasLimit),
    baseFeePerGas: baseFeePerGas === undefined || baseFeePerGas === null ? 0n : quantityOf(node, baseFeePerGas),
  }
}

/** The number of transactions that an account had sent as of a block, which is its next nonce there. */
export async function readNonce(node: RpcNode, address: Address, block: BlockRef): Promise<bigint> {
  return quantityOf(node, await node.request('eth_getTransactionCount', [address, blockParam(block)]))
}

/** An account's native balance in wei. */
export async function readGasBalance(node: RpcNode, address: Address): Promise<bigint> {
  return quantityOf(node, await node.request('eth_getBalance', [address, 'latest']))
}

/** A quantity-valued method without parameters, e.g. `eth_chainId`. */
export async function readQuantity(node: RpcNode, method: string, timeoutMs?: number): Promise<bigint> {
  return quantityOf(node, await node.request(method, [], timeoutMs))
}

export type CallRequest = { from?: Address; to: Address; data: Hex }

/** `eth_call`; returns the raw result. */
export async function readCall(node: RpcNode, call: CallRequest, block: BlockRef): Promise<Hex> {
  return hexOf(node, await node.request('eth_call', [call, blockParam(block)]))
}

/** What code returns that is executed once, as if it were to make a contract; none is made. */
export async function readExecuted(node: RpcNode, code: Hex, block: BlockRef): Promise<Hex> {
  return hexOf(node, await node.request('eth_call', [{ data: code }, blockParam(block)]))
}

/** The code of an account at the newest block; `0x` when it has none. */
export async function readCode(node: RpcNode, address: Address): Promise<Hex> {
  return hexOf(node, await node.request('eth_getCode', [address, 'latest']))
}

/** A word of an account's storage. */
export async function readSlot(node: RpcNode, address: Address, slot: Hex, block: BlockRef): Promise<Hex> {
  return hexOf(node, await node.request('eth_getStorageAt', [address, slot, blockParam(block)]))
}

/** `eth_estimateGas` at the newest block, which also shows whether the call would revert. */
export async function readGasEstimate(node: RpcNode, call: CallRequest): Promise<bigint> {
  return quantityOf(node, await node.request('eth_estimateGas', [call, 'latest'], 10_000))
}

/** Reads one view function of a contract. */
export async function readView(
  node: RpcNode,
  view: { address: Address; abi: Abi; functionName: string; args?: readonly unknown[] },
  block: BlockRef = 'latest',
): Promise<unknown> {
  const { address, abi, functionName, args = [] } = view
  const data = encodeCall(abi, functionName, args)
  const result = await readCall(node, { to: address, data }, block)
  try {
    return decodeFunctionResult({ abi, functionName, args, data: result })
  } catch {
    throw new RpcUnreachableError(`${node.label}: ${functionName}: no contract of ours answers at ${address}`)
  }
}
