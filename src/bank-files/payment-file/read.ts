/** pain.001.001.09 → payment file: reads back what went out. */

import { BANK_TIME_ZONE } from '../day.ts'
import type { FileIdentity, Message } from '../definitions.ts'
import { openMessage } from '../definitions.ts'
import { catchRefusal, type Reading, refuse } from '../refusal.ts'
import { child, children, countOf, optionalText, textIn } from '../xml/element.ts'
import { parseXml, type XmlElement } from '../xml/parse.ts'
import { dayOf, plainSenOf, senOf } from '../xml/values.ts'
import { checkSent, type FiledPayment, paymentsOf, type SentFile, totalsOf } from './file.ts'
import type { Account, BankProfile, Payment } from './payment.ts'

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

function readSent(element: XmlElement, residency: BankProfile['residency']): SentFile['sections'][number] {
  const payments = children(element, 'CdtTrfTxInf').map((payment) => readPayment(payment, residency))
  checkTotals(element, payments)
  return {
    sectionId: textIn(element, 'PmtInfId', 35),
    executionDay: dayOf(child(element, 'ReqdExctnDt'), BANK_TIME_ZONE),
    payments,
  }
}

const residencyOf = (payment: XmlElement) => textIn(child(child(payment, 'RgltryRptg'), 'Dtls'), 'Inf', 35)

function readPayment(element: XmlElement, residency: BankProfile['residency']): FiledPayment {
  const id = child(element, 'PmtId')
  return {
    instructionId: textIn(id, 'InstrId', 35),
    endToEndId: textIn(id, 'EndToEndId', 35),
    amountSen: senOf(child(child(element, 'Amt'), 'InstdAmt')),
    payee: readPayee(element),
    isResident: residencyOf(element) === residency.resident,
    remittanceText: optionalText(element, 140, 'RmtInf', 'Ustrd') ?? '',
  }
}

function readPayee(payment: XmlElement): Account {
  return {
    bic: textIn(child(child(payment, 'CdtrAgt'), 'FinInstnId'), 'BICFI', 11),
    account: textIn(child(child(child(payment, 'CdtrAcct'), 'Id'), 'Othr'), 'Id', 34),
    name: textIn(child(payment, 'Cdtr'), 'Nm', 140),
  }
}

function checkTotals(parent: XmlElement, payments: readonly Payment[]): void {
  const { count, sumSen } = totalsOf(payments)
  if (countOf(child(parent, 'NbOfTxs')) !== count || plainSenOf(child(parent, 'CtrlSum')) !== sumSen) {
    refuse('inconsistent_sums', `<${parent.name}> states another number or sum than its payments have.`)
  }
}
