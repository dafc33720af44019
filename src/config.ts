/** Environment → one frozen, wholly validated record. */
import { readFileSync } from 'node:fs'
import { parseChainsFile } from './config/chains-file.ts'
import { createEnvironment, type Environment } from './config/environment.ts'
import { liveProblems } from './config/live-rules.ts'
import { readPolicy } from './config/policy.ts'

export const ROLES = ['api', 'settler', 'payer', 'courier'] as const
export type Role = (typeof ROLES)[number]

/** How a key signs: in this process, or through a Web3Signer-compatible remote signer (`eth_signTransaction`). */
export type SignerConfig =
  | { type: 'key'; privateKey: `0x${string}` }
  | { type: 'remote'; url: string; address: `0x${string}` }

/** One chain, as configured (live) or as the sandbox made it. */
export type ChainConfig = {
  /** Short chain key, e.g. `base`. */
  key: string
  name: string
  chainId: number
  nativeCurrency: { name: string; symbol: string; decimals: number }
  explorerBaseUrl: string
  explorerAddressUrl: string
  explorerTxUrl: string
  /** Blocks on top of the one that holds the transaction, itself included: 1 means mined. */
  confirmations: number
  /** Each is asked on its own; `quorum` of them must agree before an outcome is believed. */
  rpcUrls: readonly string[]
  quorum: number
  /** How often the head is looked at. */
  pollIntervalMs: number
  /** How long an unmined attempt waits before its fee is raised. */
  bumpAfterMs: number
  maxFeePerGasWei: bigint
  coin: { address: `0x${string}`; name: string; symbol: string }
  settlement: `0x${string}`
  /** Keys that may call `settle`, used by the process that leads the chain. */
  signers: readonly SignerConfig[]
  linker: SignerConfig
  pauser: SignerConfig
  /** An on-chain sanctions oracle (`isSanctioned(address)`), asked about transfer recipients. */
  sanctionsOracle: `0x${string}` | undefined
}

export type PolicyConfig = {
  mintFloorMicro: bigint
  redeemCeilingMicro: bigint
  nonResidentLimitMicro: bigint
  monthlyWithdrawalCapMicro: bigint
  transferTxCapMicro: bigint
  transferDayCapMicro: bigint
  feeMicro: { MINT: bigint; REDEEM: bigint }
}

/** Requests a minute a key, for keys without limits of their own. */
export type RateConfig = { read: number; write: number; balances: number }

/** Where redeems are paid out: the sandbox's own book, or a bank connector over HTTP. */
export type PayoutConfig = { type: 'simulated' } | { type: 'http'; url: string; token: string; timeoutMs: number }

export type Config = {
  environment: 'sandbox' | 'live'
  roles: ReadonlySet<Role>
  host: string
  port: number
  operatorHost: string
  operatorPort: number
  /** Undefined only in the sandbox, which makes one and keeps it in the data folder. */
  operatorToken: string | undefined
  dataDir: string
  /** Undefined: PGlite in the data folder (sandbox only). */
  databaseUrl: string | undefined
  databasePoolSize: number
  redisUrl: string | undefined
  /** How long a process that ends still answers, telling its clients to leave. */
  drainMs: number
  /** Addresses or CIDRs whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[]
  sunsetDate: Date | undefined
  webhookAllowLoopback: boolean
  /** 32 bytes; encrypts webhook secrets at rest. Undefined only in the sandbox, which keeps one in the data folder. */
  secretsKey: Uint8Array | undefined
  policy: PolicyConfig
  rates: RateConfig
  payout: PayoutConfig
  /** Empty only in the sandbox, which starts its own chain. */
  chains: readonly ChainConfig[]
  defaultChainId: number | undefined
  logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug'
}

/** Everything that is wrong with the settings, one plain sentence each; never a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

const MIN_TOKEN_LENGTH = 32

/**
 * Reads the settings (docs/OPERATIONS.md lists them) and the chains file they name.
 * @param env e.g. `process.env`; an empty value counts as absent
 * @param readText reads a file; throws when it cannot be read
 * @throws ConfigError with every problem at once
 */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  readText: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Config {
  const problems: string[] = []
  const settings = createEnvironment(env, problems)
  const config = readConfig(settings, readText)
  if (config.environment === 'live') problems.push(...liveProblems(config))
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return deepFreeze(config)
}

function readConfig(settings: Environment, readText: (path: string) => string): Config {
  const environment = settings.oneOf('COIN_ENVIRONMENT', ['sandbox', 'live'], 'sandbox')
  const chains = readChains(settings, readText)
  const embedded = environment === 'sandbox' && !settings.isSet('CHAINS_FILE')
  return {
    environment,
    roles: new Set(settings.list('COIN_ROLES', ROLES, ROLES)),
    host: settings.text('HOST', '127.0.0.1'),
    port: settings.integer('PORT', { min: 0, max: 65_535, fallback: 4000 }),
    operatorHost: settings.text('OPERATOR_HOST', '127.0.0.1'),
    operatorPort: settings.integer('OPERATOR_PORT', { min: 0, max: 65_535, fallback: 4001 }),
    operatorToken: settings.token('OPERATOR_TOKEN', MIN_TOKEN_LENGTH),
    dataDir: settings.text('DATA_DIR', '.data'),
    databaseUrl: settings.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    databasePoolSize: settings.integer('DATABASE_POOL_SIZE', { min: 2, max: 200, fallback: 10 }),
    drainMs: settings.integer('DRAIN_MS', { min: 0, max: 20_000, fallback: environment === 'live' ? 5_000 : 0 }),
    redisUrl: settings.url('REDIS_URL', ['redis:', 'rediss:']),
    trustedProxies: settings.addresses('TRUSTED_PROXIES'),
    sunsetDate: settings.date('SUNSET_DATE'),
    webhookAllowLoopback: settings.flag('WEBHOOK_ALLOW_LOOPBACK', embedded),
    secretsKey: settings.key('SECRETS_KEY'),
    policy: readPolicy(settings),
    rates: {
      read: settings.integer('RATE_READ', { min: 1, max: 1_000_000, fallback: 120 }),
      write: settings.integer('RATE_WRITE', { min: 1, max: 1_000_000, fallback: 60 }),
      balances: settings.integer('RATE_BALANCES', { min: 1, max: 1_000_000, fallback: 60 }),
    },
    payout: readPayout(settings),
    chains,
    defaultChainId: readDefaultChain(settings, chains),
    logLevel: settings.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug'], embedded ? 'warn' : 'info'),
  }
}

function readPayout(settings: Environment): PayoutConfig {
  const type = settings.oneOf('PAYOUT_RAIL', ['simulated', 'http'], 'simulated')
  const timeoutMs = settings.integer('PAYOUT_TIMEOUT_MS', { min: 100, max: 30_000, fallback: 10_000 })
  const url = settings.url('PAYOUT_URL', ['https:', 'http:'])
  const token = settings.token('PAYOUT_TOKEN', MIN_TOKEN_LENGTH)
  if (type === 'simulated') return { type }
  if (!settings.isSet('PAYOUT_URL')) settings.report('PAYOUT_URL is required with PAYOUT_RAIL=http.')
  if (!settings.isSet('PAYOUT_TOKEN')) settings.report('PAYOUT_TOKEN is required with PAYOUT_RAIL=http.')
  return { type, url: url ?? '', token: token ?? '', timeoutMs }
}

function readChains(settings: Environment, readText: (path: string) => string): ChainConfig[] {
  if (!settings.isSet('CHAINS_FILE')) return []
  let text: string
  try {
    text = readText(settings.text('CHAINS_FILE', ''))
  } catch {
    settings.report('CHAINS_FILE names a file that cannot be read.')
    return []
  }
  return parseChainsFile(text, settings)
}

function readDefaultChain(settings: Environment, chains: readonly ChainConfig[]): number | undefined {
  const fallback = chains[0]?.chainId
  if (!settings.isSet('DEFAULT_CHAIN_ID')) return fallback
  const chainId = settings.integer('DEFAULT_CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: 1 })
  if (chains.some((chain) => chain.chainId === chainId)) return chainId
  settings.report('DEFAULT_CHAIN_ID must be the chainId of a chain in CHAINS_FILE.')
  return fallback
}

/** Sets and byte arrays cannot be frozen; their types are read-only or never handed out for writing. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  for (const inner of Object.values(value)) deepFreeze(inner)
  return Object.freeze(value)
}
