/** What an operator decides about a key: scopes, allowlist, rates, caps. */
import type { PolicyConfig } from '../config.ts'
import { type ApiKey, isScope, SCOPES, type Scope } from '../integrations/api-key.ts'
import type { KeyUse } from '../integrations/key-uses.sql.ts'
import { formatAmount } from '../money.ts'
import { parseAllowlistEntry } from '../values/ip-allowlist.ts'
import { parseLimit } from './amounts.ts'
import { OperatorError } from './errors.ts'

export type KeyInput = {
  /** `all`, or names separated by commas. */
  scopes: string
  ipAllowlist?: string[]
  rateRead?: number
  rateWrite?: number
  rateBalances?: number
  /** Coin, as decimal strings. */
  transferTxCap?: string
  transferDayCap?: string
  /** Ringgit, likewise. */
  mintDayCap?: string
}

export type KeySettings = Pick<
  ApiKey,
  'scopes' | 'ipAllowlist' | 'rates' | 'transferTxCapMicro' | 'transferDayCapMicro' | 'mintDayCapMicro'
>

/** What changes of a key: only what is named. Addresses are replaced as a whole; an empty list means from anywhere. */
export type KeyChange = Omit<KeyInput, 'scopes'>

/** A key's settings with these changes. @throws OperatorError BAD_REQUEST as `parseKeySettings` */
export function changeKeySettings(key: KeySettings, change: KeyChange, policy: PolicyConfig): KeySettings {
  const changed = parseKeySettings({ ...change, scopes: 'all' }, policy)
  return {
    scopes: key.scopes,
    ipAllowlist: change.ipAllowlist === undefined ? key.ipAllowlist : changed.ipAllowlist,
    rates: {
      read: changed.rates.read ?? key.rates.read,
      write: changed.rates.write ?? key.rates.write,
      balances: changed.rates.balances ?? key.rates.balances,
    },
    transferTxCapMicro: changed.transferTxCapMicro ?? key.transferTxCapMicro,
    transferDayCapMicro: changed.transferDayCapMicro ?? key.transferDayCapMicro,
    mintDayCapMicro: changed.mintDayCapMicro ?? key.mintDayCapMicro,
  }
}

/** Checks a key's settings. @throws OperatorError BAD_REQUEST naming the scope, CIDR or cap that is wrong */
export function parseKeySettings(input: KeyInput, policy: PolicyConfig): KeySettings {
  return {
    scopes: parseScopes(input.scopes),
    ipAllowlist: (input.ipAllowlist ?? []).map(parseCidr),
    rates: { read: input.rateRead ?? null, write: input.rateWrite ?? null, balances: input.rateBalances ?? null },
    transferTxCapMicro: parseCap('transferTxCap', input.transferTxCap, policy.transferTxCapMicro),
    transferDayCapMicro: parseCap('transferDayCap', input.transferDayCap, policy.transferDayCapMicro),
    mintDayCapMicro: parseCap('mintDayCap', input.mintDayCap, policy.mintDayCapMicro),
  }
}

function parseScopes(list: string): Set<Scope> {
  const names = list.split(',').map((name) => name.trim())
  if (names.length === 1 && names[0] === 'all') return new Set(SCOPES)
  const unknown = names.find((name) => !isScope(name))
  if (unknown === undefined) return new Set(names.filter(isScope))
  throw new OperatorError(
    'BAD_REQUEST',
    `"${unknown.slice(0, 50)}" is not a scope. Give "all" or some of ${SCOPES.join(', ')}.`,
  )
}

function parseCidr(entry: string): string {
  const canonical = parseAllowlistEntry(entry)
  if (canonical !== undefined) return canonical
  throw new OperatorError(
    'BAD_REQUEST',
    `"${entry}" is not an IP address or CIDR range, such as 203.0.113.7 or 203.0.113.0/24.`,
  )
}

/** A key's cap can only lower the policy's: no key may do more than the policy allows everybody. */
function parseCap(field: string, value: string | undefined, policyMicro: bigint | null): bigint | null {
  if (value === undefined) return null
  const capMicro = parseLimit(field, value)
  if (policyMicro === null || capMicro <= policyMicro) return capMicro
  throw new OperatorError('BAD_REQUEST', `"${field}" must not be above the policy's ${formatAmount(policyMicro)}.`)
}

const amountOrNull = (amountMicro: bigint | null) => (amountMicro === null ? null : formatAmount(amountMicro))

/** A key's settings for the audit log. */
export function describeKeySettings(key: KeySettings & { expiresAt: Date | null }) {
  return {
    scopes: [...key.scopes],
    ipAllowlist: key.ipAllowlist,
    rateRead: key.rates.read,
    rateWrite: key.rates.write,
    rateBalances: key.rates.balances,
    transferTxCap: amountOrNull(key.transferTxCapMicro),
    transferDayCap: amountOrNull(key.transferDayCapMicro),
    mintDayCap: amountOrNull(key.mintDayCapMicro),
    expiresAt: key.expiresAt?.toISOString() ?? null,
  }
}

/** What of a key's settings differs, for the audit log: as it is, and under the same name with `Before` as it was. */
export function describeKeyChange(
  before: KeySettings & { expiresAt: Date | null },
  after: KeySettings & { expiresAt: Date | null },
) {
  const was = describeKeySettings(before)
  const is = describeKeySettings(after)
  const names = (Object.keys(is) as (keyof typeof is)[]).filter(
    (name) => JSON.stringify(is[name]) !== JSON.stringify(was[name]),
  )
  return Object.fromEntries(
    names.flatMap(
      (name) =>
        [
          [name, is[name]],
          [`${name}Before`, was[name]],
        ] as const,
    ),
  )
}

/** A key as operators see it: without its secret and without its hash. */
export function viewKey(key: ApiKey, lastUse: KeyUse | undefined) {
  return {
    keyId: key.keyId,
    integrationId: key.integrationId,
    environment: key.environment,
    ...describeKeySettings(key),
    revokedAt: key.revokedAt,
    createdAt: key.createdAt,
    lastUsedAt: lastUse?.usedAt ?? null,
    lastUsedFrom: lastUse?.address ?? null,
  }
}
