/** Several chains with full-sized blocks, each with its contracts, a signer, another one standing by, and wallets that can be debited. */
import { getAddress } from 'viem'
import { type Chain, connectChain } from '../../../src/chain/chain.ts'
import type { Database } from '../../../src/db/database.ts'
import { deployChain, keyOf, linkOf, rpc, silent, wallet } from '../../../test/settlement/fixture.ts'
import { type Anvil, startAnvil } from '../../../test/support/anvil.ts'

export const BLOCK_GAS = 30_000_000n
export const CONFIRMATIONS = 2
/** Test chains, as the sandbox demands. */
const CHAIN_IDS = [31_337, 1_337, 80_002, 11_155_111, 84_532]
/** Wallets of each chain that redeem and send. */
const HOLDERS = 20

export type BenchChain = { chain: Chain; anvil: Anvil; chainId: number; holders: readonly string[]; ask: Ask }
type Ask = (method: string, ...params: unknown[]) => Promise<unknown>

/** Deploys to `count` chains that make a block whenever a transaction comes; `keepTime` has them go by the clock. */
export async function startChains(db: Database, count: number): Promise<BenchChain[]> {
  return await Promise.all(CHAIN_IDS.slice(0, count).map((chainId) => startChain(db, chainId)))
}

async function startChain(db: Database, chainId: number): Promise<BenchChain> {
  const anvil = await startAnvil({ chainId, args: ['--gas-limit', String(BLOCK_GAS)] })
  const standingBy = { signers: [keyOf('signer'), keyOf('second')] }
  const config = await deployChain(anvil.rpcUrl, { chainId, key: `chain-${chainId}`, confirmations: 1, ...standingBy })
  const chain = connectChain(config, { db, logger: silent })
  const holders = Array.from({ length: HOLDERS }, (_, index) => getAddress(wallet(index)))
  for (const holder of holders) await chain.admin.linkWallet(linkOf(holder))
  return { chain, anvil, chainId, holders, ask: (method, ...params) => rpc(anvil.rpcUrl, method, ...params) }
}

/** From now on each chain makes its blocks by the clock, one chain after the other, so that their blocks share the cores. */
export async function keepTime(chains: readonly BenchChain[], blockSeconds: number): Promise<void> {
  for (const { ask } of chains) {
    await ask('evm_setIntervalMining', blockSeconds)
    await new Promise((resolve) => setTimeout(resolve, (blockSeconds * 1_000) / chains.length))
  }
}

/** The chains file of the program. */
export function chainsFileOf(chains: readonly BenchChain[], pollIntervalMs: number): string {
  const signer = (name: string) => ({ type: 'key', privateKeyEnv: `${name}_KEY` })
  const one = ({ chain: { config } }: BenchChain) => ({
    key: config.key,
    name: config.name,
    chainId: config.chainId,
    nativeCurrency: { name: 'Ether', symbol: 'ETH' },
    explorer: { baseUrl: 'https://explorer.example' },
    confirmations: CONFIRMATIONS,
    rpcUrls: config.rpcUrls,
    pollIntervalMs,
    maxFeePerGasGwei: 500,
    coin: config.coin,
    settlement: config.settlement,
    signers: [signer('SIGNER'), signer('SECOND')],
    linker: signer('LINKER'),
    pauser: signer('PAUSER'),
  })
  return JSON.stringify({ chains: chains.map(one) })
}

/** The keys that the chains file names. */
export function keysOfChains(): Record<string, string> {
  const names = { SIGNER_KEY: 'signer', SECOND_KEY: 'second', LINKER_KEY: 'linker', PAUSER_KEY: 'pauser' } as const
  return Object.fromEntries(Object.entries(names).map(([name, key]) => [name, keyOf(key).privateKey]))
}
