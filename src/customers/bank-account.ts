/** The registered bank account to which a customer's redeems are paid. */
import { COUNTRY_CODES } from './country.ts'

/** Where ringgit goes: the bank's BIC (ISO 9362), the account number in digits, and the name of its holder. */
export type BankAccount = { bic: string; account: string; name: string }

/** ISO 9362: business party prefix, country, business party suffix, and the optional branch identifier. */
const BIC_PATTERN = /^[A-Z0-9]{4}([A-Z]{2})[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/
const ACCOUNT_PATTERN = /^\d{5,20}$/
/** ISO 20022 Max140Text, without control characters. */
const NAME_PATTERN = /^[^\p{C}]{1,140}$/u
/** Kosovo has BICs but no ISO 3166-1 code. */
const BIC_ONLY_COUNTRY = 'XK'

/** Every problem of a bank account as a sentence that says what is expected; empty when the account can be paid. */
export function bankAccountProblems(bank: BankAccount): string[] {
  const problems: string[] = []
  const country = BIC_PATTERN.exec(bank.bic)?.[1]
  if (country === undefined || !(COUNTRY_CODES.has(country) || country === BIC_ONLY_COUNTRY)) {
    problems.push('The bank BIC must be 8 or 11 characters by ISO 9362, in capitals, such as MBBEMYKL.')
  }
  if (!ACCOUNT_PATTERN.test(bank.account))
    problems.push('The bank account must be 5 to 20 digits, without blanks or dashes.')
  if (!NAME_PATTERN.test(bank.name) || bank.name.trim() === '') {
    problems.push('The bank account name must be 1 to 140 printable characters.')
  }
  return problems
}
