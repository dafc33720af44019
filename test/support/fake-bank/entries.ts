/** The lines of an account, as the fake bank writes them: entries of camt.053 and camt.054. */
import type { Definition } from '../../../src/bank-files/definitions.ts'
import type { XmlContent, XmlNode } from '../../../src/bank-files/xml/write.ts'
import { formatSen } from '../../../src/money.ts'

export type BankLine = {
  reference: string
  credit: boolean
  amountSen: bigint
  day: string
  endToEndId?: string
  instructionId?: string
  text?: string
  party?: { name: string; account: string }
  returnReason?: string
  /** The bank takes back what it had booked. */
  isReversal?: boolean
  /** What the bank kept of what came back: the line is for the rest, and says so. */
  keptSen?: bigint
  /** It stands for so many payments of a payment file, or of one section of it. */
  together?: { messageId?: string; sectionId?: string; count: number }
}

export function amount(amountSen: bigint, credit: boolean): XmlNode[] {
  return [
    ['Amt', formatSen(amountSen), { Ccy: 'MYR' }],
    ['CdtDbtInd', credit ? 'CRDT' : 'DBIT'],
  ]
}

/** Versions that write an entry's status as a bare code, and a party without `Pty`; of these, those whose transactions have no amount. */
const WITHOUT_CHOICES = ['02', '03', '04', '05', '06']
const WITHOUT_AMOUNTS = ['02', '03']

type Form = { isOld: boolean; hasAmounts: boolean }

/** A line as an entry, in the form of its version. */
export function entry(line: BankLine, definition: Definition): XmlNode {
  const version = definition.slice(-2)
  const isOld = WITHOUT_CHOICES.includes(version)
  const code: XmlContent = line.credit
    ? [
        ['Cd', 'RCDT'],
        ['SubFmlyCd', 'DMCT'],
      ]
    : [
        ['Cd', 'ICDT'],
        ['SubFmlyCd', 'DMCT'],
      ]
  return [
    'Ntry',
    [
      ['NtryRef', line.reference],
      ...amount(line.amountSen, line.credit),
      line.isReversal === true ? ['RvslInd', 'true'] : null,
      isOld ? ['Sts', 'BOOK'] : ['Sts', [['Cd', 'BOOK']]],
      ['BookgDt', [['Dt', line.day]]],
      ['ValDt', [['Dt', line.day]]],
      ['AcctSvcrRef', line.reference],
      [
        'BkTxCd',
        [
          [
            'Domn',
            [
              ['Cd', 'PMNT'],
              ['Fmly', code],
            ],
          ],
        ],
      ],
      ['NtryDtls', [line.together === undefined ? details(line, version) : batch(line.together)]],
    ],
  ]
}

function batch({ messageId, sectionId, count }: NonNullable<BankLine['together']>): XmlNode {
  const named = (name: string, id: string | undefined): XmlNode | null => (id === undefined ? null : [name, id])
  return ['Btch', [named('MsgId', messageId), named('PmtInfId', sectionId), ['NbOfTxs', String(count)]]]
}

function details(line: BankLine, version: string): XmlNode {
  return [
    'TxDtls',
    transaction(line, { isOld: WITHOUT_CHOICES.includes(version), hasAmounts: !WITHOUT_AMOUNTS.includes(version) }),
  ]
}

function transaction(line: BankLine, { isOld, hasAmounts }: Form): XmlContent {
  const { instructionId, endToEndId, party, text, returnReason, keptSen = 0n } = line
  const role = line.credit ? 'Dbtr' : 'Cdtr'
  const named = (name: string): XmlContent => (isOld ? [['Nm', name]] : [['Pty', [['Nm', name]]]])
  return [
    [
      'Refs',
      [
        ['AcctSvcrRef', line.reference],
        instructionId === undefined ? null : ['InstrId', instructionId],
        ['EndToEndId', endToEndId ?? 'NOTPROVIDED'],
      ],
    ],
    ...(hasAmounts ? amount(line.amountSen + keptSen, line.credit) : []),
    keptSen === 0n ? null : ['Chrgs', [['Rcrd', amount(keptSen, false)]]],
    party === undefined
      ? null
      : [
          'RltdPties',
          [
            [role, named(party.name)],
            [`${role}Acct`, [['Id', [['Othr', [['Id', party.account]]]]]]],
          ],
        ],
    text === undefined ? null : ['RmtInf', [['Ustrd', text]]],
    returnReason === undefined
      ? null
      : [
          'RtrInf',
          [
            ['Rsn', [['Cd', returnReason]]],
            ['AddtlInf', 'Returned by the payee bank'],
          ],
        ],
  ]
}
