/** A chain with both contracts, and what may happen to it. Everything is done at the node itself, past the proxies. */
import path from 'node:path'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { type Anvil, startAnvil } from '../../support/anvil.ts'
import { startGuarded } from '../../support/guarded-process.ts'
import { waitFor } from '../../support/wait-for.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const MNEMONIC = 'test test test test test test test test test test test junk'
export const CHAIN_ID = 31_337
const BLOCK_SECONDS = 1
const SETUP_BLOCK_MS = 60

const KEY_NAMES = ['deployer', 'admin', 'signer', 'second', 'linker', 'pauser', 'freezer'] as const
type KeyName = (typeof KEY_NAMES)[number]

const coinAbi = parseAbi([
  'function pause()',
  'function unpause()',
  'function paused() view returns (bool)',
  'function freeze(address)',
  'function unfreeze(address)',
  'function isFrozen(address) view returns (bool)',
])

export type TortureChain = {
  rpcUrl: string
  coin: Hex
  settlement: Hex
  rpc<T>(method: string, ...params: unknown[]): Promise<T>
  keyOf(name: KeyName): { address: string; privateKey: Hex }
  /** Blocks come fast until this is called, then every second. */
  endSetup(): Promise<void>
  /** Sends the call; the next block has it, unless something happens to that block. */
  setPaused(paused: boolean): Promise<void>
  setFrozen(wallet: string, frozen: boolean): Promise<void>
  /** Calls `paused` and `isFrozen` at the newest block. */
  isPaused(): Promise<boolean>
  isFrozen(wallet: string): Promise<boolean>
  setMining(on: boolean): Promise<void>
  stop(): Promise<void>
}

export async function startChain(folder: string): Promise<TortureChain> {
  const anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: BLOCK_SECONDS })
  const rpc = createRpc(anvil.rpcUrl)
  const ticker = setInterval(() => void rpc('evm_mine').catch(() => {}), SETUP_BLOCK_MS)
  try {
    const { coin, settlement } = await deploy(anvil, folder)
    const read = async (data: Hex) => BigInt(await rpc<Hex>('eth_call', { to: coin, data }, 'latest')) === 1n
    const send = async (from: KeyName, data: Hex) => {
      await rpc('eth_sendTransaction', { from: keyOf(from).address, to: coin, data, gas: '0x30d40' })
    }
    return {
      rpcUrl: anvil.rpcUrl,
      coin,
      settlement,
      rpc,
      keyOf,
      endSetup: async () => clearInterval(ticker),
      setPaused: (paused) =>
        send('pauser', encodeFunctionData({ abi: coinAbi, functionName: paused ? 'pause' : 'unpause' })),
      setFrozen: (wallet, frozen) => {
        const functionName = frozen ? 'freeze' : 'unfreeze'
        return send('freezer', encodeFunctionData({ abi: coinAbi, functionName, args: [wallet as Hex] }))
      },
      isPaused: () => read(encodeFunctionData({ abi: coinAbi, functionName: 'paused' })),
      isFrozen: (wallet) => read(encodeFunctionData({ abi: coinAbi, functionName: 'isFrozen', args: [wallet as Hex] })),
      setMining: async (on) => void (await rpc('evm_setIntervalMining', on ? BLOCK_SECONDS : 0)),
      async stop() {
        clearInterval(ticker)
        await anvil.stop()
      },
    }
  } catch (error) {
    clearInterval(ticker)
    await anvil.stop()
    throw error
  }
}

function keyOf(name: KeyName): { address: string; privateKey: Hex } {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: KEY_NAMES.indexOf(name) })
  const key = account.getHdKey().privateKey
  if (key === null) throw new Error(`no key ${name}`)
  return { address: account.address, privateKey: `0x${Buffer.from(key).toString('hex')}` }
}

/** Runs the project's own command, as an operator would. */
async function deploy(anvil: Anvil, folder: string): Promise<{ coin: Hex; settlement: Hex }> {
  const command = await startGuarded(process.execPath, [path.join(ROOT, 'contracts/tools/deploy.ts')], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      RPC_URL: anvil.rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      DEPLOYER_PRIVATE_KEY: keyOf('deployer').privateKey,
      ADMIN_ADDRESS: keyOf('admin').address,
      OPERATOR_ADDRESSES: [keyOf('signer').address, keyOf('second').address].join(','),
      PAUSER_ADDRESS: keyOf('pauser').address,
      FREEZER_ADDRESS: keyOf('freezer').address,
      LINKER_ADDRESS: keyOf('linker').address,
      TOKEN_NAME: 'Ringgit Coin',
      TOKEN_SYMBOL: 'COIN',
      MINT_CAPACITY: '1000000000',
      MINT_REFILL_PER_SECOND: '1000000',
      DEBIT_CAPACITY: '1000000000',
      DEBIT_REFILL_PER_SECOND: '1000000',
      DEPLOYMENTS_DIR: path.join(folder, 'deployments'),
    },
  })
  await waitFor('the contracts to be deployed', () => !command.running(), { timeoutMs: 60_000 })
  if ((await command.exited) !== 0) throw new Error(`The contracts were not deployed: ${command.output()}`)
  return JSON.parse(command.output()) as { coin: Hex; settlement: Hex }
}

/** The chains file of the service, which sees the chain through `rpcUrls` only. */
export function chainsFile(
  { coin, settlement }: TortureChain,
  rpcUrls: readonly string[],
  confirmations: number,
): string {
  const signer = (name: string) => ({ type: 'key', privateKeyEnv: `${name}_KEY` })
  return JSON.stringify({
    chains: [
      {
        key: 'torture',
        name: 'Torture',
        chainId: CHAIN_ID,
        nativeCurrency: { name: 'Ether', symbol: 'ETH' },
        explorer: { baseUrl: 'https://explorer.example' },
        confirmations,
        rpcUrls,
        quorum: Math.floor(rpcUrls.length / 2) + 1,
        pollIntervalMs: 200,
        bumpAfterMs: 4_000,
        maxFeePerGasGwei: 500,
        coin: { address: coin, name: 'Ringgit Coin', symbol: 'COIN' },
        settlement,
        signers: [signer('SIGNER'), signer('SECOND')],
        linker: signer('LINKER'),
        pauser: signer('PAUSER'),
      },
    ],
  })
}

/** The keys that the chains file names. */
export function keysForService(chain: TortureChain): Record<string, string> {
  return {
    SIGNER_KEY: chain.keyOf('signer').privateKey,
    SECOND_KEY: chain.keyOf('second').privateKey,
    LINKER_KEY: chain.keyOf('linker').privateKey,
    PAUSER_KEY: chain.keyOf('pauser').privateKey,
  }
}

/** JSON-RPC to one node. @throws Error with the node's message */
export function createRpc(url: string): TortureChain['rpc'] {
  return async <T>(method: string, ...params: unknown[]): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, jsonrpc: '2.0', method, params }),
      signal: AbortSignal.timeout(10_000),
    })
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
    if (error !== undefined) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

/** A block number as the node wants it. */
export const blockTag = (block: bigint | number): Hex => numberToHex(block)
