/** What `live` refuses of a chain: keys that everybody knows or that have two roles, and one node that counts twice. */
import { trimEndOf } from '../values/trim-end.ts'
import { type ChainKey, chainKeysOf } from './chain-keys.ts'
import { addressOf } from './deployment.ts'
import { isKnownTestAddress } from './test-keys.ts'
import type { ChainConfig } from './types.ts'

/** One sentence per reason why these chains must not carry real money. */
export function liveChainProblems(chains: readonly ChainConfig[]): string[] {
  return [...chains.flatMap(chainProblems), ...sharedKeyProblems(chains)]
}

function chainProblems(chain: ChainConfig): string[] {
  const problems: string[] = []
  if (new Set(chain.rpcUrls.map(nodeOf)).size < chain.rpcUrls.length) {
    problems.push(`Chain ${chain.chainId} names one RPC address twice: it would agree with itself.`)
  }
  if (chain.confirmations === 1 && chain.finality !== 'finalized') {
    problems.push(
      `Chain ${chain.chainId} has "confirmations": 1, so any reorganisation undoes what was final: raise it, or set "finality": "finalized".`,
    )
  }
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

type Key = Pick<ChainKey, 'name' | 'role'> & { address: string | undefined }

function keysOf(chain: ChainConfig): Key[] {
  return chainKeysOf(chain).map(({ name, role, signer }) => ({ name, role, address: addressOf(signer) }))
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

/** One key may sign for several chains, in one role: a thief of two powers must have stolen two keys. */
function sharedKeyProblems(chains: readonly ChainConfig[]): string[] {
  const seen = new Map<string, { role: string; chainId: number }>()
  const problems: string[] = []
  for (const chain of chains) {
    for (const { address, role } of keysOf(chain)) {
      if (address === undefined) continue
      const earlier = seen.get(address) ?? { role, chainId: chain.chainId }
      seen.set(address, earlier)
      if (earlier.role === role || earlier.chainId === chain.chainId) continue
      problems.push(
        `A key of chain ${chain.chainId} (${role}) has another role on chain ${earlier.chainId} (${earlier.role}).`,
      )
    }
  }
  return problems
}

/** One machine by three names. Another address of its own (127.0.0.2) may well be another node. */
const THIS_MACHINE: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Fragments, credentials, a slash or dot at an end, and another name of this machine do not make another node. */
function nodeOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { protocol, hostname, port, pathname, search } = new URL(url)
  const named = trimEndOf(hostname, '.')
  const host = THIS_MACHINE.includes(named) ? 'localhost' : named
  return `${protocol}//${host}:${port}${trimEndOf(pathname, '/')}${search}`
}
