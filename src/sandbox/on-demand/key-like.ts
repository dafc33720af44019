/** A key made on demand: never more than the key that asked for it. */
import type { NewKey } from '../../integrations/api-keys.sql.ts'
import type { KnownKey } from '../../integrations/key-cache.ts'

export type KeyChange = Pick<NewKey, 'keyId' | 'secretSha256'> & { expiresAt: Date } & Partial<
    Pick<NewKey, 'scopes' | 'ipAllowlist' | 'rates' | 'transferDayCapMicro' | 'mintDayCapMicro' | 'capKeyId'>
  >

/** The key as its holder has it. */
export function wholeKey(keyId: string, secret: string): string {
  return `coin_sandbox_${keyId}_${secret}`
}

/**
 * A key of the same integration with the caller's scopes, addresses, rates and caps, but for what is changed. Its mints and transfers
 * count in the caller's usage, it has no scope that the caller lacks, and it ends with the caller at the latest.
 */
export function keyLike(caller: KnownKey, { scopes = caller.scopes, expiresAt, ...change }: KeyChange): NewKey {
  const endsEarlier = caller.expiresAt !== null && caller.expiresAt < expiresAt
  return {
    integrationId: caller.integrationId,
    environment: 'sandbox',
    ipAllowlist: caller.ipAllowlist,
    rates: caller.rates,
    transferTxCapMicro: caller.transferTxCapMicro,
    capKeyId: caller.capKeyId ?? caller.keyId,
    ...change,
    transferDayCapMicro: lower(caller.transferDayCapMicro, change.transferDayCapMicro),
    mintDayCapMicro: lower(caller.mintDayCapMicro, change.mintDayCapMicro),
    scopes: [...scopes].filter((scope) => caller.scopes.has(scope)),
    expiresAt: endsEarlier ? caller.expiresAt : expiresAt,
  }
}

function lower(own: bigint | null, asked: bigint | null = null): bigint | null {
  return own === null || (asked !== null && asked < own) ? asked : own
}
