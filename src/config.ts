/** Environment → one frozen, fully validated record. */
import { readFileSync } from 'node:fs'
import { parseChainsFile } from './config/chains-file.ts'
import { readConnector } from './config/connector.ts'
import { contradictions } from './config/contradictions.ts'
import { createEnvironment, type Environment } from './config/environment.ts'
import { readIdentityProvider } from './config/identity-provider.ts'
import { databaseProblems, liveProblems, readBeside } from './config/live-rules.ts'
import { misspeltSettings } from './config/misspelt.ts'
import { readPolicy } from './config/policy.ts'
import { isTestChain } from './config/test-chains.ts'
import { type ChainConfig, type Config, type PayoutConfig, type RetentionConfig, ROLES } from './config/types.ts'

export * from './config/types.ts'

/** Everything that is wrong with the settings, in one plain sentence each that never contains a value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

const MIN_TOKEN_LENGTH = 32
/** What a request may carry (src/operator/authenticate.ts). */
const MOST_SHOWN_LENGTH = 500
/** Everybody has it: what a sandbox proves convinces nobody. */
const SANDBOX_RESERVES_KEY = Uint8Array.from({ length: 32 }, (_, index) => (index === 31 ? 16 : 0))
const MAX_RETENTION_DAYS = 36_500

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
  const [beside, isLive] = [readBeside(settings), config.environment === 'live']
  problems.push(...(isLive ? notToldYet(liveProblems(config, beside), problems) : simulatedProblems(config)))
  problems.push(...contradictions(config))
  const known = new Set(settings.known)
  problems.push(...misspeltSettings(Object.keys(env).filter(settings.isSet), known, settings.chosen))
  if (problems.length > 0) throw new ConfigError([...new Set(problems)])
  return deepFreeze(config)
}

/** Without those that call a setting missing which is there and cannot be used: the problem that begins with its name says so already. */
function notToldYet(live: readonly string[], problems: readonly string[]): string[] {
  const told = new Set<string | undefined>(problems.map((problem) => problem.split(/[ .]/, 1)[0]))
  return live.filter((each) => !told.has(/^live needs (\w+)/.exec(each)?.[1]))
}

/** What `npm run migrate` needs, and nothing else: it runs as the owner of the tables, where no key is. */
export type MigrationConfig = Pick<Config, 'environment' | 'booksTimezone' | 'logLevel'> & { databaseUrl: string }

/**
 * Reads it. The environment must be named, because a new database belongs to it for ever.
 * @throws ConfigError with every problem at once
 */
export function loadMigrationConfig(env: Readonly<Record<string, string | undefined>>): MigrationConfig {
  const problems: string[] = []
  const settings = createEnvironment(env, problems)
  const { environment, databaseUrl = '', booksTimezone } = readDatabase(settings)
  const logLevel = readLogLevel(settings, 'info')
  for (const name of ['COIN_ENVIRONMENT', 'DATABASE_URL']) if (!settings.isSet(name)) settings.report(`Set ${name}.`)
  if (environment === 'live' && databaseUrl !== '')
    problems.push(...databaseProblems({ databaseUrl }, readBeside(settings)))
  if (problems.length > 0) throw new ConfigError(problems)
  return { environment, databaseUrl, booksTimezone, logLevel }
}

function readDatabase(settings: Environment): Pick<Config, 'environment' | 'databaseUrl' | 'booksTimezone'> {
  return {
    environment: settings.oneOf('COIN_ENVIRONMENT', ['sandbox', 'live'], 'sandbox'),
    databaseUrl: settings.url('DATABASE_URL', ['postgres:', 'postgresql:']),
    booksTimezone: settings.timezone('BOOKS_TIMEZONE', 'Asia/Kuala_Lumpur'),
  }
}

function readLogLevel(settings: Environment, fallback: Config['logLevel']): Config['logLevel'] {
  return settings.oneOf('LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug'], fallback)
}

function readConfig(settings: Environment, readText: (path: string) => string): Config {
  const database = readDatabase(settings)
  const { environment } = database
  const roles = new Set(settings.list('COIN_ROLES', ROLES, ROLES))
  const chains = readChains(settings, readText, roles.has('settler'))
  const embedded = environment === 'sandbox' && !settings.isSet('CHAINS_FILE')
  return {
    ...database,
    roles,
    host: settings.text('HOST', '127.0.0.1'),
    port: settings.integer('PORT', { min: 0, max: 65_535, fallback: 4000 }),
    operatorHost: settings.text('OPERATOR_HOST', '127.0.0.1'),
    operatorPort: settings.integer('OPERATOR_PORT', { min: 0, max: 65_535, fallback: 4001 }),
    identityProvider: readIdentityProvider(settings),
    publicOrigin: settings.origin('PUBLIC_ORIGIN'),
    consoleOrigin: settings.origin('CONSOLE_ORIGIN'),
    fourEyes: settings.oneOf('FOUR_EYES', ['on', 'off'], environment === 'live' ? 'on' : 'off') === 'on',
    operatorToken: settings.token('OPERATOR_TOKEN', MIN_TOKEN_LENGTH, MOST_SHOWN_LENGTH),
    dataDir: settings.text('DATA_DIR', '.data'),
    certificateFiles: readCertificateFiles(settings, database),
    databasePoolSize: settings.integer('DATABASE_POOL_SIZE', { min: 2, max: 200, fallback: 10 }),
    drainMs: settings.integer('DRAIN_MS', { min: 0, max: 20_000, fallback: environment === 'live' ? 5_000 : 0 }),
    stopMs: settings.integer('STOP_MS', { min: 25_000, max: 600_000, fallback: 25_000 }),
    redisUrl: settings.url('REDIS_URL', ['redis:', 'rediss:']),
    trustedProxies: settings.addresses('TRUSTED_PROXIES'),
    sunsetDate: settings.date('SUNSET_DATE'),
    webhookAllowLoopback: settings.flag('WEBHOOK_ALLOW_LOOPBACK', embedded),
    secretsKey: settings.key('SECRETS_KEY'),
    secretsKeyPrevious: settings.key('SECRETS_KEY_PREVIOUS'),
    onForeignMovement: settings.oneOf('ON_FOREIGN_MOVEMENT', ['report', 'pause'], 'report'),
    policy: readPolicy(settings, environment),
    rates: {
      read: settings.integer('RATE_READ', { min: 1, max: 1_000_000, fallback: 120 }),
      write: settings.integer('RATE_WRITE', { min: 1, max: 1_000_000, fallback: 60 }),
      balances: settings.integer('RATE_BALANCES', { min: 1, max: 1_000_000, fallback: 60 }),
    },
    retention: readRetention(settings),
    payout: readPayout(settings, roles),
    reserve: {
      guard: settings.oneOf('RESERVE_GUARD', ['off', 'warn', 'hold'], environment === 'live' ? 'warn' : 'off'),
      maxAgeMs: settings.duration('RESERVE_MAX_AGE', { fallback: '36h', maxDays: 31 }),
    },
    bankProfile: settings.optional('BANK_PROFILE'),
    reservesKey: settings.key('RESERVES_SIGNING_KEY') ?? (environment === 'sandbox' ? SANDBOX_RESERVES_KEY : undefined),
    chains,
    defaultChainId: readDefaultChain(settings, chains),
    logLevel: readLogLevel(settings, embedded ? 'warn' : 'info'),
  }
}

function readCertificateFiles(settings: Environment, { databaseUrl }: Pick<Config, 'databaseUrl'>): string[] {
  const named = databaseUrl === undefined ? undefined : new URL(databaseUrl).searchParams
  const files = [named?.get('sslrootcert'), named?.get('sslcert'), settings.optional('NODE_EXTRA_CA_CERTS')]
  return [...new Set(files.flatMap((file) => file || []))]
}

/** Whoever redeems on a chain with real coin burns real coin, and the simulated rail pays nobody. */
function simulatedProblems({ payout, chains }: Config): string[] {
  if (payout.type !== 'simulated') return []
  return chains
    .filter(({ chainId }) => !isTestChain(chainId))
    .map(
      ({ chainId }) =>
        `Chain ${chainId} is not a known test chain, and PAYOUT_RAIL=simulated pays nobody: set COIN_ENVIRONMENT=live.`,
    )
}

/** Answers are kept for the 90 days that partners are promised; events as long as deliveries, which carry them. */
function readRetention(settings: Environment): RetentionConfig {
  const deliveryDays = settings.integer('RETENTION_DELIVERY_DAYS', { min: 7, max: MAX_RETENTION_DAYS, fallback: 100 })
  return {
    answerDays: settings.integer('RETENTION_ANSWER_DAYS', { min: 90, max: MAX_RETENTION_DAYS, fallback: 100 }),
    deliveryDays,
    batchDays: settings.integer('RETENTION_BATCH_DAYS', { min: 30, max: MAX_RETENTION_DAYS, fallback: 100 }),
    eventDays: settings.integer('RETENTION_EVENT_DAYS', {
      min: deliveryDays,
      max: MAX_RETENTION_DAYS,
      fallback: Math.max(400, deliveryDays),
    }),
  }
}

/** Only who pays needs the connector's address and token, which is as good as the issuer's money. */
function readPayout(settings: Environment, roles: Config['roles']): PayoutConfig {
  const pays = roles.has('payer')
  const type = settings.oneOf('PAYOUT_RAIL', ['simulated', 'http', 'bank_files'], 'simulated')
  const timeoutMs = settings.integer('PAYOUT_TIMEOUT_MS', { min: 100, max: 30_000, fallback: 10_000 })
  const url = settings.url('PAYOUT_URL', ['https:', 'http:'])
  const token = settings.token('PAYOUT_TOKEN', MIN_TOKEN_LENGTH)
  if (type === 'bank_files' && (pays || roles.has('operator')) && !settings.isSet('BANK_PROFILE')) {
    settings.report(
      'BANK_PROFILE is required with PAYOUT_RAIL=bank_files in a process with the role payer or operator.',
    )
  }
  const connector = readConnector(settings, url)
  if (type !== 'http') return { type }
  if (pays && !settings.isSet('PAYOUT_URL')) settings.report('PAYOUT_URL is required with PAYOUT_RAIL=http.')
  if (pays && !settings.isSet('PAYOUT_TOKEN')) settings.report('PAYOUT_TOKEN is required with PAYOUT_RAIL=http.')
  return { type, url: url ?? '', connector, token: token ?? '', timeoutMs }
}

function readChains(settings: Environment, readText: (path: string) => string, signs: boolean): ChainConfig[] {
  if (!settings.isSet('CHAINS_FILE')) return []
  let text: string
  try {
    text = readText(settings.text('CHAINS_FILE', ''))
  } catch {
    settings.report('CHAINS_FILE names a file that cannot be read.')
    return []
  }
  return parseChainsFile(text, settings, signs)
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
