/** What `live` refuses to start with: embedded parts, keys that everybody knows, and settings meant for a sandbox. */
import { addressOf } from './deployment.ts'
import { isLoopbackHost } from './loopback.ts'
import { isKnownTestAddress } from './test-keys.ts'
import type { ChainConfig, Config, DeploymentConfig } from './types.ts'

/** One sentence per reason why this configuration must not move real money. */
export function liveProblems(config: Config): string[] {
  const problems: string[] = []
  const refuse = (when: boolean, problem: string) => {
    if (when) problems.push(problem)
  }
  refuse(config.databaseUrl === undefined, 'live needs DATABASE_URL: the embedded database is for the sandbox only.')
  refuse(config.chains.length === 0, 'live needs CHAINS_FILE: the embedded chain is for the sandbox only.')
  refuse(config.operatorToken === undefined, 'live needs OPERATOR_TOKEN.')
  refuse(config.secretsKey === undefined, 'live needs SECRETS_KEY.')
  refuse(config.webhookAllowLoopback, 'live refuses WEBHOOK_ALLOW_LOOPBACK=true.')
  refuse(config.payout.type === 'simulated', 'live needs PAYOUT_RAIL=http: the simulated rail pays nobody.')
  refuse(
    config.payout.type === 'http' && config.payout.url !== '' && !isSafe(config.payout.url),
    'PAYOUT_URL must be an https address in live (http only to this machine).',
  )
  for (const chain of config.chains) problems.push(...chainProblems(chain))
  return problems
}

function chainProblems(chain: ChainConfig): string[] {
  const problems: string[] = []
  const keys = keysOf(chain)
  for (const { name, address } of keys) {
    if (address === undefined || !isKnownTestAddress(address)) continue
    problems.push(`The ${name} key of chain ${chain.chainId} is a default key of a development tool: everybody has it.`)
  }
  const known = keys.flatMap(({ address }) => address ?? [])
  if (new Set(known).size < known.length) {
    problems.push(
      `Chain ${chain.chainId} uses one key for two roles: signers, linker, freezer, pauser and unpauser must all be different keys.`,
    )
  }
  return [...problems, ...deploymentProblems(chain, keys)]
}

type Key = { name: string; address: string | undefined; role: keyof DeploymentConfig['roles'] }

function keysOf({ signers, linker, freezer, pauser, unpauser }: ChainConfig): Key[] {
  const named = [
    ...signers.map((signer, index) => ({ name: `signers[${index}]`, signer, role: 'signers' as const })),
    { name: 'linker', signer: linker, role: 'linkers' as const },
    { name: 'freezer', signer: freezer, role: 'freezers' as const },
    { name: 'pauser', signer: pauser, role: 'pausers' as const },
    { name: 'unpauser', signer: unpauser, role: 'unpausers' as const },
  ]
  return named.flatMap(({ signer, ...rest }) => (signer === undefined ? [] : { ...rest, address: addressOf(signer) }))
}

function deploymentProblems({ chainId, deployment }: ChainConfig, keys: readonly Key[]): string[] {
  if (deployment === undefined) {
    return [
      `Chain ${chainId} needs "deployment" in live: who holds which power, as \`npm run contracts:deploy\` printed it.`,
    ]
  }
  return keys
    .filter(({ address, role }) => {
      const holders: readonly string[] = [deployment.roles[role]].flat()
      return address !== undefined && !holders.includes(address)
    })
    .map(({ name, role }) => `The ${name} key of chain ${chainId} is not among deployment.${role}.`)
}

function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopbackHost(hostname)
}
