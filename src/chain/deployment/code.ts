/** Checks that the code that runs is the code of this version. */
import { type Address, concat, getAddress, type Hex, keccak256, pad, size, slice } from 'viem'
import { coinRuntime } from '../generated/coin.ts'
import { proxyRuntime } from '../generated/proxy.ts'
import { settlementRuntime } from '../generated/settlement.ts'
import type { RpcNode } from '../node.ts'
import { type BlockRef, readCode, readSlot } from '../reads.ts'

/** What identifies the code that runs; each immutable counts as 32 zero bytes at its offset. */
export type RuntimeCode = { hash: Hex; size: number; immutableOffsets: readonly number[] }

/** Where a proxy keeps the address of its implementation (ERC-1967). */
const IMPLEMENTATION_SLOT: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

const WORD = 32

/**
 * Compares both proxies and their implementations with the compiled code of this version.
 * @returns one sentence for each difference
 * @throws RpcAnswerError, RpcUnreachableError
 */
export async function findCodeProblems(node: RpcNode, coin: Address, settlement: Address): Promise<string[]> {
  const found = await Promise.all([
    problemsOf(node, 'Coin', coin, coinRuntime),
    problemsOf(node, 'Settlement', settlement, settlementRuntime),
  ])
  return found.flat()
}

async function problemsOf(node: RpcNode, name: string, proxy: Address, runtime: RuntimeCode): Promise<string[]> {
  if (!isCode(await readCode(node, proxy), proxyRuntime, proxy))
    return [`${name}: ${proxy} is not the proxy that was deployed.`]
  const implementation = await readImplementation(node, proxy)
  const code = await readCode(node, implementation)
  return isCode(code, runtime, implementation)
    ? []
    : [`${name}: the implementation at ${implementation} is not the code of this version.`]
}

/** The contract that a proxy runs. */
export async function readImplementation(node: RpcNode, proxy: Address, block: BlockRef = 'latest'): Promise<Address> {
  return getAddress(slice(pad(await readSlot(node, proxy, IMPLEMENTATION_SLOT, block)), 12))
}

/** Whether code is as compiled. Our only immutable is an implementation's own address. */
export function isCode(code: Hex, runtime: RuntimeCode, address: Address): boolean {
  if (size(code) !== runtime.size) return false
  const self = pad(address).toLowerCase()
  const parts: Hex[] = []
  let end = 0
  for (const offset of runtime.immutableOffsets) {
    if (slice(code, offset, offset + WORD).toLowerCase() !== self) return false
    if (offset > end) parts.push(slice(code, end, offset))
    parts.push(pad('0x', { size: WORD }))
    end = offset + WORD
  }
  if (end < runtime.size) parts.push(slice(code, end))
  return keccak256(concat(parts)) === runtime.hash
}
