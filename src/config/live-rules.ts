/** What `live` refuses to start with: embedded parts, keys that everybody knows, and settings meant for a sandbox. */
import { getAddress } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { isKnownTestAddress } from './test-keys.ts'
import type { ChainConfig, Config, SignerConfig } from './types.ts'

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
  const roles = [
    ...chain.signers.map((signer, index) => ({ role: `signers[${index}]`, signer })),
    { role: 'linker', signer: chain.linker },
    { role: 'pauser', signer: chain.pauser },
  ]
  const addresses = roles.map(({ role, signer }) => ({ role, address: addressOf(signer) }))
  for (const { role, address } of addresses) {
    if (address !== undefined && isKnownTestAddress(address)) {
      problems.push(
        `The ${role} key of chain ${chain.chainId} is a default key of a development tool: everybody has it.`,
      )
    }
  }
  const known = addresses.flatMap(({ address }) => (address === undefined ? [] : [address]))
  if (new Set(known).size < known.length) {
    problems.push(
      `Chain ${chain.chainId} uses one key for two roles: signers, linker and pauser must all be different keys.`,
    )
  }
  return problems
}

/** The signer's address; undefined for a key that is already reported as unusable. */
function addressOf(signer: SignerConfig): string | undefined {
  if (signer.type === 'remote') return getAddress(signer.address)
  return signer.privateKey === '0x' ? undefined : privateKeyToAddress(signer.privateKey)
}

/** Whether a URL's host is this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopbackHost(hostname)
}
