/** pain.002 → status report. */
import type { Message } from '../definitions.ts'
import { quoted, refuse } from '../refusal.ts'
import {
  child,
  children,
  countOf,
  optionalChild,
  optionalPath,
  optionalText,
  textIn,
  textOf,
  textsIn,
} from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { plainSenOf, senOf } from '../xml/values.ts'
import { refuseContradictions, refuseWrongCounts } from './check.ts'
import { meaningOf, type StatusReason } from './codes.ts'
import type { ReportedPayment, ReportedSection, ReportedStatus, StatusReport } from './report.ts'

const MAX_PAYMENTS = 100_000

/** @throws a refusal; see `readBankFile` */
export function readStatusReport({ identity, body }: Message): StatusReport {
  const original = child(body, 'OrgnlGrpInfAndSts')
  const definition = textIn(original, 'OrgnlMsgNmId', 35)
  if (!definition.startsWith('pain.001')) {
    refuse('foreign', `The report answers a ${quoted(definition)}; this service sends pain.001 only.`)
  }
  const count = optionalChild(original, 'OrgnlNbOfTxs')
  const sum = optionalChild(original, 'OrgnlCtrlSum')
  const sections = children(body, 'OrgnlPmtInfAndSts')
  if (sections.flatMap((section) => section.children).length > MAX_PAYMENTS) {
    refuse('too_large', `The report has more than ${MAX_PAYMENTS} payments.`)
  }
  const report: StatusReport = {
    identity,
    paymentFileId: textIn(original, 'OrgnlMsgId', 35),
    paymentCount: count === undefined ? null : countOf(count),
    paymentSumSen: sum === undefined ? null : plainSenOf(sum),
    status: statusIn(original, 'GrpSts'),
    sections: sections.map(readSection),
  }
  refuseContradictions(report)
  refuseWrongCounts(report, original, sections)
  return report
}

function readSection(element: XmlElement): ReportedSection {
  return {
    sectionId: textIn(element, 'OrgnlPmtInfId', 35),
    status: statusIn(element, 'PmtInfSts'),
    payments: children(element, 'TxInfAndSts').map(readPayment),
  }
}

function readPayment(element: XmlElement): ReportedPayment {
  const amount = optionalPath(element, 'OrgnlTxRef', 'Amt', 'InstdAmt')
  const endToEndId = optionalText(element, 35, 'OrgnlEndToEndId')
  const instructionId = optionalText(element, 35, 'OrgnlInstrId')
  if ((endToEndId ?? instructionId) === null)
    refuse('wrong_content', 'A payment of the report has neither end-to-end id nor instruction id.')
  return {
    endToEndId,
    instructionId,
    status: statusIn(element, 'TxSts'),
    amountSen: amount === undefined ? null : senOf(amount),
  }
}

function statusIn(parent: XmlElement, name: 'GrpSts' | 'PmtInfSts' | 'TxSts'): ReportedStatus | null {
  const element = optionalChild(parent, name)
  if (element === undefined) return null
  const code = textOf(element, 4)
  const reasons = children(parent, 'StsRsnInf').map(readReason)
  return { code, meaning: meaningOf(code, reasons), reasons }
}

function readReason(element: XmlElement): StatusReason {
  const reason = optionalChild(element, 'Rsn')
  const texts = textsIn(element, 'AddtlInf', 105)
  return {
    code: optionalText(reason, 4, 'Cd') ?? optionalText(reason, 35, 'Prtry'),
    text: texts.length === 0 ? null : texts.join(' '),
  }
}
