/** A statement of the simulated bank as camt.053.001.08. */
import { namespaceOf } from '../../bank-files/definitions.ts'
import { writeXml, type XmlNode } from '../../bank-files/xml/write.ts'
import { formatSen } from '../../money.ts'

export type SimulatedLine = {
  reference: string
  isCredit: boolean
  amountSen: bigint
  endToEndId: string | null
  text: string
  party: { name: string; account: string }
}

export type SimulatedStatement = {
  statementId: string
  account: string
  createdAt: Date
  day: string
  openingSen: bigint
  lines: readonly SimulatedLine[]
}

/** The statement as a file: it closes with what its opening balance and lines come to. */
export function writeSimulatedStatement(statement: SimulatedStatement): string {
  const { statementId, account, createdAt, day, openingSen, lines } = statement
  const closingSen = lines.reduce((sum, line) => sum + (line.isCredit ? line.amountSen : -line.amountSen), openingSen)
  const time = `${createdAt.toISOString().slice(0, 19)}Z`
  const body: XmlNode = [
    'BkToCstmrStmt',
    [
      [
        'GrpHdr',
        [
          ['MsgId', statementId],
          ['CreDtTm', time],
        ],
      ],
      [
        'Stmt',
        [
          ['Id', statementId],
          ['CreDtTm', time],
          [
            'Acct',
            [
              ['Id', [['Othr', [['Id', account]]]]],
              ['Ccy', 'MYR'],
            ],
          ],
          balance('OPBD', openingSen, day),
          balance('CLBD', closingSen, day),
          ...lines.map((line) => entry(line, day)),
        ],
      ],
    ],
  ]
  return writeXml(['Document', [body], { xmlns: namespaceOf('camt.053.001.08') }])
}

function amount(amountSen: bigint, isCredit: boolean): XmlNode[] {
  return [
    ['Amt', formatSen(amountSen), { Ccy: 'MYR' }],
    ['CdtDbtInd', isCredit ? 'CRDT' : 'DBIT'],
  ]
}

function balance(code: string, balanceSen: bigint, day: string): XmlNode {
  const isCredit = balanceSen >= 0n
  return [
    'Bal',
    [
      ['Tp', [['CdOrPrtry', [['Cd', code]]]]],
      ...amount(isCredit ? balanceSen : -balanceSen, isCredit),
      ['Dt', [['Dt', day]]],
    ],
  ]
}

function entry({ reference, isCredit, amountSen, endToEndId, text, party }: SimulatedLine, day: string): XmlNode {
  const role = isCredit ? 'Dbtr' : 'Cdtr'
  return [
    'Ntry',
    [
      ['NtryRef', reference],
      ...amount(amountSen, isCredit),
      ['Sts', [['Cd', 'BOOK']]],
      ['BookgDt', [['Dt', day]]],
      ['ValDt', [['Dt', day]]],
      ['AcctSvcrRef', reference],
      [
        'NtryDtls',
        [
          [
            'TxDtls',
            [
              ['Refs', [['EndToEndId', endToEndId ?? 'NOTPROVIDED']]],
              ...amount(amountSen, isCredit),
              [
                'RltdPties',
                [
                  [role, [['Pty', [['Nm', party.name]]]]],
                  [`${role}Acct`, [['Id', [['Othr', [['Id', party.account]]]]]]],
                ],
              ],
              text === '' ? null : ['RmtInf', [['Ustrd', text.slice(0, 140)]]],
            ],
          ],
        ],
      ],
    ],
  ]
}
