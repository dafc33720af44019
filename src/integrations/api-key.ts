/** API keys: their form, their secrets, and what a key may do (contract "Authentication" and "Scopes"). */
import { randomBytes } from 'node:crypto'
import { makeSecret } from '../secrets/token-secret.ts'

export const SCOPES = [
  'mint:create',
  'mint:execute',
  'mint:read',
  'redeem:create',
  'redeem:execute',
  'redeem:read',
  'transfer:create',
  'transfer:execute',
  'transfer:read',
  'balance:read',
  'transaction:read',
  'account:read',
  'config:read',
] as const
export type Scope = (typeof SCOPES)[number]

export type Environment = 'sandbox' | 'live'

/** A key, with the fields of its integration that matter to it. Null rates and caps mean the configured default. */
export type ApiKey = {
  keyId: string
  integrationId: string
  environment: Environment
  secretSha256: string
  scopes: ReadonlySet<Scope>
  /** Addresses and CIDR ranges; empty: from anywhere. */
  ipAllowlist: string[]
  /** Requests a minute. */
  rates: { read: number | null; write: number | null; balances: number | null }
  transferTxCapMicro: bigint | null
  transferDayCapMicro: bigint | null
  mintDayCapMicro: bigint | null
  /** In whose usage its mints and transfers count: the first of the keys that it replaced one after another; null: its own. */
  capKeyId: string | null
  expiresAt: Date | null
  revokedAt: Date | null
  createdAt: Date
  integrationStatus: 'active' | 'suspended'
  /** `YYYY-MM-DD`; null: no data processing agreement. */
  dpaSignedOn: string | null
}

const API_KEY = /^coin_(sandbox|live)_([0-9a-f]{16})_([0-9A-Za-z]{43})$/

/** Whether `text` is one of the 13 scopes. */
export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/**
 * Makes a key `coin_<environment>_<16 hex>_<43 base62>`.
 * @returns the whole key, to be shown once, and what is stored of it: its id and the SHA-256 of its secret, in hex
 */
export function generateApiKey(environment: Environment): { keyId: string; apiKey: string; secretSha256: string } {
  const keyId = randomBytes(8).toString('hex')
  const { secret, secretSha256 } = makeSecret()
  return { keyId, apiKey: `coin_${environment}_${keyId}_${secret}`, secretSha256 }
}

/** Splits a key into its segments; undefined when it does not have the form of one. */
export function parseApiKey(text: string): { environment: Environment; keyId: string; secret: string } | undefined {
  const match = API_KEY.exec(text)
  if (match === null) return undefined
  const [, environment, keyId = '', secret = ''] = match
  return { environment: environment as Environment, keyId, secret }
}
