/** pain.001.001.09 → payment file: reads back what went out and, in tests, what is written. */

import { BANK_TIME_ZONE } from '../day.ts'
import type { FileIdentity, Message } from '../definitions.ts'
import { openMessage } from '../definitions.ts'
import { type BankRail, RAILS } from '../rails.ts'
import { catchRefusal, quoted, type Reading, refuse } from '../refusal.ts'
import { child, children, countOf, optionalText, textIn } from '../xml/element.ts'
import { parseXml, type XmlElement } from '../xml/parse.ts'
import { dayOf, plainSenOf, senOf } from '../xml/values.ts'
import {
  checkPaymentFile,
  checkSent,
  type FiledPayment,
  type PaymentFile,
  type PaymentSection,
  paymentsOf,
  type SentFile,
  totalsOf,
} from './file.ts'
import type { Account, BankProfile, Payment } from './payment.ts'

export type ReadPaymentFile = PaymentFile & { identity: FileIdentity }

/** Reads one of our own payment files, whole and with the checks of its writing; everything else is refused. */
export function readPaymentFile(bytes: Uint8Array, profile: BankProfile): Reading<ReadPaymentFile> {
  return catchRefusal(() => {
    const message = openFile(bytes)
    return { ...readFile(message, profile), identity: message.identity }
  })
}

export type ReadSentFile = SentFile & { identity: FileIdentity }

/**
 * Reads one of our own payment files that went out, or may have: also what the profile would not write any more. Banks merge, lower their limits
 * and rename their rails while files are with them.
 */
export function readSentFile(bytes: Uint8Array, { residency }: Pick<BankProfile, 'residency'>): Reading<ReadSentFile> {
  return catchRefusal(() => {
    const { identity, body } = openFile(bytes)
    const sections = children(body, 'PmtInf').map((section) => readSent(section, residency))
    const file = { messageId: identity.messageId, sections, identity }
    checkSent(file)
    checkTotals(child(body, 'GrpHdr'), paymentsOf(file))
    return file
  })
}

function openFile(bytes: Uint8Array): Message {
  const message = openMessage(parseXml(bytes), bytes)
  if (message.identity.definition !== 'pain.001.001.09') refuse('unknown_message', 'The file is not a payment file.')
  return message
}

function readFile({ identity, body }: Message, profile: BankProfile): PaymentFile {
  const header = child(body, 'GrpHdr')
  const file = {
    messageId: identity.messageId,
    createdAt: new Date(identity.createdAt),
    initiatingParty: textIn(child(header, 'InitgPty'), 'Nm', 140),
    sections: children(body, 'PmtInf').map((section) => readSection(section, profile)),
  }
  checkPaymentFile(file, profile)
  checkTotals(header, paymentsOf(file))
  return file
}

function readSection(element: XmlElement, profile: BankProfile): PaymentSection {
  for (const payment of children(element, 'CdtTrfTxInf')) checkResidency(payment, profile)
  return {
    ...readSent(element, profile.residency),
    rail: railOf(textIn(child(child(element, 'PmtTpInf'), 'LclInstrm'), 'Prtry', 35), profile),
    debtor: readAccount(element, 'Dbtr'),
  }
}

function readSent(element: XmlElement, residency: BankProfile['residency']): SentFile['sections'][number] {
  const payments = children(element, 'CdtTrfTxInf').map((payment) => readPayment(payment, residency))
  checkTotals(element, payments)
  return {
    sectionId: textIn(element, 'PmtInfId', 35),
    executionDay: dayOf(child(element, 'ReqdExctnDt'), BANK_TIME_ZONE),
    payments,
  }
}

function railOf(word: string, { rails }: BankProfile): BankRail {
  const rail = RAILS.find((one) => rails[one].localInstrument === word)
  return rail ?? refuse('wrong_content', `No rail is called ${quoted(word)}.`)
}

const residencyOf = (payment: XmlElement) => textIn(child(child(payment, 'RgltryRptg'), 'Dtls'), 'Inf', 35)

function checkResidency(payment: XmlElement, { residency }: BankProfile): void {
  const word = residencyOf(payment)
  if (word !== residency.resident && word !== residency.nonResident) {
    refuse('wrong_content', `${quoted(word)} does not say whether the payee is a resident.`)
  }
}

function readPayment(element: XmlElement, residency: BankProfile['residency']): FiledPayment {
  const id = child(element, 'PmtId')
  return {
    instructionId: textIn(id, 'InstrId', 35),
    endToEndId: textIn(id, 'EndToEndId', 35),
    amountSen: senOf(child(child(element, 'Amt'), 'InstdAmt')),
    payee: readAccount(element, 'Cdtr'),
    isResident: residencyOf(element) === residency.resident,
    remittanceText: optionalText(element, 140, 'RmtInf', 'Ustrd') ?? '',
  }
}

function readAccount(parent: XmlElement, role: 'Dbtr' | 'Cdtr'): Account {
  return {
    bic: textIn(child(child(parent, `${role}Agt`), 'FinInstnId'), 'BICFI', 11),
    account: textIn(child(child(child(parent, `${role}Acct`), 'Id'), 'Othr'), 'Id', 34),
    name: textIn(child(parent, role), 'Nm', 140),
  }
}

function checkTotals(parent: XmlElement, payments: readonly Payment[]): void {
  const { count, sumSen } = totalsOf(payments)
  if (countOf(child(parent, 'NbOfTxs')) !== count || plainSenOf(child(parent, 'CtrlSum')) !== sumSen) {
    refuse('inconsistent_sums', `<${parent.name}> states another number or sum than its payments have.`)
  }
}
