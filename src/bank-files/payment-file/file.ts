/** A payment file as data: the content of a pain.001, before it is written and after it is read. */
import { BANK_TIME_ZONE, isDay } from '../day.ts'
import { isEndToEndId } from '../end-to-end-id.ts'
import type { BankRail } from '../rails.ts'
import { quoted, refuse } from '../refusal.ts'
import { isSwiftText } from '../swift-text.ts'
import { type Account, type BankProfile, checkAccount, checkPayment, isName, type Payment } from './payment.ts'

export type FiledPayment = Payment & { instructionId: string }

/** Payments of one file that leave one account by one rail on one day (`PmtInf`). */
export type PaymentSection = {
  sectionId: string
  rail: BankRail
  executionDay: string
  debtor: Account
  payments: readonly FiledPayment[]
}

export type PaymentFile = {
  messageId: string
  createdAt: Date
  initiatingParty: string
  sections: readonly PaymentSection[]
}

export type NewSection = Omit<PaymentSection, 'sectionId' | 'payments'> & { payments: readonly Payment[] }

export const MAX_PAYMENTS = 10_000
const MAX_NUMBER = 99_999_999
const PREFIX = /^[A-Z0-9]{1,12}$/

/**
 * The message id of a payment file: the installation's prefix and the file's number in eight digits. It is also the
 * file's name.
 * @throws RangeError when the prefix is not 1 to 12 capitals and digits, or the number is not 1 to 99,999,999
 */
export function messageIdOf(prefix: string, fileNumber: number): string {
  if (!PREFIX.test(prefix)) throw new RangeError('The prefix of payment files is 1 to 12 capitals and digits.')
  if (!Number.isInteger(fileNumber) || fileNumber < 1 || fileNumber > MAX_NUMBER) {
    throw new RangeError(`Payment files are numbered from 1 to ${MAX_NUMBER}.`)
  }
  return `${prefix}-${String(fileNumber).padStart(8, '0')}`
}

/**
 * Gives each section and payment its id, made of message id, section and place in it, so that a repeat gives the same
 * ids.
 */
export function formPaymentFile(head: Omit<PaymentFile, 'sections'>, sections: readonly NewSection[]): PaymentFile {
  return {
    ...head,
    sections: sections.map((section, index) => {
      const sectionId = `${head.messageId}-${index + 1}`
      const payments = section.payments.map((payment, at) => ({ ...payment, instructionId: `${sectionId}-${at + 1}` }))
      return { ...section, sectionId, payments }
    }),
  }
}

/** The number of payments, and their sum in sen. */
export function totalsOf(payments: readonly Payment[]): { count: number; sumSen: bigint } {
  return { count: payments.length, sumSen: payments.reduce((sum, { amountSen }) => sum + amountSen, 0n) }
}

/** What a payment file says that went out: whom it pays, and when. Rails and limits were those of then. */
export type SentFile = {
  messageId: string
  sections: readonly Pick<PaymentSection, 'sectionId' | 'executionDay' | 'payments'>[]
}

/** All payments of a file. */
export function paymentsOf(file: Pick<SentFile, 'sections'>): FiledPayment[] {
  return file.sections.flatMap(({ payments }) => payments)
}

/** @throws a refusal when a bank would not take the file as a whole */
export function checkPaymentFile(file: PaymentFile, profile: BankProfile): void {
  checkSent(file)
  if (!isName(file.initiatingParty))
    refuse('unpayable', 'The initiating party must be named in characters that banks carry.')
  if (Number.isNaN(file.createdAt.getTime())) refuse('wrong_content', 'The time of creation is not a time.')
  for (const section of file.sections) checkSection(section, profile)
}

/** @throws a refusal of what no profile has ever written */
export function checkSent(file: SentFile): void {
  const payments = paymentsOf(file)
  if (payments.length === 0) refuse('unpayable', 'A payment file needs a payment.')
  if (payments.length > MAX_PAYMENTS) refuse('too_large', `A payment file has at most ${MAX_PAYMENTS} payments.`)
  for (const { endToEndId, amountSen } of payments) {
    if (!isEndToEndId(endToEndId)) refuse('unpayable', `${quoted(endToEndId)} is not an end-to-end id of ours.`)
    if (amountSen <= 0n) refuse('unpayable', `${quoted(endToEndId)} pays nothing.`)
  }
  const ids = [
    file.messageId,
    ...file.sections.map(({ sectionId }) => sectionId),
    ...payments.map((one) => one.instructionId),
  ]
  for (const id of ids) if (!isId(id)) refuse('unpayable', `${quoted(id)} is not an id that banks carry.`)
  refuseRepeats(
    'section',
    file.sections.map(({ sectionId }) => sectionId),
  )
  refuseRepeats(
    'instruction',
    payments.map(({ instructionId }) => instructionId),
  )
  refuseRepeats(
    'end-to-end',
    payments.map(({ endToEndId }) => endToEndId),
  )
}

function checkSection({ sectionId, rail, executionDay, debtor, payments }: PaymentSection, profile: BankProfile): void {
  if (payments.length === 0) refuse('unpayable', `Section ${quoted(sectionId)} has no payment.`)
  if (!isDay(executionDay)) refuse('wrong_content', `${quoted(executionDay)} is not a day of ${BANK_TIME_ZONE}.`)
  checkAccount(debtor, profile.banks)
  for (const payment of payments) checkPayment(payment, rail, profile)
}

function isId(id: string): boolean {
  return isSwiftText(id) && id.length >= 1 && id.length <= 35 && !/^\/|\/\/|\/$| /.test(id)
}

function refuseRepeats(what: string, ids: readonly string[]): void {
  const seen = new Set<string>()
  for (const id of ids) {
    if (seen.has(id)) refuse('duplicated_id', `The ${what} id ${quoted(id)} stands in the file twice.`)
    seen.add(id)
  }
}
