import { type Address, getAddress, type Hex, isAddress, isHex, type LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { BucketLimit, DeploymentPlan, NewTimelock, PlannedLimit } from '../../src/chain/deployment/plan.ts'
import { formatAmount, ONE_IN_MICRO, parseAmount } from '../../src/money.ts'

function coins(capacity: bigint, refillPerSecond: bigint): BucketLimit {
  return { capacityMicro: capacity * ONE_IN_MICRO, refillPerSecondMicro: refillPerSecond * ONE_IN_MICRO }
}

/** What a stolen signing key can do at once and each second; contracts/README.md says what that costs in an hour. */
const DEFAULT_LIMITS: DeploymentPlan['limits'] = {
  mint: { limit: coins(2_000_000n, 100n), ceiling: coins(4_000_000n, 200n) },
  burn: { limit: coins(2_000_000n, 100n), ceiling: coins(4_000_000n, 200n) },
  transfer: { limit: coins(500_000n, 50n), ceiling: coins(1_000_000n, 100n) },
}

/** No ceiling is above this one unless MAX_CAPACITY and MAX_REFILL_PER_SECOND say so. */
const DEFAULT_MAXIMUM = coins(10_000_000n, 500n)

/**
 * Reads a deployment's settings from environment variables (contracts/README.md lists them).
 *
 * @param env the environment
 * @returns the plan and the folder of the deployment records
 * @throws Error that names every missing or malformed variable, never a value
 */
export function readDeploySettings(env: Readonly<Record<string, string | undefined>>): {
  plan: DeploymentPlan
  recordFolder: string
} {
  const problems: string[] = []
  const read = <T>(name: string, parse: (text: string) => T | undefined, wanted: string): T => {
    const parsed = parse(env[name]?.trim() ?? '')
    if (parsed === undefined) problems.push(`${name} has to be ${wanted}`)
    return parsed as T
  }
  const addresses = (name: string) => read(name, parseAddresses, 'one address or more, with commas between them')
  const deployer = read('DEPLOYER_PRIVATE_KEY', parseKey, '0x and 64 hexadecimal digits')
  const seizureAddress = env.SEIZURE_ADDRESS
    ? read('SEIZURE_ADDRESS', parseAddress, 'an address with its EIP-55 checksum')
    : undefined
  const adminCodeHash = env.ADMIN_CODE_HASH
    ? read('ADMIN_CODE_HASH', parseHash, '0x and 64 hexadecimal digits in lower case')
    : undefined
  const plan: DeploymentPlan = {
    deployer,
    rpcUrl: read('RPC_URL', parseUrl, 'an http or https URL'),
    chainId: read('CHAIN_ID', parseNumber, 'a chain id'),
    roles: {
      admin: readAdmin(env, read, addresses),
      signers: addresses('SIGNER_ADDRESSES'),
      limiters: addresses('LIMITER_ADDRESSES'),
      linkers: addresses('LINKER_ADDRESSES'),
      freezers: addresses('FREEZER_ADDRESSES'),
      pausers: addresses('PAUSER_ADDRESSES'),
      unpausers: addresses('UNPAUSER_ADDRESSES'),
    },
    token: {
      name: read('TOKEN_NAME', (text) => text || undefined, 'the name of the coin'),
      symbol: read('TOKEN_SYMBOL', (text) => text || undefined, 'the symbol of the coin'),
    },
    limits: readLimits(env, read),
    maximum: readBucket(env, read, 'MAX', DEFAULT_MAXIMUM),
    ...(seizureAddress && { seizureAddress }),
    ...(adminCodeHash && { adminCodeHash }),
    unsafe: { admin: env.ADMIN_MAY_BE_A_KEY === 'true', linkWithoutConsent: env.LINK_WITHOUT_CONSENT === 'true' },
  }
  if (problems.length === 0) problems.push(...sharedKeys(plan, env.ALLOW_SHARED_KEYS === 'true'))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { plan, recordFolder: env.DEPLOYMENTS_DIR || 'deployments' }
}

type Env = Readonly<Record<string, string | undefined>>
type Read = <T>(name: string, parse: (text: string) => T | undefined, wanted: string) => T

/** An existing timelock, or the settings of one to be created. */
function readAdmin(env: Env, read: Read, addresses: (name: string) => Address[]): Address | NewTimelock {
  if (env.ADMIN_ADDRESS) return read('ADMIN_ADDRESS', parseAddress, 'an address with its EIP-55 checksum')
  const proposers = read(
    'TIMELOCK_PROPOSERS',
    parseAddresses,
    'one address or more, with commas between them (or ADMIN_ADDRESS a timelock that stands)',
  )
  const delaySeconds = read('TIMELOCK_DELAY_SECONDS', (text) => parseNumber(text || '172800'), 'a number of seconds')
  const executors = env.TIMELOCK_EXECUTORS ? addresses('TIMELOCK_EXECUTORS') : proposers
  return { delaySeconds, proposers, executors }
}

function readLimits(env: Env, read: Read): DeploymentPlan['limits'] {
  const kind = (name: string, fallback: PlannedLimit): PlannedLimit => ({
    limit: readBucket(env, read, name, fallback.limit),
    ceiling: readBucket(env, read, `${name}_CEILING`, fallback.ceiling),
  })
  return {
    mint: kind('MINT', DEFAULT_LIMITS.mint),
    burn: kind('BURN', DEFAULT_LIMITS.burn),
    transfer: kind('TRANSFER', DEFAULT_LIMITS.transfer),
  }
}

function readBucket(env: Env, read: Read, name: string, fallback: BucketLimit): BucketLimit {
  const amount = (variable: string, otherwise: bigint) =>
    env[variable]
      ? read(variable, parseMicro, `an amount of coins above zero, such as ${formatAmount(otherwise)}`)
      : otherwise
  return {
    capacityMicro: amount(`${name}_CAPACITY`, fallback.capacityMicro),
    refillPerSecondMicro: amount(`${name}_REFILL_PER_SECOND`, fallback.refillPerSecondMicro),
  }
}

/** A stolen key with two roles does the damage of both, so sharing one has to be asked for. */
function sharedKeys({ roles, deployer }: DeploymentPlan, allowed: boolean): string[] {
  const { admin, ...others } = roles
  // Who proposes may also execute.
  const admins = typeof admin === 'string' ? [admin] : new Set([...admin.proposers, ...admin.executors])
  const holders = [deployer.address, ...admins, ...Object.values(others).flat()]
  if (allowed || new Set(holders).size === holders.length) return []
  return [
    'each role, those of the timelock too, and the deployer, needs an address of its own; only who proposes may also execute (ALLOW_SHARED_KEYS=true on a test chain)',
  ]
}

function parseAddress(text: string): Address | undefined {
  return isAddress(text, { strict: true }) && !/^0x0+$/.test(text) ? getAddress(text) : undefined
}

function parseAddresses(text: string): Address[] | undefined {
  const parsed = text.split(',').map((part) => parseAddress(part.trim()))
  return parsed.every((one) => one !== undefined) ? parsed : undefined
}

function parseKey(text: string): LocalAccount | undefined {
  try {
    return isHex(text) ? privateKeyToAccount(text) : undefined
  } catch {
    return undefined
  }
}

function parseHash(text: string): Hex | undefined {
  return /^0x[0-9a-f]{64}$/.test(text) ? (text as Hex) : undefined
}

function parseUrl(text: string): string | undefined {
  return URL.canParse(text) && /^https?:/.test(text) ? text : undefined
}

function parseNumber(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

function parseMicro(text: string): bigint | undefined {
  const parsed = parseAmount(text)
  return parsed.ok ? parsed.amountMicro : undefined
}
