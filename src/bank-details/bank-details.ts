/** Bank details of people and companies as they are kept: sealed, with keyed hashes by which equal ones are found (no database). */
import type { SecretBox } from '../secrets/secrets.ts'
import { newId } from '../values/ids.ts'

/** `text`: what a bank wrote beside account and name. */
export type BankDetails = {
  bic: string | null
  account: string | null
  name: string | null
  text?: string
}

/**
 * What a seal is bound to besides its row, so that it opens for nobody and nothing else: whoever could change rows, and has no key,
 * could point a payment at another row, or fill in another's seal.
 */
export type Belonging = {
  /** Whose account it is. */
  customerId?: string | null
  /** The payment whose payee it is: see `paymentBound`. */
  payment?: string | null
}

/** A sealed value, and what must be said to open it. */
export type Sealed = Belonging & { bankId: string; sealed: string }

/** A row of `bank_details`. */
export type SealedDetails = Hashes & {
  bankId: string
  sealed: string
  bic: string | null
  accountEnding: string | null
}

type Hashes = { accountKey: string | null; textKey: string | null; nameKeys: readonly string[] | null }

/** Customers are found by each word of the name; nobody else is. */
export function sealDetails(secrets: SecretBox, details: BankDetails, belonging: Belonging): SealedDetails {
  const bankId = newId('bnk')
  const sealed = secrets.seal(JSON.stringify(details), boundTo(bankId, belonging))
  const { bic, account } = details
  return {
    bankId,
    sealed,
    bic,
    accountEnding: account?.slice(-4).toWellFormed() ?? null,
    ...hashesOf(secrets, details, { isFoundByName: (belonging.customerId ?? null) !== null }),
  }
}

/**
 * Opens bank details. Where money goes by them, what they belong to comes from what is paid, not from their own row.
 * @throws SecretBoxError when they were sealed under a key that is not known here, for another row, or as somebody else's
 */
export function openDetails(secrets: SecretBox, { bankId, sealed, ...belonging }: Sealed): BankDetails {
  return detailsFrom(secrets.open(sealed, boundTo(bankId, belonging)))
}

/** A payment and its amount, as a payee's seal is bound to them. */
export function paymentBound({ endToEndId, amountSen }: { endToEndId: string; amountSen: bigint }): string {
  return `${endToEndId} ${amountSen}`
}

function boundTo(bankId: string, { customerId, payment }: Belonging): string {
  return [bankId, customerId, payment].filter((part) => part != null).join(' ')
}

/** What an opened seal says. */
export function detailsFrom(text: string): BankDetails {
  return JSON.parse(text) as BankDetails
}

/** The hashes of details under the present key. */
export function hashesOf(
  secrets: SecretBox,
  { account, name, text }: BankDetails,
  { isFoundByName }: { isFoundByName: boolean },
): Hashes {
  return {
    accountKey: account === null ? null : accountKeys(secrets, account)[0],
    textKey: text === undefined ? null : secrets.hashes(text, 'text')[0],
    nameKeys: isFoundByName ? wordsOf(name ?? '').map((word) => secrets.hashes(word, 'name')[0]) : null,
  }
}

/** The hashes that an account number has here: more than one while one key replaces another. */
export function accountKeys(secrets: SecretBox, account: string): readonly [string, ...string[]] {
  return secrets.hashes(account, 'account')
}

/** For each word of a text, the hashes that it has in `name_keys`; empty when it has no words. */
export function wordKeys(secrets: SecretBox, text: string): (readonly string[])[] {
  return wordsOf(text).map((word) => secrets.hashes(word, 'name'))
}

/** Whether a text has words for which names are looked through: those of one letter are not kept. */
export const hasWords = (text: string): boolean => wordsOf(text).length > 0

const MOST_WORDS = 20

function wordsOf(name: string): string[] {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}'’]+/u)
  return [...new Set(words.filter((word) => word.length >= 2))].slice(0, MOST_WORDS)
}
