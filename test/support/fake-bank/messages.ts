/** What the fake bank writes: pain.002, camt.053 and camt.054 from plain data. */
import { type Definition, namespaceOf } from '../../../src/bank-files/definitions.ts'
import { writeXml, type XmlNode } from '../../../src/bank-files/xml/write.ts'
import { formatSen } from '../../../src/money.ts'
import { amount, type BankLine, entry } from './entries.ts'

export type { BankLine } from './entries.ts'

export type BankStatus = { code: string; reason?: string; text?: string }

export type BankReport = {
  messageId: string
  createdAt: string
  answers: string
  count?: number
  sumSen?: bigint
  status?: BankStatus
  sections: {
    sectionId: string
    status?: BankStatus
    payments: { endToEndId: string; instructionId: string; amountSen: bigint; status: BankStatus }[]
  }[]
}

export type BankStatement = {
  messageId: string
  createdAt: string
  statementId: string
  account: string
  openedOn: string
  openingSen: bigint
  closedOn: string
  closingSen: bigint
  lines: BankLine[]
}

export type BankNotification = Pick<BankStatement, 'messageId' | 'createdAt' | 'account' | 'lines'> & {
  notificationId: string
}

/** A pain.002; its versions write alike what we read. */
export function writeReport(report: BankReport, definition: Definition = 'pain.002.001.10'): string {
  const original: XmlNode = [
    'OrgnlGrpInfAndSts',
    [
      ['OrgnlMsgId', report.answers],
      ['OrgnlMsgNmId', 'pain.001.001.09'],
      report.count === undefined ? null : ['OrgnlNbOfTxs', String(report.count)],
      report.sumSen === undefined ? null : ['OrgnlCtrlSum', formatSen(report.sumSen)],
      ...status('GrpSts', report.status),
      ...totals(report),
    ],
  ]
  const sections = report.sections.map(
    (section): XmlNode => [
      'OrgnlPmtInfAndSts',
      [
        ['OrgnlPmtInfId', section.sectionId],
        ...status('PmtInfSts', section.status),
        ...section.payments.map(paymentNode),
      ],
    ],
  )
  return document(definition, ['CstmrPmtStsRpt', [header(report), original, ...sections]])
}

function totals(report: BankReport): XmlNode[] {
  const payments = report.sections.flatMap((section) => section.payments)
  const codes = [...new Set(payments.map((payment) => payment.status.code))]
  return codes.map((code) => {
    const listed = payments.filter((payment) => payment.status.code === code)
    const sumSen = listed.reduce((sum, { amountSen }) => sum + amountSen, 0n)
    return [
      'NbOfTxsPerSts',
      [
        ['DtldNbOfTxs', String(listed.length)],
        ['DtldSts', code],
        ['DtldCtrlSum', formatSen(sumSen)],
      ],
    ]
  })
}

function paymentNode(payment: BankReport['sections'][number]['payments'][number]): XmlNode {
  return [
    'TxInfAndSts',
    [
      ['OrgnlInstrId', payment.instructionId],
      ['OrgnlEndToEndId', payment.endToEndId],
      ...status('TxSts', payment.status),
      ['OrgnlTxRef', [['Amt', [['InstdAmt', formatSen(payment.amountSen), { Ccy: 'MYR' }]]]]],
    ],
  ]
}

function status(name: string, given: BankStatus | undefined): XmlNode[] {
  if (given === undefined) return []
  const { code, reason, text } = given
  if (reason === undefined) return [[name, code]]
  return [
    [name, code],
    ['StsRsnInf', [['Rsn', [['Cd', reason]]], text === undefined ? null : ['AddtlInf', text]]],
  ]
}

/** A camt.053, in the form of its version. */
export function writeStatement(statement: BankStatement, definition: Definition = 'camt.053.001.08'): string {
  const { statementId, account, openedOn, openingSen, closedOn, closingSen, lines } = statement
  return document(definition, [
    'BkToCstmrStmt',
    [
      header(statement),
      [
        'Stmt',
        [
          ['Id', statementId],
          ['CreDtTm', statement.createdAt],
          accountNode(account),
          balance('OPBD', openingSen, openedOn),
          balance('CLBD', closingSen, closedOn),
          summary(lines),
          ...lines.map((line) => entry(line, definition)),
        ],
      ],
    ],
  ])
}

/** A camt.054, in the form of its version. */
export function writeNotification(notification: BankNotification, definition: Definition = 'camt.054.001.08'): string {
  const { notificationId, createdAt, account, lines } = notification
  return document(definition, [
    'BkToCstmrDbtCdtNtfctn',
    [
      header(notification),
      [
        'Ntfctn',
        [
          ['Id', notificationId],
          ['CreDtTm', createdAt],
          accountNode(account),
          ...lines.map((line) => entry(line, definition)),
        ],
      ],
    ],
  ])
}

function document(definition: Definition, body: XmlNode): string {
  return writeXml(['Document', [body], { xmlns: namespaceOf(definition) }])
}

function header({ messageId, createdAt }: { messageId: string; createdAt: string }): XmlNode {
  return [
    'GrpHdr',
    [
      ['MsgId', messageId],
      ['CreDtTm', createdAt],
    ],
  ]
}

function accountNode(account: string): XmlNode {
  return [
    'Acct',
    [
      ['Id', [['Othr', [['Id', account]]]]],
      ['Ccy', 'MYR'],
    ],
  ]
}

function balance(code: string, balanceSen: bigint, day: string): XmlNode {
  return [
    'Bal',
    [
      ['Tp', [['CdOrPrtry', [['Cd', code]]]]],
      ...amount(balanceSen < 0n ? -balanceSen : balanceSen, balanceSen >= 0n),
      ['Dt', [['Dt', day]]],
    ],
  ]
}

function summary(lines: readonly BankLine[]): XmlNode {
  const total = (name: string, of: readonly BankLine[]): XmlNode => [
    name,
    [
      ['NbOfNtries', String(of.length)],
      ['Sum', formatSen(of.reduce((sum, { amountSen }) => sum + amountSen, 0n))],
    ],
  ]
  const [credits, debits] = [lines.filter(({ credit }) => credit), lines.filter(({ credit }) => !credit)]
  return ['TxsSummry', [total('TtlNtries', lines), total('TtlCdtNtries', credits), total('TtlDbtNtries', debits)]]
}
