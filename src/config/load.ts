/** Environment → the configuration, or every problem with it at once. */

import { type Config, type PayoutConfig, ROLES, type Role } from '../config.ts'
import { parseAllowlistEntry } from '../integrations/ip-allowlist.ts'
import { ONE_MICRO_SCALE } from '../money.ts'
import { chainsFromText } from './chains-file.ts'
import { type Environment, readSettings, type Settings } from './settings.ts'

const MIN_TOKEN_LENGTH = 32
const SECRETS_KEY_BYTES = 32
const million = 1_000_000n * ONE_MICRO_SCALE

/** The environment does not make a configuration. `problems` says why, one sentence each, without any secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length === 1 ? 'a problem' : 'problems'}:\n- ${problems.join('\n- ')}`)
    this.problems = problems
  }
}

/**
 * Makes the configuration. Nothing but `env` and the file that CHAINS_FILE names is read.
 * @param readFile reads a text file; may throw
 * @throws ConfigError with every problem found
 */
export function loadConfig(env: Environment, readFile: (path: string) => string): Config {
  const settings = readSettings(env)
  const environment = settings.oneOf('COIN_ENVIRONMENT', ['sandbox', 'live'], 'sandbox')
  const isLive = environment === 'live'
  const databaseUrl = settings.url('DATABASE_URL', ['postgres:', 'postgresql:'])
  const chains = chainsOf(settings, env, readFile, isLive)
  const config: Config = {
    environment,
    roles: rolesOf(settings),
    host: settings.text('HOST') ?? '127.0.0.1',
    port: settings.integer('PORT', { min: 0, max: 65_535, fallback: 4000 }),
    operatorHost: settings.text('OPERATOR_HOST') ?? '127.0.0.1',
    operatorPort: settings.integer('OPERATOR_PORT', { min: 0, max: 65_535, fallback: 4001 }),
    operatorToken: settings.text('OPERATOR_TOKEN'),
    dataDir: settings.text('DATA_DIR') ?? '.data',
    databaseUrl,
    databasePoolSize: settings.integer('DATABASE_POOL_SIZE', { min: 2, max: 200, fallback: 16 }),
    redisUrl: settings.url('REDIS_URL', ['redis:', 'rediss:']),
    trustedProxies: proxiesOf(settings),
    sunsetDate: settings.date('SUNSET_DATE'),
    webhookAllowLoopback: settings.boolean('WEBHOOK_ALLOW_LOOPBACK', !isLive && chains.length === 0),
    secretsKey: secretsKeyOf(settings),
    policy: {
      mintFloorMicro: settings.amountMicro('MINT_FLOOR_MYR', ONE_MICRO_SCALE),
      redeemCeilingMicro: settings.amountMicro('REDEEM_CEILING_MYR', million),
      nonResidentLimitMicro: settings.amountMicro('NON_RESIDENT_LIMIT_MYR', 100_000n * ONE_MICRO_SCALE),
      monthlyWithdrawalCapMicro: settings.amountMicro('MONTHLY_WITHDRAWAL_CAP_MYR', 500_000n * ONE_MICRO_SCALE),
      transferTxCapMicro: settings.amountMicro('TRANSFER_TX_CAP_COIN', 50_000n * ONE_MICRO_SCALE),
      transferDayCapMicro: settings.amountMicro('TRANSFER_DAY_CAP_COIN', 250_000n * ONE_MICRO_SCALE),
      feeMicro: { MINT: settings.feeMicro('MINT_FEE_MYR'), REDEEM: settings.feeMicro('REDEEM_FEE_MYR') },
    },
    rates: {
      read: settings.integer('RATE_READ', { min: 1, max: 1_000_000, fallback: 120 }),
      write: settings.integer('RATE_WRITE', { min: 1, max: 1_000_000, fallback: 60 }),
      balances: settings.integer('RATE_BALANCES', { min: 1, max: 1_000_000, fallback: 60 }),
    },
    payout: payoutOf(settings, isLive),
    chains,
    defaultChainId: chains.length === 0 ? undefined : defaultChainOf(settings, chains),
    logLevel: settings.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug'], 'info'),
  }
  if (isLive) demandLive(settings, config)
  if (settings.problems.length > 0) throw new ConfigError(settings.problems)
  return Object.freeze(config)
}

/** What live must have, and must not. */
function demandLive(settings: Settings, config: Config): void {
  const { operatorToken, databaseUrl, secretsKey, webhookAllowLoopback } = config
  if (databaseUrl === undefined) settings.problem('DATABASE_URL is missing: live runs on PostgreSQL, not embedded.')
  if (secretsKey === undefined && settings.text('SECRETS_KEY') === undefined) {
    settings.problem('SECRETS_KEY is missing: make one with `openssl rand -base64 32`.')
  }
  if (operatorToken === undefined || operatorToken.length < MIN_TOKEN_LENGTH) {
    settings.problem(`OPERATOR_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters in live.`)
  }
  if (webhookAllowLoopback) settings.problem('WEBHOOK_ALLOW_LOOPBACK cannot be true in live.')
}

function rolesOf(settings: Settings): ReadonlySet<Role> {
  const names = settings.list('COIN_ROLES')
  const known = ROLES.filter((role) => names.includes(role))
  const unknown = names.filter((name) => !ROLES.some((role) => role === name))
  if (unknown.length > 0) settings.problem(`COIN_ROLES may list ${ROLES.join(', ')}.`)
  return new Set(names.length === 0 ? ROLES : known)
}

function proxiesOf(settings: Settings): string[] {
  const entries = settings.list('TRUSTED_PROXIES')
  if (entries.some((entry) => parseAllowlistEntry(entry) === undefined)) {
    settings.problem('TRUSTED_PROXIES must list IP addresses or CIDR ranges, separated by commas.')
  }
  return entries
}

function secretsKeyOf(settings: Settings): Uint8Array | undefined {
  const text = settings.text('SECRETS_KEY')
  if (text === undefined) return undefined
  const key = Buffer.from(text, 'base64')
  if (key.length === SECRETS_KEY_BYTES) return key
  settings.problem(`SECRETS_KEY must be ${SECRETS_KEY_BYTES} bytes in base64.`)
  return undefined
}

function payoutOf(settings: Settings, isLive: boolean): PayoutConfig {
  const rail = settings.oneOf('PAYOUT_RAIL', ['simulated', 'http'], isLive ? 'http' : 'simulated')
  if (rail === 'simulated') {
    if (isLive) settings.problem('PAYOUT_RAIL cannot be simulated in live.')
    return { rail }
  }
  const url = settings.url('PAYOUT_URL', isLive ? ['https:'] : ['https:', 'http:']) ?? ''
  if (settings.text('PAYOUT_URL') === undefined) settings.problem('PAYOUT_URL is missing: the http rail posts there.')
  return { rail, url, token: settings.required('PAYOUT_TOKEN', 'the http rail authenticates with it') }
}

function chainsOf(
  settings: Settings,
  env: Environment,
  readFile: (path: string) => string,
  isLive: boolean,
): Config['chains'] {
  const path = settings.text('CHAINS_FILE')
  if (path === undefined) {
    if (isLive) settings.problem('CHAINS_FILE is missing: live has no embedded chain.')
    return []
  }
  let text: string
  try {
    text = readFile(path)
  } catch {
    settings.problem(`CHAINS_FILE names ${path}, which cannot be read.`)
    return []
  }
  const { chains, problems } = chainsFromText(text, env, isLive)
  for (const sentence of problems) settings.problem(sentence)
  return chains
}

function defaultChainOf(settings: Settings, chains: Config['chains']): number | undefined {
  const first = chains[0]?.chainId
  const chosen = settings.integer('DEFAULT_CHAIN_ID', { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: first ?? 1 })
  if (!chains.some(({ chainId }) => chainId === chosen)) {
    settings.problem('DEFAULT_CHAIN_ID must be the chainId of a chain in CHAINS_FILE.')
  }
  return chosen
}
