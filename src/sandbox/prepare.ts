/** Makes what a sandbox needs but nobody configured: secrets, a chain with its contracts, and later the demo data. */
import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Logger } from 'pino'
import type { ChainConfig, Config } from '../config.ts'
import { lockFolder } from '../db/folder-lock.ts'
import type { Api } from '../roles/api.ts'
import type { Closers, Parts } from '../roles/parts.ts'
import { FREEZER, LINKER, PAUSER, SIGNER, signerOf, UNPAUSER } from './accounts.ts'
import { startBlockTicker } from './chain/block-ticker.ts'
import { SANDBOX_CHAIN_ID, startLocalChain } from './chain/local-chain.ts'
import { deployOnce, SANDBOX_DEPLOYMENT, TOKEN } from './contracts.ts'
import { prepareDemoData } from './demo-data.ts'
import { readKept } from './kept-file.ts'
import { welcomeText } from './welcome.ts'

const BLOCK_TIME_MS = 1_000
/** Blocks come this fast while the sandbox prepares itself and nobody watches. */
const PREPARING_BLOCK_TIME_MS = 50
const CONFIRMATIONS = 2
const POLL_INTERVAL_MS = 200
const BUMP_AFTER_MS = 30_000
const MAX_FEE_PER_GAS_WEI = 1_000_000_000_000n

export type Sandbox = {
  chains: readonly ChainConfig[]
  defaultChainId: number | undefined
  secretsKey: Uint8Array
  operatorToken: string
  /** Makes missing demo data and prints what to try. */
  welcome(parts: Parts & { operatorUrl: string }, api: Api | undefined): Promise<void>
}

/** Creates DATA_DIR and keeps every other service out of it. @throws FolderInUseError */
export function lockSandbox({ dataDir }: Pick<Config, 'dataDir'>, closers: Closers): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(path.join(dataDir, 'sandbox'))
  closers.push(async () => unlock())
}

/**
 * Prepares the sandbox in DATA_DIR, which must be locked. With CHAINS_FILE it uses those chains and makes no demo data.
 * @throws StartError
 */
export async function prepareSandbox(config: Config, logger: Logger, closers: Closers): Promise<Sandbox> {
  const { dataDir } = config
  const kept = {
    secretsKey: config.secretsKey ?? keptSecret(dataDir, 'secrets-key'),
    operatorToken: config.operatorToken ?? keptSecret(dataDir, 'operator-token').toString('base64url'),
  }
  if (config.chains.length > 0) {
    return { ...kept, chains: config.chains, defaultChainId: config.defaultChainId, welcome: async () => {} }
  }
  const chain = await startLocalChain(dataDir, logger)
  closers.push(() => chain.stop())
  const ticker = startBlockTicker(chain.rpcUrl, PREPARING_BLOCK_TIME_MS, logger)
  closers.push(() => ticker.stop())
  const { coin, settlement } = await deployOnce(dataDir, chain.rpcUrl)
  return {
    ...kept,
    chains: [chainConfig(chain.rpcUrl, coin, settlement)],
    defaultChainId: SANDBOX_CHAIN_ID,
    async welcome(parts, api) {
      if (api !== undefined) {
        const { acceptance, address } = api
        const demo = await prepareDemoData({ ...parts, dataDir, acceptance })
        console.log(welcomeText({ dataDir, operatorUrl: parts.operatorUrl, address, demo }))
      }
      ticker.setBlockTime(BLOCK_TIME_MS)
    },
  }
}

function keptSecret(dataDir: string, name: string): Buffer {
  return Buffer.from(
    readKept(path.join(dataDir, name), () => randomBytes(32).toString('base64url')),
    'base64url',
  )
}

function chainConfig(rpcUrl: string, coin: `0x${string}`, settlement: `0x${string}`): ChainConfig {
  return {
    key: 'sandbox',
    name: 'Sandbox',
    chainId: SANDBOX_CHAIN_ID,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    explorerBaseUrl: rpcUrl,
    explorerAddressUrl: `${rpcUrl}/address/`,
    explorerTxUrl: `${rpcUrl}/tx/`,
    confirmations: CONFIRMATIONS,
    rpcUrls: [rpcUrl],
    quorum: 1,
    pollIntervalMs: POLL_INTERVAL_MS,
    bumpAfterMs: BUMP_AFTER_MS,
    maxFeePerGasWei: MAX_FEE_PER_GAS_WEI,
    coin: { address: coin, ...TOKEN },
    settlement,
    signers: [signerOf(SIGNER)],
    linker: signerOf(LINKER),
    freezer: signerOf(FREEZER),
    pauser: signerOf(PAUSER),
    unpauser: signerOf(UNPAUSER),
    deployment: SANDBOX_DEPLOYMENT,
    sanctionsOracle: undefined,
  }
}
