/** The gas money of every key, and whether it is enough for what the key is for. */
import type { Address } from 'viem'
import type { ChainConfig } from '../config/types.ts'
import { medianOf } from './answers.ts'
import type { KeyName } from './key-calls.ts'
import type { RpcNode } from './node.ts'
import { readGasBalance } from './reads.ts'
import type { Signer } from './signer.ts'
import { STOP_GAS } from './stop-send.ts'

/** `balanceWei` is of the native currency; `neededWei`: what the dearest use of the key costs; `isLow` when it has less. */
export type KeyGas = {
  name: 'signer' | KeyName
  address: Address
  balanceWei: bigint
  neededWei?: bigint
  isLow: boolean
}

/** What is counted of it. */
export type KeyMetrics = {
  gas(chainId: number, key: Pick<KeyGas, 'name' | 'address'>, balanceWei: bigint): void
  isLow(chainId: number, key: Pick<KeyGas, 'name' | 'address'>, low: boolean): void
  /** Nothing is known of the keys of a chain any more. */
  forget(chainId: number): void
}

/** What a whole batch asks for at most, and more than a call of an operator's key uses. */
const BATCH_GAS = 9_000_000n
const CALL_GAS = 200_000n

/** What a key must be able to pay: a stop costs up to its own ceiling. */
export function neededWei(
  name: KeyGas['name'],
  { maxFeePerGasWei, stopMaxFeePerGasWei }: Pick<ChainConfig, 'maxFeePerGasWei' | 'stopMaxFeePerGasWei'>,
): bigint {
  if (name === 'pauser') return STOP_GAS * stopMaxFeePerGasWei
  return (name === 'signer' ? BATCH_GAS : CALL_GAS) * maxFeePerGasWei
}

/** Reads the gas money of all given keys. @throws NoQuorumError when no node answers */
export async function readKeyGas(
  config: ChainConfig,
  nodes: readonly RpcNode[],
  keys: readonly (readonly [KeyGas['name'], Signer | undefined])[],
): Promise<KeyGas[]> {
  const present = keys.flatMap(([name, key]) => (key === undefined ? [] : [{ name, address: key.address }]))
  return await Promise.all(
    present.map(async ({ name, address }) => {
      const balanceWei = await medianOf(nodes, (node) => readGasBalance(node, address))
      const needed = neededWei(name, config)
      return { name, address, balanceWei, neededWei: needed, isLow: balanceWei < needed }
    }),
  )
}
