/** Why there is more or less ringgit than what is owed (pure). Amounts are micro units; below zero is what is missing. */
import type { AccountKind } from '../ledger/accounts.ts'
import type { Balance } from '../ledger/balances.sql.ts'
import { availableOf, committedOf, type ReserveFacts } from './guard.ts'

export type Because = {
  /** Has come, and nothing explains it; it may have to be given back. */
  unexplainedMicro: bigint
  /** The issuer's own that it has put in; below zero what it has taken out. */
  ownFundsMicro: bigint
  /** Fees that were charged and paid: the issuer's own as well, until it takes them out as its own funds. */
  feesPaidMicro: bigint
  /** Below zero: minted, and not seen at the bank. */
  mintsAwaitedMicro: bigint
  /** Left once too often, and is to come back. */
  claimsMicro: bigint
  /** On its way between two accounts of the issuer. */
  betweenAccountsMicro: bigint
  /** What the books do not have: mints that are signed, coin that others made, what was notified, lines that wait, and what may count twice. */
  notBookedMicro: bigint
}

/**
 * What the difference between what is available and what is committed is made of. Entries balance, so in the books it is what all other accounts come to, and
 * whatever it is beyond that is in no books.
 */
export function becauseOf(facts: ReserveFacts, balances: readonly Balance[]): Because {
  const of = (...kinds: readonly AccountKind[]) =>
    balances.reduce((total, { kind, balanceMicro }) => (kinds.includes(kind) ? total - balanceMicro : total), 0n)
  const booked = {
    unexplainedMicro: of('unallocated'),
    ownFundsMicro: of('own_funds'),
    feesPaidMicro: of('fees', 'fees_receivable'),
    mintsAwaitedMicro: of('mint_receivable'),
    claimsMicro: of('claims'),
    betweenAccountsMicro: of('own_transfers'),
  }
  const bookedMicro = Object.values(booked).reduce((total, micro) => total + micro, 0n)
  return { ...booked, notBookedMicro: availableOf(facts) - committedOf(facts) - bookedMicro }
}
