/** What is filled in about an API key, and the request that it makes. */
import type { Field } from '../field.ts'

export type KeyRow = {
  keyId: string
  scopes: string[]
  ipAllowlist: string[]
  rateRead: number | null
  rateWrite: number | null
  rateBalances: number | null
  transferTxCap: string | null
  transferDayCap: string | null
  mintDayCap: string | null
  expiresAt: string | null
  revokedAt: string | null
  createdAt: string
  lastUsedAt: string | null
  lastUsedFrom: string | null
}

export const SCOPES_FIELD: Field = {
  name: 'scopes',
  label: 'Scopes',
  value: 'all',
  hint: 'all, or separated by commas: mint:, redeem: and transfer: each with create, execute or read; balance:read, transaction:read, account:read, config:read',
}

export const KEY_LIMITS: readonly Field[] = [
  {
    name: 'ipAllowlist',
    label: 'From addresses',
    optional: true,
    hint: 'addresses or ranges, separated by commas; empty: from anywhere',
  },
  { name: 'expires', label: 'Expires', optional: true, hint: 'an instant such as 2027-01-31T00:00:00Z, or never' },
  { name: 'rateRead', label: 'Reads a minute', optional: true },
  { name: 'rateWrite', label: 'Writes a minute', optional: true },
  { name: 'rateBalances', label: 'Balances a minute', optional: true },
  { name: 'transferTxCap', label: 'Coin in a transfer, at most', optional: true },
  { name: 'transferDayCap', label: 'Coin transferred in a day, at most', optional: true },
  { name: 'mintDayCap', label: 'Ringgit minted in a day, at most', optional: true },
]

const RATES = ['rateRead', 'rateWrite', 'rateBalances']

type Filled = Record<string, string>

const listOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

function typed([name, value]: [string, string]): [string, unknown] {
  if (name === 'ipAllowlist') return [name, listOf(value)]
  return [name, RATES.includes(name) ? Number(value) : value]
}

/** The request that creates a key. */
export function bodyOfNewKey(filled: Filled): Record<string, unknown> {
  return Object.fromEntries(Object.entries(filled).map(typed))
}

/** The fields of a key with what is there now. */
export function limitsOf(key: KeyRow): Field[] {
  return KEY_LIMITS.map((field) => ({ ...field, value: shown(key, field.name) }))
}

function shown(key: KeyRow, name: string): string {
  if (name === 'ipAllowlist') return key.ipAllowlist.join(', ')
  if (name === 'expires') return key.expiresAt ?? 'never'
  const value = key[name as keyof KeyRow]
  return value === null ? '' : String(value)
}

/**
 * The request that changes a key: only what was changed in the form. Addresses that were emptied mean from anywhere.
 * @throws Error for a limit that was emptied: the API takes none away, and nobody must believe that it is gone
 */
export function bodyOfKey(filled: Filled, key: KeyRow): Record<string, unknown> {
  const changed = KEY_LIMITS.flatMap(({ name, label }): [string, string][] => {
    const value = filled[name] ?? ''
    if (value === shown(key, name)) return []
    if (value !== '' || name === 'ipAllowlist') return [[name, value]]
    const instead = name === 'expires' ? 'write “never”' : 'give another one, or create a new key without it'
    throw new Error(`“${label}” cannot be emptied: ${instead}.`)
  })
  return Object.fromEntries(changed.map(typed))
}
