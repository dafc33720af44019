/** The bank, the accounts and the payments that the tests of bank files share. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { parseBankList } from '../../src/bank-files/banks.ts'
import { BANK_TIME_ZONE } from '../../src/bank-files/day.ts'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { formPaymentFile, messageIdOf, type PaymentFile } from '../../src/bank-files/payment-file/file.ts'
import {
  type Account,
  type BankProfile,
  type Payment,
  RESIDENCY_WORDS,
} from '../../src/bank-files/payment-file/payment.ts'
import { writePaymentFile } from '../../src/bank-files/payment-file/write.ts'
import { type BankRail, RAIL_RULES } from '../../src/bank-files/rails.ts'
import type { FileRefusal, Reading } from '../../src/bank-files/refusal.ts'

/** The text of a file in docs/samples. */
export function sample(name: string): string {
  return readFileSync(path.join(import.meta.dirname, '../../docs/samples', name), 'utf8')
}

/** What was read, or a failure that says why not. */
export function accepted<T>(result: Reading<T>): T {
  if (!result.ok) throw new Error(`refused: ${result.refusal.code}: ${result.refusal.sentence}`)
  return result.value
}

/** The refusal, or a failure because there was none. */
export function refusalOf(result: Reading<unknown>): FileRefusal {
  if (result.ok) throw new Error('nothing was refused')
  return result.refusal
}

export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))

export const PROFILE: BankProfile = {
  banks: accepted(parseBankList(sample('banks.json'))),
  rails: RAIL_RULES,
  residency: RESIDENCY_WORDS,
}

export const DEBTOR: Account = { bic: 'MBBEMYKL', account: '514012345678', name: 'Ringgit Coin Issuer Sdn Bhd' }

export const RULES = { ownAccounts: new Set([DEBTOR.account]), timeZone: BANK_TIME_ZONE }

/** A payment that every rail carries; `number` makes its end-to-end id. */
export function payment(number: number, changes: Partial<Payment> = {}): Payment {
  return {
    endToEndId: endToEndIdOf({ integrationId: 'int_1', referenceId: `redeem-${number}`, attempt: 1 }),
    amountSen: 1_000_000n,
    payee: { bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah binti Ahmad' },
    isResident: true,
    remittanceText: `REDEEM ${number}`,
    ...changes,
  }
}

/** A payment file with one section. */
export function paymentFile(payments: readonly Payment[], { number = 1, rail = 'ibg' as BankRail } = {}): PaymentFile {
  return formPaymentFile(
    {
      messageId: messageIdOf('COIN', number),
      createdAt: new Date('2026-11-20T02:00:00Z'),
      initiatingParty: DEBTOR.name,
    },
    [{ rail, executionDay: '2026-11-20', debtor: DEBTOR, payments }],
  )
}

/** The bytes of a payment file with one section. */
export function paymentFileBytes(
  payments: readonly Payment[],
  options: { number?: number; rail?: BankRail } = {},
): Uint8Array {
  return bytesOf(accepted(writePaymentFile(paymentFile(payments, options), PROFILE)))
}

const SWIFT_CHARACTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/-?:().,'+ "]

/** Texts that banks carry, as they come out of `toSwiftText`. */
const swiftTexts = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...SWIFT_CHARACTERS), { maxLength })
    .map((characters) => characters.join('').replace(/ +/g, ' ').trim())

const names = swiftTexts(68).map((text) => `A${text.replaceAll('//', '/-')}Z`)

const accounts = fc.constantFrom(...PROFILE.banks.values()).chain((bank) => {
  const length = fc.constantFrom(...(bank.accountDigits.length > 0 ? bank.accountDigits : [5, 9, 17]))
  return fc.record(
    {
      bic: fc.constantFrom(bank.bic, `${bank.bic}XXX`),
      account: length.chain((digits) => fc.stringMatching(new RegExp(`^[0-9]{${digits}}$`))),
      name: names,
    },
    { noNullPrototype: true },
  )
})

/** Payments as `preparePayment` leaves them, each with an id of its own. */
export function payments(rail: BankRail, maxLength = 20) {
  const { minSen, maxSen } = RAIL_RULES[rail]
  const one = fc.record<Payment>(
    {
      endToEndId: fc.stringMatching(/^[0-9A-Z]{12}$/),
      amountSen: fc.bigInt({ min: minSen, max: maxSen < 10n ** 12n ? maxSen : 10n ** 12n }),
      payee: accounts,
      isResident: fc.boolean(),
      remittanceText: swiftTexts(140),
    },
    { noNullPrototype: true },
  )
  return fc.uniqueArray(one, { selector: ({ endToEndId }) => endToEndId, minLength: 1, maxLength })
}
