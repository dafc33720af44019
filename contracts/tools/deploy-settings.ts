import { type Address, getAddress, isAddress, isHex, type LocalAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { DeploymentPlan } from '../../src/chain/deploy.ts'
import { parseAmount } from '../../src/money.ts'

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
  const address = (name: string): Address => read(name, parseAddress, 'an address with its EIP-55 checksum')
  const amount = (name: string): bigint => read(name, parseMicro, 'an amount of coins above zero, such as 250000.50')

  const plan = {
    deployer: read('DEPLOYER_PRIVATE_KEY', parseKey, '0x and 64 hexadecimal digits'),
    rpcUrl: read('RPC_URL', parseUrl, 'an http or https URL'),
    chainId: read('CHAIN_ID', parseChainId, 'a chain id'),
    roles: {
      admin: address('ADMIN_ADDRESS'),
      operators: read('OPERATOR_ADDRESSES', parseAddresses, 'one address or more, with commas between them'),
      pauser: address('PAUSER_ADDRESS'),
      freezer: address('FREEZER_ADDRESS'),
      linker: address('LINKER_ADDRESS'),
    },
    token: {
      name: read('TOKEN_NAME', (text) => text || undefined, 'the name of the coin'),
      symbol: read('TOKEN_SYMBOL', (text) => text || undefined, 'the symbol of the coin'),
    },
    limits: {
      mint: { capacityMicro: amount('MINT_CAPACITY'), refillPerSecondMicro: amount('MINT_REFILL_PER_SECOND') },
      debit: { capacityMicro: amount('DEBIT_CAPACITY'), refillPerSecondMicro: amount('DEBIT_REFILL_PER_SECOND') },
    },
  }
  if (problems.length === 0) problems.push(...sharedKeys(plan.roles, env.ALLOW_SHARED_KEYS === 'true'))
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { plan, recordFolder: env.DEPLOYMENTS_DIR || 'deployments' }
}

/** A stolen key with two roles does the damage of both, so sharing one has to be asked for. */
function sharedKeys(roles: DeploymentPlan['roles'], allowed: boolean): string[] {
  const holders = [roles.admin, roles.pauser, roles.freezer, roles.linker, ...roles.operators]
  if (allowed || new Set(holders).size === holders.length) return []
  return ['each role needs an address of its own (ALLOW_SHARED_KEYS=true on a test chain)']
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

function parseUrl(text: string): string | undefined {
  return URL.canParse(text) && /^https?:/.test(text) ? text : undefined
}

function parseChainId(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

function parseMicro(text: string): bigint | undefined {
  const parsed = parseAmount(text)
  return parsed.ok ? parsed.amountMicro : undefined
}
