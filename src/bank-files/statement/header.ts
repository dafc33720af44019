/** Which account a statement or notification is about, and whether it is complete. */
import { masked, refuse } from '../refusal.ts'
import { child, countOf, flagOf, optionalChild, optionalText } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { accountOf, isAccountNumber } from '../xml/values.ts'

export type AccountRules = {
  /** The issuer's own accounts; statements of others are foreign. */
  ownAccounts: ReadonlySet<string>
  /** The time zone in which an instant becomes a booking day. */
  timeZone: string
  /** An operator wants entries as the bank booked them, although their transactions do not make them, or two say the same. */
  asBooked?: boolean
}

/**
 * Leaves out statements of accounts in other currencies, none of which is ours: a bank may put all accounts of the issuer into one file.
 * A file of nothing else is kept whole, so that it is refused, and the refusal says why.
 * @returns `leftOut`: which accounts, and why
 */
export function withoutOtherCurrencies(
  all: readonly XmlElement[],
  rules: AccountRules,
): { ours: readonly XmlElement[]; leftOut: string[] } {
  const others = all.flatMap((element) => otherCurrencyIn(element, rules) ?? [])
  if (others.length === all.length) return { ours: all, leftOut: [] }
  const ours = all.filter((element) => otherCurrencyIn(element, rules) === undefined)
  return { ours, leftOut: others.map((account) => `${masked(account)}: It is not kept in MYR.`) }
}

/** The number of an account in another currency. */
function otherCurrencyIn(parent: XmlElement, { ownAccounts }: AccountRules): string | undefined {
  const element = child(parent, 'Acct')
  const account = accountOf(element)
  const isOther = (optionalText(element, 3, 'Ccy') ?? 'MYR') !== 'MYR'
  return isOther && account !== null && !ownAccounts.has(account) ? account : undefined
}

/** The account of a statement. @throws a refusal: `foreign`, `wrong_currency`, `wrong_content` */
export function ownAccountIn(parent: XmlElement, rules: AccountRules): string {
  const element = child(parent, 'Acct')
  const account = accountOf(element) ?? refuse('wrong_content', `<${parent.name}> names no account.`)
  const currency = optionalText(element, 3, 'Ccy') ?? 'MYR'
  if (currency !== 'MYR') refuse('wrong_currency', `The account ${masked(account)} is not kept in MYR.`)
  refuseForeign(account, rules)
  return account
}

/** A number without leading zeros, with which a bank may write it in one kind of file and not in another. */
export const plainNumber = (account: string): string => account.replace(/^0+/, '')

/** @throws a refusal: `foreign`, or `wrong_content` for what is no account number */
export function refuseForeign(account: string, { ownAccounts }: AccountRules): void {
  if (!isAccountNumber(account))
    refuse('wrong_content', `${masked(account)} is not an account number of 5 to 17 digits.`)
  if (!ownAccounts.has(account)) refuse('foreign', `The account ${masked(account)} is not one of ours.`)
}

/** @throws a refusal when a file or statement is one page of several: a part of a statement cannot be applied */
export function refuseOtherPages(parent: XmlElement, name: string): void {
  const pagination = optionalChild(parent, name)
  if (pagination === undefined) return
  if (countOf(child(pagination, 'PgNb')) !== 1 || !flagOf(child(pagination, 'LastPgInd'))) {
    refuse('not_complete', 'The file is one page of several; ask the bank for whole statements.')
  }
}
