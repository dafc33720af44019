/**
 * The accounts of the books. Each belongs to somebody: an integration, a chain, a bank account or a rail; its name is
 * `kind:owner`. docs/BOOKS.md says what each of them means.
 */

/** Kind → whose accounts they are. */
export const ACCOUNT_KINDS = {
  /** Ringgit in a bank account. */
  reserve: { owner: 'bankAccount' },
  /** Ringgit that an integration said to have settled for mints, not yet seen at the bank. */
  mint_receivable: { owner: 'integration' },
  /** Fees that an integration was charged and has not paid. */
  fees_receivable: { owner: 'integration' },
  /** Coin in existence on a chain: every one is a ringgit that we owe to its holder. */
  coins: { owner: 'chain' },
  /** Burnt, and not yet with the rail: whole sen. */
  redeem_payable: { owner: 'integration' },
  /** With the rail, and not yet on a statement. */
  payout_clearing: { owner: 'rail' },
  /** Burnt parts of a sen, which go out with a later payout. */
  residual: { owner: 'integration' },
  fees: { owner: 'integration' },
  /** Ringgit at the bank that nothing explains yet. */
  unallocated: { owner: 'bankAccount' },
  /** Left the bank once more than it was to, and is to come back from the bank or the payee. */
  claims: { owner: 'bankAccount' },
  /** On its way between two bank accounts of the issuer, `FROM/TO`: the one has shown it and the other not yet; below zero what has come and not left. */
  own_transfers: { owner: 'bankAccounts' },
  /** What the issuer itself put in or took out: charges, interest, its own money. */
  own_funds: { owner: 'bankAccount' },
} as const satisfies Record<string, { owner: string }>
export type AccountKind = keyof typeof ACCOUNT_KINDS

/** Whether this names a kind of accounts, rather than one. */
export function isAccountKind(name: string): name is AccountKind {
  return Object.hasOwn(ACCOUNT_KINDS, name)
}

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
  return isAccountKind(kind) && owner !== '' ? { kind, owner } : undefined
}
