import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accepted, bytesOf, DEBTOR, RULES, refusalOf } from '../../../test/support/bank-files.ts'
import {
  type BankLine,
  type BankStatement,
  writeNotification,
  writeStatement,
} from '../../../test/support/fake-bank/messages.ts'
import { AMOUNT_SPOILS, SPOILS, STATEMENT_SPOILS } from '../../../test/support/fake-bank/spoil.ts'
import { readBankFile } from '../read-bank-file.ts'
import { continuationOf, netOf, type Statement } from './statement.ts'

const CREDIT: BankLine = {
  reference: 'TX1',
  credit: true,
  amountSen: 500_000n,
  day: '2026-11-20',
  text: 'MINT mint-000001',
  party: { name: 'Partner Sdn Bhd', account: '8001234567' },
}
const DEBIT: BankLine = {
  ...CREDIT,
  reference: 'TX2',
  credit: false,
  amountSen: 120_000n,
  endToEndId: 'PAYMENT00001',
  instructionId: 'COIN-1-1',
}
const RETURN: BankLine = { ...DEBIT, reference: 'TX3', credit: true, returnReason: 'AC04' }

const sumOf = (lines: readonly BankLine[]) =>
  lines.reduce((sum, line) => sum + (line.credit ? line.amountSen : -line.amountSen), 0n)

function statement(lines: BankLine[], openingSen = 1_000_000n): BankStatement {
  return {
    messageId: 'STM1',
    createdAt: '2026-11-20T18:00:00+08:00',
    statementId: 'S1',
    account: DEBTOR.account,
    openedOn: '2026-11-20',
    openingSen,
    closedOn: '2026-11-20',
    closingSen: openingSen + sumOf(lines),
    lines,
  }
}

const read = (xml: string) => readBankFile(bytesOf(xml), RULES)

function statementOf(xml: string): Statement {
  const file = accepted(read(xml))
  const [one, ...others] = file.kind === 'statement' ? file.file.statements : assert.fail(file.kind)
  assert.equal(others.length, 0)
  return one ?? assert.fail()
}

test('of a message that is not read the refusal says which version it is, and which are read', () => {
  const xml = writeStatement(statement([CREDIT]))
  for (const other of ['camt.053.001.14', 'camt.053.001.01', 'camt.053.001.8', 'camt.053.002.08', 'camt.052.001.08']) {
    const { code, sentence } = refusalOf(read(xml.replace('camt.053.001.08', other)))
    assert.equal(code, 'unknown_message')
    const known = 'camt.053 and camt.054 in versions 02 to 13, and pain.002 in versions 03 to 14'
    assert.equal(sentence, `The file is <Document> of "${other}"; we read ${known}.`)
  }
})

test('an element that says nothing is as good as none: banks write some that they have nothing for', () => {
  const xml = writeStatement(statement([CREDIT]))
  const emptied = xml
    .replace(/<Ustrd>[^<]*<\/Ustrd>/, '<Ustrd>  </Ustrd>')
    .replace(/<Nm>[^<]*<\/Nm>/, '<Nm></Nm>')
    .replace(/<AcctSvcrRef>[^<]*<\/AcctSvcrRef>/g, '<AcctSvcrRef/>')
  assert.notEqual(emptied, xml)
  const [line] = statementOf(emptied).lines
  assert.deepEqual([line?.amountSen, line?.remittanceText, line?.counterparty.name], [CREDIT.amountSen, '', null])
})

const CAMT_VERSIONS = ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13'] as const

test('a statement reads alike in every version', () => {
  const lines = [CREDIT, DEBIT, RETURN]
  const [now, ...others] = (['08', ...CAMT_VERSIONS] as const).map((version) =>
    statementOf(writeStatement(statement(lines), `camt.053.001.${version}`)),
  )
  assert.ok(now !== undefined)
  for (const other of others) assert.deepEqual(other, now)
  assert.deepEqual(
    [now.openingSen, now.closingSen, now.openedOn, now.closedOn],
    [1_000_000n, 1_500_000n, '2026-11-20', '2026-11-20'],
  )
  const [credit, debit, returned] = now.lines
  assert.deepEqual(credit, {
    entry: 1,
    detail: 1,
    direction: 'credit',
    amountSen: 500_000n,
    bookedOn: '2026-11-20',
    valueOn: '2026-11-20',
    isReversal: false,
    servicerReference: 'TX1',
    endToEndId: null,
    instructionId: null,
    paymentFileId: null,
    sectionId: null,
    remittanceText: 'MINT mint-000001',
    creditorReference: null,
    additionalText: null,
    counterparty: { name: 'Partner Sdn Bhd', account: '8001234567' },
    returned: null,
    bookedTogether: null,
    transactionCode: 'PMNT/RCDT/DMCT',
  })
  assert.deepEqual([debit?.direction, debit?.endToEndId, debit?.instructionId], ['debit', 'PAYMENT00001', 'COIN-1-1'])
  assert.deepEqual(returned?.returned, { code: 'AC04', text: 'Returned by the payee bank' })
  assert.deepEqual([returned?.direction, returned?.endToEndId], ['credit', 'PAYMENT00001'])
})

const bankLines = fc
  .array(
    fc
      .record({
        credit: fc.boolean(),
        amountSen: fc.bigInt({ min: 0n, max: 10n ** 13n }),
        endToEndId: fc.option(fc.stringMatching(/^[0-9A-Z]{12}$/), { nil: undefined }),
        text: fc.option(fc.stringMatching(/^[A-Za-z0-9&<>'"]{1,140}$/), { nil: undefined }),
      })
      .map(({ credit, amountSen, endToEndId, text }) => ({
        reference: '',
        day: '2026-11-20',
        credit,
        amountSen,
        ...(endToEndId !== undefined && { endToEndId }),
        ...(text !== undefined && { text }),
      })),
    { maxLength: 30 },
  )
  .map((lines) => lines.map((line, index): BankLine => ({ ...line, reference: `TX${index}` })))

const balances = fc.bigInt({ min: -(10n ** 13n), max: 10n ** 13n })

test('every statement that is read balances, to the sen', () => {
  fc.assert(
    fc.property(bankLines, balances, (lines, openingSen) => {
      const one = statementOf(writeStatement(statement(lines, openingSen)))
      assert.equal(one.openingSen, openingSen)
      assert.equal(one.openingSen + netOf(one.lines), one.closingSen)
      assert.deepEqual(
        one.lines.map(({ amountSen, direction, endToEndId, remittanceText }) => [
          amountSen,
          direction,
          endToEndId,
          remittanceText,
        ]),
        lines.map((line) => [
          line.amountSen,
          line.credit ? 'credit' : 'debit',
          line.endToEndId ?? null,
          line.text ?? '',
        ]),
      )
    }),
    { numRuns: 60 },
  )
})

test('a statement off by any amount is refused', () => {
  fc.assert(
    fc.property(bankLines, balances, fc.bigInt({ min: 1n, max: 10n ** 12n }), (lines, openingSen, offSen) => {
      const one = statement(lines, openingSen)
      assert.equal(
        refusalOf(read(writeStatement({ ...one, closingSen: one.closingSen + offSen }))).code,
        'does_not_balance',
      )
    }),
    { numRuns: 30 },
  )
})

test('every spoiled statement is refused, for what is wrong with it', () => {
  for (const version of ['08', '02', '06', '07'] as const) {
    const xml = writeStatement(statement([CREDIT, DEBIT]), `camt.053.001.${version}`)
    for (const [what, { codes, spoil }] of Object.entries({ ...SPOILS, ...AMOUNT_SPOILS, ...STATEMENT_SPOILS })) {
      const spoiled = spoil(xml)
      assert.notEqual(spoiled, xml, what)
      const { code, sentence } = refusalOf(read(spoiled))
      assert.ok((codes as readonly string[]).includes(code), `${what}: ${code}: ${sentence}`)
      assert.ok(!sentence.includes(DEBTOR.account))
    }
  }
})

test('versions are not mixed: a status of another form is refused, with whatever it says', () => {
  const forms = [
    ['02', '08'],
    ['06', '07'],
    ['07', '06'],
    ['08', '02'],
  ] as const
  for (const [written, named] of forms) {
    const xml = writeStatement(statement([CREDIT]), `camt.053.001.${written}`)
    const { code, sentence } = refusalOf(read(xml.replace(`001.${written}`, `001.${named}`)))
    assert.equal(code, 'wrong_content', sentence)
  }
})

/** One credit entry with the given details, on a statement of its own. */
function withDetails(details: string, amount = '300.00'): string {
  return writeStatement(statement([{ ...CREDIT, amountSen: BigInt(amount.replace('.', '')) }])).replace(
    /<NtryDtls>[\s\S]*<\/NtryDtls>/,
    details,
  )
}

const transaction = (amount: string, id: string, direction = '') =>
  `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs>${amount === '' ? '' : `<Amt Ccy="MYR">${amount}</Amt>`}${direction}</TxDtls>`

test('an entry of several transactions is a line for each of them, and they make its amount', () => {
  const lines = statementOf(
    withDetails(`<NtryDtls>${transaction('100.00', 'A')}${transaction('200.00', 'B')}</NtryDtls>`),
  ).lines
  assert.deepEqual(
    lines.map(({ entry, detail, amountSen, endToEndId }) => [entry, detail, amountSen, endToEndId]),
    [
      [1, 1, 10_000n, 'A'],
      [1, 2, 20_000n, 'B'],
    ],
  )
  const netted = `<NtryDtls>${transaction('400.00', 'A')}${transaction('100.00', 'B', '<CdtDbtInd>DBIT</CdtDbtInd>')}</NtryDtls>`
  assert.deepEqual(
    statementOf(withDetails(netted)).lines.map(({ direction }) => direction),
    ['credit', 'debit'],
  )
  const wrong = [
    [`<NtryDtls>${transaction('100.00', 'A')}${transaction('200.01', 'B')}</NtryDtls>`, 'inconsistent_sums'],
    [`<NtryDtls>${transaction('299.99', 'A')}</NtryDtls>`, 'inconsistent_sums'],
    [`<NtryDtls>${transaction('100.00', 'A')}${transaction('', 'B')}</NtryDtls>`, 'wrong_content'],
    [
      `<NtryDtls><Btch><NbOfTxs>3</NbOfTxs></Btch>${transaction('100.00', 'A')}${transaction('200.00', 'B')}</NtryDtls>`,
      'inconsistent_sums',
    ],
    [
      `<NtryDtls><Btch><TtlAmt Ccy="MYR">301.00</TtlAmt></Btch>${transaction('100.00', 'A')}${transaction('200.00', 'B')}</NtryDtls>`,
      'inconsistent_sums',
    ],
  ] as const
  for (const [details, code] of wrong) assert.equal(refusalOf(read(withDetails(details))).code, code, details)
})

test('what a bank booked together without details is one line that says so', () => {
  const batch = '<Btch><MsgId>COIN-1</MsgId><PmtInfId>COIN-1-1</PmtInfId><NbOfTxs>7</NbOfTxs></Btch>'
  const [line, ...others] = statementOf(withDetails(`<NtryDtls>${batch}</NtryDtls>`)).lines
  assert.equal(others.length, 0)
  assert.deepEqual(
    [line?.amountSen, line?.bookedTogether],
    [30_000n, { paymentFileId: 'COIN-1', sectionId: 'COIN-1-1', count: 7 }],
  )
})

test('an entry without details is a line of its own', () => {
  const [line] = statementOf(withDetails('<AddtlNtryInf>DuitNow Ref 7</AddtlNtryInf>')).lines
  assert.deepEqual(
    [line?.amountSen, line?.additionalText, line?.endToEndId, line?.remittanceText],
    [30_000n, 'DuitNow Ref 7', null, ''],
  )
})

test('instants are taken to the day of Kuala Lumpur, days stay as they are', () => {
  const xml = writeStatement(statement([CREDIT]))
  const bookedOn = (date: string) =>
    statementOf(xml.replace(/<BookgDt>.*?<\/BookgDt>/s, `<BookgDt>${date}</BookgDt>`)).lines[0]?.bookedOn
  assert.equal(bookedOn('<DtTm>2026-11-20T16:30:00Z</DtTm>'), '2026-11-21')
  assert.equal(bookedOn('<DtTm>2026-11-20T23:59:59+08:00</DtTm>'), '2026-11-20')
  assert.equal(bookedOn('<DtTm>2026-11-20T23:59:59</DtTm>'), '2026-11-20')
  assert.equal(bookedOn('<Dt>2026-11-20+08:00</Dt>'), '2026-11-20')
  for (const wrong of [
    '<Dt>2026-02-29</Dt>',
    '<Dt>20-11-2026</Dt>',
    '<DtTm>2026-11-20T24:00:00Z</DtTm>',
    '',
    '<Dt>2026-11-20</Dt><DtTm>2026-11-20T10:00:00Z</DtTm>',
  ]) {
    assert.equal(
      refusalOf(read(xml.replace(/<BookgDt>.*?<\/BookgDt>/s, `<BookgDt>${wrong}</BookgDt>`))).code,
      'wrong_content',
      wrong,
    )
  }
})

test('the previous closing balance opens a statement too, and must agree', () => {
  const xml = writeStatement(statement([CREDIT]))
  const opening = /<Bal>[\s\S]*?<\/Bal>/.exec(xml)?.[0] ?? ''
  assert.equal(statementOf(xml.replace('OPBD', 'PRCD')).openingSen, 1_000_000n)
  assert.equal(statementOf(xml.replace(opening, opening + opening.replace('OPBD', 'PRCD'))).openingSen, 1_000_000n)
  const other = opening.replace('OPBD', 'PRCD').replace('10000.00', '10000.01')
  assert.equal(refusalOf(read(xml.replace(opening, opening + other))).code, 'does_not_balance')
})

test('the net that a summary states is that of the entries, in the form of each version', () => {
  const forms = [
    [
      'camt.053.001.08',
      (net: string, code: string) => `<TtlNetNtry><Amt>${net}</Amt><CdtDbtInd>${code}</CdtDbtInd></TtlNetNtry>`,
    ],
    [
      'camt.053.001.02',
      (net: string, code: string) => `<TtlNetNtryAmt>${net}</TtlNetNtryAmt><CdtDbtInd>${code}</CdtDbtInd>`,
    ],
  ] as const
  for (const [version, form] of forms) {
    const xml = writeStatement(statement([CREDIT, DEBIT]), version)
    const withNet = (net: string, code: string) => read(xml.replace('</TtlNtries>', `${form(net, code)}</TtlNtries>`))
    assert.ok(withNet('3800.00', 'CRDT').ok, version)
    assert.equal(refusalOf(withNet('3800.01', 'CRDT')).code, 'inconsistent_sums')
    assert.equal(refusalOf(withNet('3800.00', 'DBIT')).code, 'inconsistent_sums')
  }
})

test('version 2 gives the amounts of several transactions in their details', () => {
  const part = (amount: string, id: string) =>
    `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><AmtDtls><TxAmt><Amt Ccy="MYR">${amount}</Amt></TxAmt></AmtDtls></TxDtls>`
  const xml = writeStatement(statement([{ ...CREDIT, amountSen: 30_000n }]), 'camt.053.001.02')
  const details = `<NtryDtls>${part('100.00', 'A')}${part('200.00', 'B')}</NtryDtls>`
  const { lines } = statementOf(xml.replace(/<NtryDtls>[\s\S]*<\/NtryDtls>/, details))
  assert.deepEqual(
    lines.map(({ amountSen, endToEndId }) => [amountSen, endToEndId]),
    [
      [10_000n, 'A'],
      [20_000n, 'B'],
    ],
  )
})

test('a statement follows the last one, or shows that something is missing', () => {
  const last = { closedOn: '2026-11-20', closingSen: 500n }
  assert.equal(continuationOf(undefined, { openingSen: 1n, closedOn: '2026-11-20' }), 'first')
  assert.equal(continuationOf(last, { openingSen: 500n, closedOn: '2026-11-21' }), 'follows')
  assert.equal(continuationOf(last, { openingSen: 501n, closedOn: '2026-11-21' }), 'gap')
  assert.equal(continuationOf(last, { openingSen: 500n, closedOn: '2026-11-19' }), 'late')
  const numbered = (before: string, after: string) =>
    continuationOf({ ...last, sequence: before }, { openingSen: 500n, closedOn: '2026-11-21', sequence: after })
  assert.deepEqual([numbered('7', '8'), numbered('7', '9'), numbered('365', '1')], ['follows', 'gap', 'follows'])
  assert.deepEqual([numbered('A7', '9'), numbered('9', '9')], ['follows', 'follows'])
})

test('a notification tells booked lines from pending ones', () => {
  const { messageId, createdAt, account } = statement([])
  const xml = writeNotification({ messageId, createdAt, account, notificationId: 'N1', lines: [CREDIT, DEBIT] })
  const booked = (text: string) => {
    const file = accepted(read(text))
    return file.kind === 'notification'
      ? file.file.notifications.flatMap(({ lines }) => lines.map((line) => line.booked))
      : assert.fail()
  }
  assert.deepEqual(booked(xml), [true, true])
  assert.deepEqual(booked(xml.replace('BOOK', 'PDNG')), [false, true])
  assert.equal(refusalOf(read(xml.replace('BOOK', 'INFO'))).code, 'wrong_content')
  for (const [what, { codes, spoil }] of Object.entries({
    ...SPOILS,
    ...AMOUNT_SPOILS,
    account: STATEMENT_SPOILS['a foreign account'],
  })) {
    assert.ok((codes as readonly string[]).includes(refusalOf(read(spoil(xml))).code), what)
  }
})

test('what a payer has written is read wherever it stands in the remittance information', () => {
  const structured = `<Ustrd>for</Ustrd><Strd><RfrdDocInf><Nb>mint-000001</Nb></RfrdDocInf><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf>
    <AddtlRmtInf>of Monday</AddtlRmtInf></Strd><Strd><RfrdDocInf><RltdDt>2026-11-20</RltdDt></RfrdDocInf></Strd>`
  const xml = writeStatement(statement([CREDIT])).replace(/<Ustrd>.*?<\/Ustrd>/, structured)
  const [line] = statementOf(xml).lines
  assert.deepEqual([line?.remittanceText, line?.creditorReference], ['for mint-000001 of Monday', 'RF18'])
})

test('a charge has the reference of its payment; what says all the same again is another entry only where an operator says so', () => {
  const charge: BankLine = { ...DEBIT, amountSen: 50n, text: 'CHARGE' }
  const shared = statementOf(writeStatement(statement([DEBIT, charge])))
  assert.deepEqual(
    shared.lines.map(({ amountSen, servicerReference }) => [amountSen, servicerReference]),
    [
      [DEBIT.amountSen, 'TX2'],
      [50n, 'TX2'],
    ],
  )
  const twice = writeStatement(statement([DEBIT, { ...charge, reference: 'FEE' }, { ...charge, reference: 'FEE' }]))
  assert.equal(refusalOf(read(twice)).code, 'duplicated_id')
  const file = accepted(readBankFile(bytesOf(twice), { ...RULES, asBooked: true }))
  assert.equal(file.kind === 'statement' ? file.file.statements[0]?.lines.length : 0, 3)
})

test('two notifications of a file have two ids, unless they are about two accounts: banks count for each by itself', () => {
  const { messageId, createdAt, account } = statement([])
  const other = '8000000002'
  const rules = { ...RULES, ownAccounts: new Set([account, other]) }
  const xml = writeNotification({ messageId, createdAt, account, notificationId: '1', lines: [CREDIT] })
  const [one = ''] = xml.match(/<Ntfctn>.*<\/Ntfctn>/s) ?? []
  const withSecond = (second: string) => readBankFile(bytesOf(xml.replace(one, one + second)), rules)
  assert.equal(refusalOf(withSecond(one)).code, 'duplicated_id')
  const file = accepted(withSecond(one.replaceAll(account, other)))
  assert.ok(file.kind === 'notification')
  assert.deepEqual(
    file.file.notifications.map((each) => each.account),
    [account, other],
  )
})

test('a notification reads alike in every version', () => {
  const { messageId, createdAt, account } = statement([])
  const [now, ...others] = (['08', ...CAMT_VERSIONS] as const).map((version) => {
    const notification = { messageId, createdAt, account, notificationId: 'N1', lines: [CREDIT, DEBIT, RETURN] }
    const file = accepted(read(writeNotification(notification, `camt.054.001.${version}`)))
    return file.kind === 'notification' ? file.file.notifications : assert.fail()
  })
  assert.deepEqual(
    now?.[0]?.lines.map(({ counterparty, booked }) => [counterparty.name, booked]),
    [CREDIT, DEBIT, RETURN].map(({ party }) => [party?.name, true]),
  )
  for (const other of others) assert.deepEqual(other, now)
})

test('no bytes make a reader throw', () => {
  const xml = writeStatement(statement([CREDIT, DEBIT, RETURN]))
  fc.assert(
    fc.property(
      fc.nat(xml.length),
      fc.nat(60),
      fc.constantFrom('', '<', '&', '>', '"', '0', '-', '\u0000', '<Amt/>', '</Ntry>'),
      (at, length, text) => {
        const result = read(xml.slice(0, at) + text + xml.slice(at + length))
        if (!result.ok) assert.ok(result.refusal.sentence.length > 0)
      },
    ),
    { numRuns: 500 },
  )
})
