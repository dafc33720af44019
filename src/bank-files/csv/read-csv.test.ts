import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accepted, bytesOf, DEBTOR, RULES, refusalOf, sample } from '../../../test/support/bank-files.ts'
import { formatSen } from '../../money.ts'
import { netOf } from '../statement/statement.ts'
import { type CsvMapping, parseCsvMapping } from './mapping.ts'
import { readCsvStatement } from './read-csv.ts'
import { CSV_BOUNDS } from './table.ts'

const MAPPING: CsvMapping = {
  name: 'test',
  delimiter: ',',
  skipLines: 0,
  order: 'oldest_first',
  dateFormat: 'DD/MM/YYYY',
  thousands: ',',
  account: { fixed: DEBTOR.account },
  amount: { credit: 'In', debit: 'Out' },
  bookedOn: 'Date',
  balance: 'Balance',
  remittance: ['Text'],
}

const HEADER = 'Date,Text,In,Out,Balance'
const ROWS = [
  '19/11/2026,"MINT, mint-1","1,000.00",,"6,000.00"',
  '20/11/2026,payout,,250.5,5749.50',
  '20/11/2026,"a ""quoted"" word",0.05,,5749.55',
]

const read = (text: string, changes: Partial<CsvMapping> = {}) =>
  readCsvStatement(bytesOf(text), { ...MAPPING, ...changes }, RULES)
const csv = (...rows: string[]) => `${[HEADER, ...rows].join('\r\n')}\r\n`

function statementOf(text: string, changes: Partial<CsvMapping> = {}) {
  const [one] = accepted(read(text, changes)).statements
  return one ?? assert.fail()
}

test('a CSV gives the same statement as camt.053', () => {
  const one = statementOf(csv(...ROWS))
  assert.deepEqual(
    [one.openingSen, one.closingSen, one.openedOn, one.closedOn],
    [500_000n, 574_955n, '2026-11-19', '2026-11-20'],
  )
  assert.deepEqual(
    one.lines.map(({ direction, amountSen, bookedOn, remittanceText }) => [
      direction,
      amountSen,
      bookedOn,
      remittanceText,
    ]),
    [
      ['credit', 100_000n, '2026-11-19', 'MINT, mint-1'],
      ['debit', 25_050n, '2026-11-20', 'payout'],
      ['credit', 5n, '2026-11-20', 'a "quoted" word'],
    ],
  )
  assert.match(one.statementId, /^csv-[0-9a-f]{31}$/)
  assert.equal(accepted(read(csv(...ROWS))).identity.messageId, one.statementId)
})

test('line ends, a byte order mark, blank lines and the order of rows do not matter', () => {
  const { lines } = statementOf(csv(...ROWS))
  const variants: [string, Partial<CsvMapping>][] = [
    [csv(...ROWS).replaceAll('\r\n', '\n'), {}],
    [csv(...ROWS).trimEnd(), {}],
    [`\ufeff${csv(...ROWS)}`, {}],
    [`${csv(...ROWS)}\r\n\r\n`, {}],
    [csv(...ROWS.toReversed()), { order: 'newest_first' }],
    [`Statement of,somebody\r\n"and more"\r\n${csv(...ROWS)}`, { skipLines: 2 }],
  ]
  for (const [text, changes] of variants)
    assert.deepEqual(statementOf(text, changes).lines, lines, JSON.stringify(text))
})

test('signs and words say credit or debit as the mapping declares it', () => {
  const signed = 'Date,Text,Amount,Balance\n20/11/2026,a,"-1,250.00",100.00\n20/11/2026,b,7,107\n'
  assert.deepEqual(
    statementOf(signed, { amount: { signed: 'Amount' } }).lines.map(({ direction, amountSen }) => [
      direction,
      amountSen,
    ]),
    [
      ['debit', 125_000n],
      ['credit', 700n],
    ],
  )
  const words = 'Date,Text,Amount,D/C,Balance\n20/11/2026,a,5.00,D,-5.00\n20/11/2026,b,5.00,C,0.00\n'
  const amount = { column: 'Amount', direction: 'D/C', creditWord: 'C', debitWord: 'D' }
  const one = statementOf(words, { amount })
  assert.deepEqual([one.openingSen, one.closingSen], [0n, 0n])
  assert.deepEqual(
    one.lines.map(({ direction }) => direction),
    ['debit', 'credit'],
  )
  assert.equal(refusalOf(read(words.replace(',D,', ',X,'), { amount })).code, 'wrong_content')
  assert.equal(refusalOf(read(words.replace('5.00,D', '-5.00,D'), { amount })).code, 'wrong_amount')
})

test('a sign may stand behind an amount or a balance, or be DR or CR, as banks write them', () => {
  const signed = (...rows: string[]) =>
    read(`Date,Text,Amount,Balance\n${rows.join('\n')}\n`, { amount: { signed: 'Amount' } })
  const changes = (text: ReturnType<typeof read>) => {
    const [one] = accepted(text).statements
    return [
      one?.openingSen,
      one?.closingSen,
      ...(one?.lines ?? []).map((line) => (line.direction === 'credit' ? line.amountSen : -line.amountSen)),
    ]
  }
  for (const [below, above] of [
    ['DR', 'CR'],
    [' dr', ' cr'],
    ['-', '+'],
    ['DR', ''],
  ] as const) {
    const rows = [`20/11/2026,a,"1,250.00${below}",250.00${below}`, `20/11/2026,b,300.50${above},50.50${above}`]
    assert.deepEqual(changes(signed(...rows)), [100_000n, 5_050n, -125_000n, 30_050n])
    assert.equal(refusalOf(signed(rows[0] ?? '', rows[1]?.replace('50.50', '50.51') ?? '')).code, 'does_not_balance')
  }
  for (const wrong of ['-7DR', '-7-', '+7CR', '7DRCR', 'DR7', '7 D', '7.001DR', 'CR', '-', '(7)'])
    assert.equal(refusalOf(signed(`20/11/2026,a,${wrong},100.00`)).code, 'wrong_amount', wrong)
  // What the column says already is not said once more, perhaps otherwise.
  for (const cell of ['-7', '7-', '7DR', '7CR', '+7'])
    for (const row of [`20/11/2026,a,${cell},,100`, `20/11/2026,a,,${cell},100`])
      assert.equal(refusalOf(read(csv(row))).code, 'wrong_amount', row)
})

test('a row without an amount brings a balance forward: it is no line, and its balance must agree', () => {
  const { lines } = statementOf(csv(...ROWS))
  for (const row of ['19/11/2026,Balance B/F,,,"5,000.00"', '19/11/2026,Balance B/F,0.00,,"5,000.00"']) {
    const one = statementOf(csv(row, ...ROWS))
    assert.deepEqual([one.openingSen, one.closingSen, one.lines.length], [500_000n, 574_955n, lines.length])
    assert.deepEqual(
      one.lines.map(({ amountSen, remittanceText }) => [amountSen, remittanceText]),
      lines.map(({ amountSen, remittanceText }) => [amountSen, remittanceText]),
    )
    assert.equal(refusalOf(read(csv(row.replace('5,0', '5,1'), ...ROWS))).code, 'does_not_balance')
    const quiet = statementOf(csv(row))
    assert.deepEqual([quiet.openingSen, quiet.closingSen, quiet.lines], [500_000n, 500_000n, []])
  }
  const signed = 'Date,Text,Amount,Balance\n20/11/2026,B/F,,93.00\n20/11/2026,b,7,100\n'
  assert.equal(statementOf(signed, { amount: { signed: 'Amount' } }).lines.length, 1)
  const words = 'Date,Text,Amount,D/C,Balance\n20/11/2026,B/F,,,10.00\n20/11/2026,a,5.00,D,5.00\n'
  const amount = { column: 'Amount', direction: 'D/C', creditWord: 'C', debitWord: 'D' }
  assert.equal(statementOf(words, { amount }).lines.length, 1)
  assert.equal(refusalOf(read(words.replace(',5.00,D,', ',5.00,,'), { amount })).code, 'wrong_content')
  assert.equal(refusalOf(read(words.replace(',5.00,D,', ',,D,'), { amount })).code, 'wrong_amount')
})

test('a cell that says that there is no reference has none', () => {
  const rows =
    'Date,Text,In,Out,Balance,Trace,Id\n20/11/2026,a,1.00,,1.00,NONREF,NOTPROVIDED\n20/11/2026,b,1.00,,2.00,T2,E2\n'
  assert.deepEqual(
    statementOf(rows, { servicerReference: 'Trace', endToEndId: 'Id' }).lines.map((line) => [
      line.servicerReference,
      line.endToEndId,
    ]),
    [
      [null, null],
      ['T2', 'E2'],
    ],
  )
})

test('dates are read in the declared format only', () => {
  const formats = [
    ['YYYY-MM-DD', '2026-11-20', '20/11/2026'],
    ['YYYYMMDD', '20261120', '2026-11-20'],
    ['DD-MM-YYYY', '20-11-2026', '2026-11-20'],
    ['DD MMM YYYY', '20 Nov 2026', '20 11 2026'],
    ['DD-MMM-YYYY', '20-NOV-2026', '20 Nov 2026'],
    ['DD/MM/YYYY', '20/11/2026', '11/20/2026'],
  ] as const
  for (const [dateFormat, right, wrong] of formats) {
    assert.equal(statementOf(csv(`${right},a,1.00,,1.00`), { dateFormat }).closedOn, '2026-11-20')
    assert.equal(refusalOf(read(csv(`${wrong},a,1.00,,1.00`), { dateFormat })).code, 'wrong_content', wrong)
  }
  assert.equal(refusalOf(read(csv('31/11/2026,a,1.00,,1.00'))).code, 'wrong_content')
})

test('a file that is not the declared CSV is refused for what is wrong with it', () => {
  const wrong: [string, string, Partial<CsvMapping>?][] = [
    ['malformed', ''],
    ['malformed', HEADER.replace('Balance', 'Saldo')],
    ['malformed', `${HEADER},Balance\n`],
    ['malformed', csv(ROWS[0] ?? '', '20/11/2026,payout,,250.50')],
    ['malformed', csv(ROWS[0] ?? '', '20/11/2026,payout,,250.50,5749.50,more')],
    ['malformed', csv('20/11/2026,"never closed,1.00,,1.00')],
    ['malformed', csv('20/11/2026,stray "quote",1.00,,1.00')],
    ['malformed', csv(...ROWS), { delimiter: ';' }],
    ['does_not_balance', csv()],
    ['does_not_balance', csv(ROWS[0] ?? '', ROWS[2] ?? '')],
    ['does_not_balance', csv(ROWS[0] ?? '', ROWS[1] ?? '', ROWS[1] ?? '')],
    ['does_not_balance', csv(...ROWS.toReversed())],
    ['does_not_balance', csv('20/11/2026,a,1.00,,1.00', '20/11/2026,b,1.00,,2.01')],
    ['wrong_content', csv('20/11/2026,a,1.00,,1.00', '19/11/2026,b,1.00,,2.00')],
    ['wrong_amount', csv('20/11/2026,a,2.00,1.00,1.00')],
    ['does_not_balance', csv(ROWS[0] ?? '', '20/11/2026,payout,,,5749.50')],
    ['does_not_balance', csv(ROWS[0] ?? '', '20/11/2026,payout,0.00,,5749.50')],
    ['wrong_amount', csv('20/11/2026,a,1.005,,1.00')],
    ['wrong_amount', csv('20/11/2026,a,"1,00.00",,1.00')],
    ['wrong_amount', csv('20/11/2026,a,-1.00,,1.00')],
    ['wrong_amount', csv('20/11/2026,a,1.00,,')],
    ['wrong_amount', csv('20/11/2026,a,1.00,,1.00 XR')],
    ['wrong_amount', csv('20/11/2026,a,"1,000.00",,"1,000.00"'), { thousands: '' }],
    ['foreign', csv(...ROWS), { account: { fixed: '999999999999' } }],
  ]
  for (const [code, text, changes] of wrong) {
    const refusal = refusalOf(read(text, changes))
    assert.equal(refusal.code, code, `${JSON.stringify(text)}: ${refusal.sentence}`)
  }
})

test('a file about another account, or several, is refused', () => {
  const mapping = { account: { column: 'Account' } }
  const rows = (...accounts: string[]) =>
    `${HEADER},Account\n${accounts.map((account, index) => `20/11/2026,a,1.00,,${index + 1}.00,${account}`).join('\n')}\n`
  assert.equal(statementOf(rows('5140-1234 5678', DEBTOR.account), mapping).account, DEBTOR.account)
  // As a bank may write it here, and otherwise in XML: a mapping names one account for all its files.
  const padded = rows(`000${DEBTOR.account}`)
  assert.equal(statementOf(padded, mapping).account, DEBTOR.account)
  const ownAccounts = new Set([DEBTOR.account, `0${DEBTOR.account}`])
  const ofEither = readCsvStatement(bytesOf(padded), { ...MAPPING, ...mapping }, { ...RULES, ownAccounts })
  assert.equal(refusalOf(ofEither).code, 'foreign')
  assert.equal(refusalOf(read(rows(DEBTOR.account, '999999999999'), mapping)).code, 'wrong_content')
  assert.equal(refusalOf(read(rows('999999999999'), mapping)).code, 'foreign')
  assert.equal(refusalOf(read(rows(''), mapping)).code, 'wrong_content')
})

test('files are bounded, and bytes that are not UTF-8 refused', () => {
  const bounded = (changes: Partial<typeof CSV_BOUNDS>) =>
    refusalOf(readCsvStatement(bytesOf(csv(...ROWS)), MAPPING, RULES, { ...CSV_BOUNDS, ...changes })).code
  assert.equal(bounded({ maxBytes: 20 }), 'too_large')
  assert.equal(bounded({ maxRows: 2 }), 'too_large')
  assert.equal(bounded({ maxColumns: 4 }), 'too_large')
  assert.equal(bounded({ maxRecordLength: 30 }), 'malformed')
  const latin = Buffer.from(csv('20/11/2026,é,1.00,,1.00'), 'latin1')
  assert.equal(refusalOf(readCsvStatement(latin, MAPPING, RULES)).code, 'malformed')
})

const changesSen = fc.array(
  fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }).filter((changeSen) => changeSen !== 0n),
  { minLength: 1, maxLength: 30 },
)

function randomCsv(openingSen: bigint, changes: readonly bigint[]): string[] {
  let balanceSen = openingSen
  return changes.map((changeSen, index) => {
    balanceSen += changeSen
    const amount = formatSen(changeSen < 0n ? -changeSen : changeSen)
    return `20/11/2026,"line ""${index}"", text",${changeSen > 0n ? amount : ''},${changeSen < 0n ? amount : ''},${formatSen(balanceSen)}`
  })
}

test('every CSV that is read balances; without any one of its inner rows it is refused', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
      changesSen,
      fc.nat(),
      (openingSen, changes, chance) => {
        const rows = randomCsv(openingSen, changes)
        const one = statementOf(csv(...rows))
        assert.equal(one.openingSen, openingSen)
        assert.equal(one.openingSen + netOf(one.lines), one.closingSen)
        assert.equal(one.lines.length, changes.length)
        if (rows.length < 3) return
        const lost = 1 + (chance % (rows.length - 2))
        assert.equal(refusalOf(read(csv(...rows.toSpliced(lost, 1)))).code, 'does_not_balance')
      },
    ),
    { numRuns: 60 },
  )
})

test('the sample mapping and its file belong together; a wrong mapping is refused', () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const file = accepted(readCsvStatement(bytesOf(sample('statement.csv')), mapping, RULES))
  assert.ok((file.statements[0]?.lines.length ?? 0) > 0)
  const wrong = (changes: object) => refusalOf(parseCsvMapping(JSON.stringify({ ...MAPPING, ...changes }))).code
  for (const changes of [
    { delimiter: 'x' },
    { amount: { credit: 'In' } },
    { account: { fixed: '1' } },
    { balance: undefined },
    { more: 1 },
  ]) {
    assert.equal(wrong(changes), 'wrong_content', JSON.stringify(changes))
  }
})
