/** What differs between mints, redeems and transfers; everything else is the same for all of them. */
import type { Direction } from './order.ts'

/** A counter of what counts towards a cap: whose it is, and the UTC period that it counts. */
export type UsageCounter = { table: string; owner: string; period: 'day' | 'month' }

export type Kind = {
  /** What a key needs to post one (contract "Scopes"). A mint that is not confirmed needs the first alone. */
  scopes: readonly [create: string, execute: string]
  /** The field of the request that says how much. */
  amountField: 'amountMyr' | 'amountCoin'
  /** Whether the wallet address must be in its EIP-55 form. */
  checksum: 'required' | 'optional'
  /** Counts towards a cap that the accepting statement keeps. */
  usage: UsageCounter | undefined
  /** Takes coin from a wallet: it is earmarked there until the batch is mined. */
  debits: boolean
}

export const KINDS: Readonly<Record<Direction, Kind>> = {
  MINT: {
    scopes: ['mint:create', 'mint:execute'],
    amountField: 'amountMyr',
    checksum: 'required',
    usage: undefined,
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
