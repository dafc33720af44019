/** Whether the ringgit at the bank covers more coin (pure). Amounts are micro units. */

export type ReservePolicy = {
  /** `warn` only tells; with `hold` no mint is signed that the reserve does not cover. */
  guard: 'off' | 'warn' | 'hold'
  /** How old a statement may be. */
  maxAgeMs: number
}

/** What the bank last said about an account, and what the books made of it. */
export type ReserveAccount = {
  bankAccount: string
  closingMicro: bigint
  /** What the books hold of it: lines that are not booked yet are missing. */
  bookedMicro: bigint
  /** Credits since the statement, as the bank has notified them. */
  creditsSinceMicro: bigint
  /** Since the end of the day that the statement closes. */
  ageMs: number
}

export type ReserveFacts = {
  accounts: readonly ReserveAccount[]
  /** With the rail, and not yet on a statement; or come from another account of ours, for certain or perhaps, whose statement does not show that it left. */
  clearingMicro: bigint
  /** Coin in existence on all chains, foreign mints included. */
  coinsMicro: bigint
  /** Mints in batches that are signed and not final. */
  signedMicro: bigint
  /** Burnt, and not yet with the rail: whole sen, and parts of a sen. */
  payableMicro: bigint
  residualMicro: bigint
}

/** What the reserve comes to, once what is on its way out has left it. */
export function availableOf({ accounts, clearingMicro }: ReserveFacts): bigint {
  return accounts.map(balanceOf).reduce((total, balance) => total + balance, 0n) - clearingMicro
}

/**
 * Of the bank's balance and that of the books the lower one: a line that is not booked yet would count twice, or hide
 * that something is owed for it.
 */
function balanceOf({ closingMicro, bookedMicro, creditsSinceMicro }: ReserveAccount): bigint {
  return (closingMicro < bookedMicro ? closingMicro : bookedMicro) + creditsSinceMicro
}

/** What the reserve must cover: every coin, every mint that may become one, and what is owed for burnt ones. */
export function committedOf({ coinsMicro, signedMicro, payableMicro, residualMicro }: ReserveFacts): bigint {
  return coinsMicro + signedMicro + payableMicro + residualMicro
}

export type Room = {
  /** How much more coin the reserve covers; never negative. */
  roomMicro: bigint
  /** Why it covers none: no statement was ever read, or one of an account with money in it is too old. */
  blind: 'no_statement' | 'statement_old' | undefined
  /** Accounts whose statement is too old. */
  oldAccounts: readonly string[]
}

/** What was notified since an empty statement is money too, of which an old one says nothing. */
export function holdsMoney({ closingMicro, creditsSinceMicro }: ReserveAccount): boolean {
  return closingMicro !== 0n || creditsSinceMicro !== 0n
}

/** How much more coin may be minted. Nothing, while the newest statements do not say what the reserve is. */
export function roomOf(facts: ReserveFacts, { maxAgeMs }: Pick<ReservePolicy, 'maxAgeMs'>): Room {
  const oldAccounts = facts.accounts
    .filter((account) => holdsMoney(account) && account.ageMs > maxAgeMs)
    .map(({ bankAccount }) => bankAccount)
  const room = availableOf(facts) - committedOf(facts)
  const blind = facts.accounts.length === 0 ? 'no_statement' : oldAccounts.length > 0 ? 'statement_old' : undefined
  return { roomMicro: blind === undefined && room > 0n ? room : 0n, blind, oldAccounts }
}
