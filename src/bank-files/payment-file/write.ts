/** Payment file → pain.001.001.09. */
import { formatSen } from '../../money.ts'
import { namespaceOf } from '../definitions.ts'
import { catchRefusal, type Reading } from '../refusal.ts'
import { writeXml, type XmlNode } from '../xml/write.ts'
import {
  checkPaymentFile,
  type FiledPayment,
  type PaymentFile,
  type PaymentSection,
  paymentsOf,
  totalsOf,
} from './file.ts'
import type { Account, BankProfile, Payment } from './payment.ts'

/**
 * Checks a payment file completely, then writes it. One payment that the bank would refuse makes the whole file
 * refused, so callers hold back what `preparePayment` refuses. The same file gives the same text.
 */
export function writePaymentFile(file: PaymentFile, profile: BankProfile): Reading<string> {
  return catchRefusal(() => {
    checkPaymentFile(file, profile)
    const header: XmlNode = [
      'GrpHdr',
      [
        ['MsgId', file.messageId],
        ['CreDtTm', `${file.createdAt.toISOString().slice(0, 19)}Z`],
        ...totals(paymentsOf(file)),
        ['InitgPty', [['Nm', file.initiatingParty]]],
      ],
    ]
    const sections = file.sections.map((section) => sectionNode(section, profile))
    const xmlns = namespaceOf('pain.001.001.09')
    return writeXml(['Document', [['CstmrCdtTrfInitn', [header, ...sections]]], { xmlns }])
  })
}

function totals(payments: readonly Payment[]): XmlNode[] {
  const { count, sumSen } = totalsOf(payments)
  return [
    ['NbOfTxs', String(count)],
    ['CtrlSum', formatSen(sumSen)],
  ]
}

/** Payments are booked one by one (`BtchBookg` false), so that each is a line of the statement with its own id. */
function sectionNode(
  { sectionId, rail, executionDay, debtor, payments }: PaymentSection,
  profile: BankProfile,
): XmlNode {
  return [
    'PmtInf',
    [
      ['PmtInfId', sectionId],
      ['PmtMtd', 'TRF'],
      ['BtchBookg', 'false'],
      ...totals(payments),
      ['PmtTpInf', [['LclInstrm', [['Prtry', profile.rails[rail].localInstrument]]]]],
      ['ReqdExctnDt', [['Dt', executionDay]]],
      ['Dbtr', [['Nm', debtor.name]]],
      ['DbtrAcct', [...accountId(debtor), ['Ccy', 'MYR']]],
      ['DbtrAgt', agent(debtor)],
      // The debtor bears all charges: what arrives is what was redeemed.
      ['ChrgBr', 'DEBT'],
      ...payments.map((payment) => paymentNode(payment, profile)),
    ],
  ]
}

function paymentNode(payment: FiledPayment, { residency }: BankProfile): XmlNode {
  const { instructionId, endToEndId, amountSen, payee, isResident, remittanceText } = payment
  const word = isResident ? residency.resident : residency.nonResident
  return [
    'CdtTrfTxInf',
    [
      [
        'PmtId',
        [
          ['InstrId', instructionId],
          ['EndToEndId', endToEndId],
        ],
      ],
      ['Amt', [['InstdAmt', formatSen(amountSen), { Ccy: 'MYR' }]]],
      ['CdtrAgt', agent(payee)],
      ['Cdtr', [['Nm', payee.name]]],
      ['CdtrAcct', accountId(payee)],
      [
        'RgltryRptg',
        [
          ['DbtCdtRptgInd', 'CRED'],
          ['Dtls', [['Inf', word]]],
        ],
      ],
      remittanceText === '' ? null : ['RmtInf', [['Ustrd', remittanceText]]],
    ],
  ]
}

function accountId({ account }: Account): XmlNode[] {
  return [['Id', [['Othr', [['Id', account]]]]]]
}

function agent({ bic }: Account): XmlNode[] {
  return [['FinInstnId', [['BICFI', bic]]]]
}
