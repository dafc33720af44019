/** One payment of a payment file, and whether a bank would carry it. */
import { saySen } from '../../money.ts'
import { type BankList, bankOf } from '../banks.ts'
import { isEndToEndId } from '../end-to-end-id.ts'
import { type BankRail, carries, type RailRules } from '../rails.ts'
import { catchRefusal, masked, quoted, type Reading, refuse } from '../refusal.ts'
import { hasSwiftText, isSwiftText, toSwiftText } from '../swift-text.ts'
import { isAccountNumber } from '../xml/values.ts'

export type Account = { bic: string; account: string; name: string }

export type Payment = {
  endToEndId: string
  amountSen: bigint
  payee: Account
  /**
   * Whether the payee is a resident as Bank Negara defines it: UOB, RHB and Citi refuse a payment that does not say.
   */
  isResident: boolean
  /** What the payee reads on the statement, from the order's `bankReference`; may be empty. */
  remittanceText: string
}

/** What the debtor's bank expects in a payment file. */
export type BankProfile = {
  banks: BankList
  rails: RailRules
  /** The bank's words for the payee's residency in `RgltryRptg`. */
  residency: { resident: string; nonResident: string }
}

export const RESIDENCY_WORDS = { resident: 'RESIDENT', nonResident: 'NON-RESIDENT' }

const MAX_NAME = 70
const MAX_REMITTANCE = 140
const BIC = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/

/**
 * Makes a payment fit for a rail, or says why an operator must act. Names are written in the characters that banks
 * carry and are never cut: a name that does not fit is refused, because the bank compares it with the account's. The
 * remittance text is only read by people and must not stop anybody's money, so it is cut, and characters without a
 * counterpart become `?`.
 */
export function preparePayment(payment: Payment, rail: BankRail, profile: BankProfile): Reading<Payment> {
  return catchRefusal(() => {
    const prepared = {
      ...payment,
      payee: preparePayee(payment.payee),
      remittanceText: toSwiftText(payment.remittanceText, '?').slice(0, MAX_REMITTANCE).trim(),
    }
    checkPayment(prepared, rail, profile)
    return prepared
  })
}

/** Why no payment to an account could be written, as a sentence; undefined when one can. */
export function payeeProblem(account: Account, banks: BankList): string | undefined {
  const reading = catchRefusal(() => checkAccount(preparePayee(account), banks))
  return reading.ok ? undefined : reading.refusal.sentence
}

function preparePayee(payee: Account): Account {
  if (!hasSwiftText(payee.name)) {
    refuse('unpayable', 'The account name has characters that banks do not carry; write it in Latin letters.')
  }
  return { ...payee, name: toSwiftText(payee.name, '') }
}

/** @throws a refusal, `unpayable`, when a payment is not as `preparePayment` leaves it */
export function checkPayment(payment: Payment, rail: BankRail, profile: BankProfile): void {
  const { endToEndId, amountSen, remittanceText } = payment
  if (!isEndToEndId(endToEndId)) refuse('unpayable', `${quoted(endToEndId)} is not an end-to-end id of ours.`)
  if (!carries(profile.rails, rail, amountSen)) {
    const { minSen, maxSen } = profile.rails[rail]
    refuse('unpayable', `${rail} carries ${saySen(minSen)} to ${saySen(maxSen)}, not ${saySen(amountSen)}.`)
  }
  checkAccount(payment.payee, profile.banks)
  if (!isSwiftText(remittanceText) || remittanceText.length > MAX_REMITTANCE) {
    refuse(
      'unpayable',
      `The remittance text has more than ${MAX_REMITTANCE} characters, or some that banks do not carry.`,
    )
  }
}

/** @throws a refusal, `unpayable`, when no bank of the list would know the account */
export function checkAccount({ bic, account, name }: Account, banks: BankList): void {
  if (!isAccountNumber(account)) refuse('unpayable', 'The account number must have 5 to 17 digits.')
  const bank = BIC.test(bic) ? bankOf(banks, bic) : undefined
  if (bank === undefined) refuse('unpayable', `The BIC ${quoted(bic)} is not in the bank list.`)
  if (bank.accountDigits.length > 0 && !bank.accountDigits.includes(account.length)) {
    const lengths = bank.accountDigits.join(' or ')
    refuse('unpayable', `Accounts of ${bank.name} have ${lengths} digits, ${masked(account)} has ${account.length}.`)
  }
  if (!isName(name)) refuse('unpayable', `The account name must have 1 to ${MAX_NAME} characters that banks carry.`)
}

/** True for a name that may stand in a payment file. A leading slash would be read as a SWIFT code. */
export function isName(name: string): boolean {
  return isSwiftText(name) && name.length <= MAX_NAME && /[A-Za-z0-9]/.test(name) && !/^[ /]| $|\/\//.test(name)
}
