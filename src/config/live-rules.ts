/** What `live` refuses to start with: embedded parts, settings meant for a sandbox, and whatever would let others in. */
import { url } from 'node:inspector'

import type { Environment } from './environment.ts'
import { liveChainProblems } from './live-chains.ts'
import { liveSecretProblems } from './live-secrets.ts'
import { isLoopbackHost } from './loopback.ts'
import { whyNotOfService } from './operator-token.ts'
import { type Config, SEALING_ROLES } from './types.ts'

/** Shorter IPv4 and IPv6 prefixes hold more addresses than a network of one's own (10.0.0.0/8, fc00::/7). */
const MIN_PROXY_BITS = { ipv4: 8, ipv6: 7 }
const TLS_MODES = ['require', 'verify-ca', 'verify-full']

/**
 * What of the environment Node and drivers go by themselves. `checksCertificates`: of the servers that Node talks to. `tells`: variables by which they
 * write what they send to standard error, secrets included.
 */
type Beside = {
  checksCertificates: boolean
  pgHost: string | undefined
  tells: readonly string[]
  isDebugged: boolean
}

/** Reads it. */
export function readBeside(settings: Environment): Beside {
  const checksCertificates = settings.optional('NODE_TLS_REJECT_UNAUTHORIZED') !== '0'
  const tells = [
    ...(settings
      .optional('DEBUG')
      ?.split(/[\s,]+/)
      .some(isOfRedis)
      ? ['DEBUG']
      : []),
    ...(settings.isSet('NODE_DEBUG') ? ['NODE_DEBUG'] : []),
  ]
  return { checksCertificates, pgHost: settings.optional('PGHOST'), tells, isDebugged: url() !== undefined }
}

/** Whether a part of DEBUG, which many programs go by, has the driver of Redis tell what it does. */
function isOfRedis(pattern: string): boolean {
  const [begin = ''] = pattern.split('*')
  return pattern.startsWith('ioredis') || (pattern.includes('*') && 'ioredis:'.startsWith(begin))
}

/** One sentence per reason why this configuration must not move real money. */
export function liveProblems(config: Config, beside: Beside): string[] {
  const problems: string[] = []
  const refuse = (when: boolean, problem: string) => {
    if (when) problems.push(problem)
  }
  refuse(config.databaseUrl === undefined, 'live needs DATABASE_URL: the embedded database is for the sandbox only.')
  refuse(config.chains.length === 0, 'live needs CHAINS_FILE: the embedded chain is for the sandbox only.')
  refuse(
    SEALING_ROLES.some((role) => config.roles.has(role)) && config.secretsKey === undefined,
    'live needs SECRETS_KEY in a process with the role payer, courier or operator: it seals bank details and the secrets of webhooks and operators.',
  )
  refuse(
    config.roles.has('payer') && config.reservesKey === undefined,
    'live needs RESERVES_SIGNING_KEY in a process with the role payer: it signs the proof of reserves.',
  )
  refuse(
    config.identityProvider !== undefined && config.operatorToken !== undefined,
    whyNotOfService(config.operatorToken) ??
      'live refuses OPERATOR_TOKEN beside OIDC_ISSUER: the first admin comes through the identity provider too.',
  )
  refuse(config.webhookAllowLoopback, 'live refuses WEBHOOK_ALLOW_LOOPBACK=true.')
  refuse(
    config.payout.type === 'simulated',
    'live needs PAYOUT_RAIL=http or bank_files: the simulated rail pays nobody.',
  )
  refuse(
    config.payout.type === 'http' && config.payout.url !== '' && !isSafe(config.payout.url),
    'PAYOUT_URL must be an https address in live (http only to this machine).',
  )
  refuse(
    !beside.checksCertificates,
    'live refuses NODE_TLS_REJECT_UNAUTHORIZED=0: anybody could pose as a bank or a node.',
  )
  refuse(
    beside.isDebugged,
    'live refuses a debugger (--inspect, also in NODE_OPTIONS): whoever reaches its port runs what they like, with every key.',
  )
  for (const name of beside.tells)
    refuse(true, `live refuses ${name}: passwords, tokens and addresses with keys would be in the log.`)
  problems.push(...databaseProblems(config, beside))
  refuse(
    !isEncryptedRedis(config.redisUrl),
    'REDIS_URL must begin with rediss:// in live, unless the server is on this machine.',
  )
  refuse(
    config.trustedProxies.some(isEverybody),
    'TRUSTED_PROXIES trusts everybody, who could then choose the address that they seem to come from: name your reverse proxy.',
  )
  return [...problems, ...liveSecretProblems(config), ...liveChainProblems(config.chains)]
}

/** Passwords and money cross no network in the clear. */
export function databaseProblems(
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  { pgHost }: Pick<Beside, 'pgHost'>,
): string[] {
  if (isEncryptedDatabase(databaseUrl, pgHost)) return []
  return [
    'DATABASE_URL must end in ?sslmode=verify-full in live (or require, verify-ca, but not with uselibpqcompat), unless the server is on this machine.',
  ]
}

function isSafe(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isLoopbackHost(hostname)
}

/**
 * A server with a folder as its name is reached through a socket of this machine; where the address has no name, the driver takes PGHOST, or this
 * machine. Of a parameter that is there twice it takes the last; with `uselibpqcompat` it checks whom it talks to in one mode only.
 */
function isEncryptedDatabase(url: string | undefined, pgHost = ''): boolean {
  if (url === undefined) return true
  const { hostname, searchParams } = new URL(url)
  const last = (name: string) => searchParams.getAll(name).at(-1) ?? ''
  const host = last('host') || decodeURIComponent(hostname) || pgHost
  if (host === '' || host.startsWith('/') || isLoopbackHost(host)) return true
  return last('uselibpqcompat') === 'true' ? last('sslmode') === 'verify-full' : TLS_MODES.includes(last('sslmode'))
}

function isEncryptedRedis(url: string | undefined): boolean {
  if (url === undefined) return true
  const { protocol, hostname } = new URL(url)
  return protocol === 'rediss:' || isLoopbackHost(hostname)
}

function isEverybody(entry: string): boolean {
  const [address = '', bits] = entry.split('/')
  return bits !== undefined && Number(bits) < (address.includes(':') ? MIN_PROXY_BITS.ipv6 : MIN_PROXY_BITS.ipv4)
}
