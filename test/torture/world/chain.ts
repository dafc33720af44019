/**
 * A chain with both contracts, and what may happen to it. Everything is done at the node itself, bypassing the proxies.
 */
import { encodeFunctionData, type Hex, keccak256, numberToHex, parseAbi, toHex } from 'viem'
import { startAnvil } from '../../support/anvil.ts'
import { CHAIN_ID, deploy, type KeyName, keyOf } from './contracts.ts'
import { startMiner } from './mining.ts'

const BLOCK_MS = 1_000
const SETUP_BLOCK_MS = 120

/** As the contract numbers its limits. */
const MINT = 0
const LIMIT_MICRO = 10n ** 15n
const REFILL_MICRO = 10n ** 12n
const LOW_LIMIT_MICRO = 1n
const HIGH_BASE_FEE_WEI = 600n * 10n ** 9n
const USUAL_BASE_FEE_WEI = 10n ** 9n
const PLENTY_WEI = 10n ** 22n

const settlementAbi = parseAbi([
  'struct Bucket { uint64 capacity; uint64 refillPerSecond; }',
  'function setLimit(uint8 kind, Bucket bucket)',
  'function grantRole(bytes32 role, address account)',
  'function revokeRole(bytes32 role, address account)',
  'function hasRole(bytes32 role, address account) view returns (bool)',
])
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
  /** Blocks come fast until this is called, then every second. */
  endSetup(): void
  /** Sends the call; the next block has it, unless something happens to that block. */
  setPaused(paused: boolean): Promise<void>
  setFrozen(wallet: string, frozen: boolean): Promise<void>
  /** Calls `paused` and `isFrozen` at the newest block. */
  isPaused(): Promise<boolean>
  isFrozen(wallet: string): Promise<boolean>
  setMining(on: boolean): void
  /** Replaces the newest blocks by as many empty ones. */
  reorganise(depth: number): Promise<void>
  /** Takes all gas money from a signing key, or gives it back. */
  setGasMoney(signer: KeyName, there: boolean): Promise<void>
  /** Lets somebody else use the next nonce of a signing key. */
  takeNonce(signer: KeyName): Promise<void>
  setBaseFee(high: boolean): Promise<void>
  setMintLimit(low: boolean): Promise<void>
  /** Takes the right to settle from a signing key, or gives it back. */
  setSignerRole(signer: KeyName, there: boolean): Promise<void>
  /** Whether it has it at the newest block. */
  hasSignerRole(signer: KeyName): Promise<boolean>
  stop(): Promise<void>
}

export async function startChain(folder: string): Promise<TortureChain> {
  const anvil = await startAnvil({ chainId: CHAIN_ID, args: ['--no-mining'] })
  const rpc = createRpc(anvil.rpcUrl)
  const miner = startMiner(rpc, SETUP_BLOCK_MS)
  try {
    const { coin, settlement } = await deploy(anvil.rpcUrl, folder)
    const read = async (data: Hex, to = coin) => BigInt(await rpc<Hex>('eth_call', { to, data }, 'latest')) === 1n
    const send = async (from: KeyName, data: Hex, to = coin) => {
      await rpc('eth_sendTransaction', { from: keyOf(from).address, to, data, gas: '0x30d40' })
    }
    return {
      rpcUrl: anvil.rpcUrl,
      coin,
      settlement,
      rpc,
      endSetup: () => miner.setPace(BLOCK_MS),
      setPaused: (paused) =>
        send(
          paused ? 'pauser' : 'unpauser',
          encodeFunctionData({ abi: coinAbi, functionName: paused ? 'pause' : 'unpause' }),
        ),
      setFrozen: (wallet, frozen) => {
        const functionName = frozen ? 'freeze' : 'unfreeze'
        return send('freezer', encodeFunctionData({ abi: coinAbi, functionName, args: [wallet as Hex] }))
      },
      isPaused: () => read(encodeFunctionData({ abi: coinAbi, functionName: 'paused' })),
      isFrozen: (wallet) => read(encodeFunctionData({ abi: coinAbi, functionName: 'isFrozen', args: [wallet as Hex] })),
      setMining: (on) => miner.setPace(on ? BLOCK_MS : 0),
      reorganise: miner.reorganise,
      setGasMoney: async (signer, there) => {
        await rpc('anvil_setBalance', keyOf(signer).address, numberToHex(there ? PLENTY_WEI : 0n))
      },
      takeNonce: (signer) => takeNonce(rpc, keyOf(signer).address),
      setBaseFee: async (high) => {
        await rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(high ? HIGH_BASE_FEE_WEI : USUAL_BASE_FEE_WEI))
      },
      setMintLimit: (low) => {
        const [capacity, refillPerSecond] = low ? [LOW_LIMIT_MICRO, 0n] : [LIMIT_MICRO, REFILL_MICRO]
        const args = [MINT, { capacity, refillPerSecond }] as const
        return send('limiter', encodeFunctionData({ abi: settlementAbi, functionName: 'setLimit', args }), settlement)
      },
      setSignerRole: (signer, there) => {
        const functionName = there ? 'grantRole' : 'revokeRole'
        const data = encodeFunctionData({ abi: settlementAbi, functionName, args: roleOf(signer) })
        return send('admin', data, settlement)
      },
      hasSignerRole: (signer) =>
        read(encodeFunctionData({ abi: settlementAbi, functionName: 'hasRole', args: roleOf(signer) }), settlement),
      async stop() {
        await miner.stop()
        await anvil.stop()
      },
    }
  } catch (error) {
    await miner.stop()
    await anvil.stop()
    throw error
  }
}

const roleOf = (signer: KeyName) => [keccak256(toHex('SIGNER_ROLE')), keyOf(signer).address as Hex] as const

/** A transaction of the service that waits under that nonce loses it, because the other one pays more. */
async function takeNonce(rpc: TortureChain['rpc'], address: string): Promise<void> {
  const nonce = await rpc<string>('eth_getTransactionCount', address, 'latest')
  const fees = { maxFeePerGas: numberToHex(HIGH_BASE_FEE_WEI), maxPriorityFeePerGas: numberToHex(HIGH_BASE_FEE_WEI) }
  await rpc('eth_sendTransaction', { from: address, to: address, nonce, gas: '0x5208', ...fees })
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
