/** What differs between mints, redeems and transfers; everything else is the same for all of them. */
import type { ChecksumRule } from './address.ts'
import type { Direction } from './order.ts'

/** A counter of usage towards a cap: its table, its owner's column, and its UTC period. */
export type UsageCounter = {
  table: string
  owner: 'key_id' | 'customer_id'
  period: 'day' | 'month'
  /** The columns of `orders` that say in which counter an order counts; otherwise its own owner and `created_at` do. */
  storedIn?: { owner: string; period: string }
}

export type Kind = {
  /** The scopes a key needs to post one (contract "Scopes"). An unconfirmed mint needs only the first. */
  scopes: readonly [create: string, execute: string]
  /** The field of the request that holds the amount. */
  amountField: 'amountMyr' | 'amountCoin'
  checksum: ChecksumRule
  /** The usage counter whose cap the accepting statement enforces; that of a mint when it is confirmed. */
  usage: UsageCounter
  /** Whether it takes coin from a wallet; the coin is earmarked there until the batch is mined. */
  debits: boolean
}

export const KINDS: Readonly<Record<Direction, Kind>> = {
  MINT: {
    scopes: ['mint:create', 'mint:execute'],
    amountField: 'amountMyr',
    checksum: 'required',
    usage: {
      table: 'mint_usage',
      owner: 'key_id',
      period: 'day',
      storedIn: { owner: 'mint_cap_key_id', period: 'mint_cap_day' },
    },
    debits: false,
  },
  REDEEM: {
    scopes: ['redeem:create', 'redeem:execute'],
    amountField: 'amountCoin',
    checksum: 'required',
    usage: { table: 'withdrawal_usage', owner: 'customer_id', period: 'month' },
    debits: true,
  },
  TRANSFER: {
    scopes: ['transfer:create', 'transfer:execute'],
    amountField: 'amountCoin',
    checksum: 'optional',
    usage: { table: 'transfer_usage', owner: 'key_id', period: 'day' },
    debits: true,
  },
}
