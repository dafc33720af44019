/** Bank details of people and companies as they are kept: sealed, with keyed hashes by which equal ones are found (no database). */
import { randomBytes } from 'node:crypto'
import type { SecretBox } from '../secrets.ts'

/** `text`: what a bank wrote beside account and name. */
export type BankDetails = {
  bic: string | null
  account: string | null
  name: string | null
  text?: string
}

/** A row of `bank_details`. */
export type SealedDetails = Hashes & {
  bankId: string
  sealed: string
  bic: string | null
  accountEnding: string | null
}

type Hashes = { accountKey: string | null; textKey: string | null; nameKeys: readonly string[] | null }

/** @param isFoundByName customers are, by each word of the name; nobody else is */
export function sealDetails(secrets: SecretBox, details: BankDetails, isFoundByName: boolean): SealedDetails {
  const bankId = `bnk_${randomBytes(12).toString('hex')}`
  const sealed = secrets.seal(JSON.stringify(details), bankId)
  const { bic, account } = details
  return {
    bankId,
    sealed,
    bic,
    accountEnding: account?.slice(-4) ?? null,
    ...hashesOf(secrets, details, isFoundByName),
  }
}

/** @throws SecretBoxError when it was sealed under a key that is not known here, or for another row */
export function openDetails(secrets: SecretBox, { bankId, sealed }: { bankId: string; sealed: string }): BankDetails {
  return detailsFrom(secrets.open(sealed, bankId))
}

/** What an opened seal says. */
export function detailsFrom(text: string): BankDetails {
  return JSON.parse(text) as BankDetails
}

/** The hashes of details under the present key. */
export function hashesOf(secrets: SecretBox, { account, name, text }: BankDetails, isFoundByName: boolean): Hashes {
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

const MOST_WORDS = 20

function wordsOf(name: string): string[] {
  const words = name
    .normalize('NFC')
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}'’]+/u)
  return [...new Set(words.filter((word) => word.length >= 2))].slice(0, MOST_WORDS)
}
