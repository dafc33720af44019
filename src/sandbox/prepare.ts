/** Makes what a sandbox needs but nobody configured: secrets, a chain with its contracts, and later the demo data. */
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Logger } from 'pino'
import type { ChainConfig, Config } from '../config.ts'
import type { Database } from '../db/database.ts'
import { lockFolder } from '../db/folder-lock.ts'
import type { AcceptanceService } from '../orders/accept/service.ts'
import type { Api, SandboxAdditions } from '../roles/api.ts'
import type { Bank, Closers, Parts } from '../roles/parts.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { FREEZER, LINKER, PAUSER, SIGNER, signerOf, UNPAUSER } from './accounts.ts'
import { createSimulatedBank } from './bank/bank.ts'
import { sandboxBankSetup } from './bank/setup.ts'
import { startBlockTicker } from './chain/block-ticker.ts'
import { SANDBOX_CHAIN_ID, startLocalChain } from './chain/local-chain.ts'
import { deployOnce, SANDBOX_DEPLOYMENT, TOKEN } from './contracts.ts'
import { makeDataFolder } from './data-folder.ts'
import { type DemoData, prepareDemoData } from './demo-data.ts'
import { demoPartnerOf } from './demo-partner.ts'
import { readKept } from './kept-file.ts'
import type { ChainControl } from './on-demand/chain-scenarios.ts'
import { createOnDemand } from './on-demand/on-demand.ts'
import { welcomeText } from './welcome.ts'

const BLOCK_TIME_MS = 1_000
/** Blocks come this fast while the sandbox prepares itself and nobody watches. */
const PREPARING_BLOCK_TIME_MS = 50
const CONFIRMATIONS = 2
const POLL_INTERVAL_MS = 200
const BUMP_AFTER_BLOCKS = 10
/** How often the simulated bank looks whether something has happened. */
const STATEMENT_EVERY_MS = 2_000
/** Much more than a busy machine takes. */
const FUNDING_MS = 120_000
const SECRET_BYTES = 32
const MAX_FEE_PER_GAS_WEI = 1_000_000_000_000n

/** Where operators are served, and the console's address with a login that works once. */
export type OperatorPort = { url: string; consoleLogin: () => string | undefined }

export type Sandbox = {
  chains: readonly ChainConfig[]
  defaultChainId: number | undefined
  secretsKey: Uint8Array
  operatorToken: string
  /** The issuer's account at the simulated bank. */
  bankOf(deps: BankDeps): Bank
  /** Makes missing demo data, before anybody is answered. */
  fill(parts: Parts, acceptance: AcceptanceService): Promise<void>
  /** Every outcome on demand. */
  onDemand(parts: Parts): SandboxAdditions
  /** Prints what to try. */
  welcome(operator: OperatorPort, api: Api | undefined): void
}

/** Creates DATA_DIR and keeps every other service out of it. @throws StartError, FolderInUseError */
export function lockSandbox({ dataDir, chains }: Pick<Config, 'dataDir' | 'chains'>, closers: Closers): void {
  makeDataFolder(dataDir)
  const unlock = lockFolder(path.join(dataDir, 'sandbox'), path.resolve(dataDir))
  closers.push(async () => unlock())
  if (chains.length === 0) console.log(`Starting the sandbox in ${path.resolve(dataDir)} …`)
}

/**
 * Prepares the sandbox in DATA_DIR, which must be locked. With CHAINS_FILE it uses those chains and makes no demo data.
 * @param database settles when the database is open: while the embedded database starts, it blocks this thread, so that
 *   nothing is asked of the chain before
 * @throws StartError, and what `database` rejects with
 */
export async function prepareSandbox(
  config: Config,
  logger: Logger,
  closers: Closers,
  database: Promise<unknown>,
): Promise<Sandbox> {
  const { dataDir } = config
  const kept = {
    secretsKey: config.secretsKey ?? keptSecret(dataDir, 'secrets-key'),
    operatorToken: config.operatorToken ?? keptSecret(dataDir, 'operator-token').toString('base64url'),
  }
  const bankOf = (deps: BankDeps) => simulatedBank(dataDir, deps)
  if (config.chains.length > 0) {
    return {
      ...kept,
      chains: config.chains,
      defaultChainId: config.defaultChainId,
      fill: async () => {},
      welcome() {},
      onDemand: (parts) => createOnDemand(parts, kept.secretsKey, undefined, () => undefined),
      bankOf,
    }
  }
  tell('opening the database, starting the local chain …')
  database.then(
    () => tell('the database is open'),
    () => {},
  )
  const chain = await startLocalChain(dataDir, logger, database)
  closers.push(() => chain.stop())
  const ticker = startBlockTicker(chain.rpcUrl, PREPARING_BLOCK_TIME_MS, logger)
  closers.push(() => ticker.stop())
  tell('the local chain runs')
  const { coin, settlement } = await deployOnce(dataDir, chain.rpcUrl)
  tell('the contracts are deployed')
  const control: ChainControl = {
    holdBlocks: ticker.hold,
    takeBackNextBlock: ticker.takeBackNext,
    silence: chain.silence,
  }
  let demo: DemoData | undefined
  return {
    ...kept,
    chains: [chainConfig(chain.rpcUrl, coin, settlement)],
    defaultChainId: SANDBOX_CHAIN_ID,
    async fill(parts, acceptance) {
      const fundingMs = mayFund(config) ? FUNDING_MS : 0
      const { demo: made, isFunded } = await prepareDemoData({ ...parts, dataDir, acceptance, fundingMs })
      demo = made
      tell(isFunded ? 'the demo customers have their coin' : 'the demo customers get their coin a little later')
    },
    welcome(operator, api) {
      if (api !== undefined && demo !== undefined)
        console.log(welcomeText({ dataDir, operator, address: api.address, demo }))
      ticker.setBlockTime(BLOCK_TIME_MS)
    },
    onDemand: (parts) => createOnDemand(parts, kept.secretsKey, control, () => demo && demoPartnerOf(dataDir, demo)),
    bankOf,
  }
}

/**
 * Whether the demo's coin comes by itself. Without a settler in this process, another one mints it, or nobody does. Where the reserve guard holds mints
 * and the bank is not the sandbox's own, they wait for its first statement.
 */
export function mayFund({ roles, reserve, bankProfile }: Pick<Config, 'roles' | 'reserve' | 'bankProfile'>): boolean {
  return roles.has('settler') && !(reserve.guard === 'hold' && bankProfile !== undefined)
}

type BankDeps = { db: Database; secrets: SecretBox }

function simulatedBank(dataDir: string, deps: BankDeps): Bank {
  const folder = path.resolve(dataDir, 'bank')
  const reading = { before: createSimulatedBank(deps, folder), everyMs: STATEMENT_EVERY_MS, minAgeMs: 0 }
  return { setup: sandboxBankSetup(folder), reading }
}

/** Prints each step, for people who wait for the first start on a slow machine. */
function tell(step: string): void {
  console.log(`  ${step}`)
}

function keptSecret(dataDir: string, name: string): Buffer {
  const setting = name.toUpperCase().replace('-', '_')
  return Buffer.from(
    readKept(
      path.join(dataDir, name),
      () => randomBytes(SECRET_BYTES).toString('base64url'),
      (text) => Buffer.from(text, 'base64url').length === SECRET_BYTES,
      `it holds ${SECRET_BYTES} bytes in base64url, 43 characters; what is written otherwise, as in hexadecimal, goes into ${setting}`,
    ),
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
    finality: 'depth',
    confirmations: CONFIRMATIONS,
    rpcUrls: [rpcUrl],
    quorum: 1,
    pollIntervalMs: POLL_INTERVAL_MS,
    bumpAfterBlocks: BUMP_AFTER_BLOCKS,
    maxFeePerGasWei: MAX_FEE_PER_GAS_WEI,
    maxPriorityFeePerGasWei: MAX_FEE_PER_GAS_WEI / 10n,
    stopMaxFeePerGasWei: 10n * MAX_FEE_PER_GAS_WEI,
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
