/**
 * The accounts of the books. Each belongs to somebody: an integration, a chain, a bank account or a rail; its name is
 * `kind:owner`. docs/BOOKS.md says what each of them means.
 */

/** Kind → whose accounts they are, and on which side they grow: `debit` is what we have, `credit` what we owe. */
export const ACCOUNT_KINDS = {
  /** Ringgit in a bank account. */
  reserve: { owner: 'bankAccount', grows: 'debit' },
  /** Ringgit that an integration said to have settled for mints, not yet seen at the bank. */
  mint_receivable: { owner: 'integration', grows: 'debit' },
  /** Fees that an integration was charged and has not paid. */
  fees_receivable: { owner: 'integration', grows: 'debit' },
  /** Coin in existence on a chain: every one is a ringgit that we owe to its holder. */
  coins: { owner: 'chain', grows: 'credit' },
  /** Burnt, and not yet with the rail: whole sen. */
  redeem_payable: { owner: 'integration', grows: 'credit' },
  /** With the rail, and not yet on a statement. */
  payout_clearing: { owner: 'rail', grows: 'credit' },
  /** Burnt parts of a sen, which go out with a later payout. */
  residual: { owner: 'integration', grows: 'credit' },
  fees: { owner: 'integration', grows: 'credit' },
  /** Ringgit at the bank that nothing explains yet. */
  unallocated: { owner: 'bankAccount', grows: 'credit' },
} as const satisfies Record<string, { owner: string; grows: 'debit' | 'credit' }>
export type AccountKind = keyof typeof ACCOUNT_KINDS

export type Account = `${AccountKind}:${string}`

/** Names an account. @param owner no spaces: an id, a chain id, the name of a rail */
export function accountOf(kind: AccountKind, owner: string | number): Account {
  return `${kind}:${owner}`
}

/** What an account's name says; undefined when it is not the name of an account. */
export function readAccount(name: string): { kind: AccountKind; owner: string } | undefined {
  const separator = name.indexOf(':')
  const kind = name.slice(0, separator)
  const owner = name.slice(separator + 1)
  return Object.hasOwn(ACCOUNT_KINDS, kind) && owner !== '' ? { kind: kind as AccountKind, owner } : undefined
}
