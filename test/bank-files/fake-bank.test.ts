/** A bank that works by files, seen through our readers: we understand exactly what it did with our payments. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paymentsOf } from '../../src/bank-files/payment-file/file.ts'
import { type BankFile, readBankFile } from '../../src/bank-files/read-bank-file.ts'
import { netOf } from '../../src/bank-files/statement/statement.ts'
import { matchReport } from '../../src/bank-files/status-report/match.ts'
import { statusLookup } from '../../src/bank-files/status-report/report.ts'
import {
  accepted,
  bytesOf,
  DEBTOR,
  PROFILE,
  payment,
  paymentFileBytes,
  RULES,
  refusalOf,
} from '../support/bank-files.ts'
import { createFakeBank, type Fate } from '../support/fake-bank/bank.ts'
import { readPaymentFile } from '../support/read-payment-file.ts'
import { schemaErrors } from './schema.ts'

const OPENING_SEN = 100_000_000_000n

const bankWith = (seed: string, fateOf?: (id: string) => Fate | undefined) =>
  createFakeBank({
    seed,
    profile: PROFILE,
    account: DEBTOR.account,
    openingSen: OPENING_SEN,
    day: '2026-11-20',
    ...(fateOf === undefined ? {} : { fateOf: ({ endToEndId }) => fateOf(endToEndId) }),
  })

const read = (xml: string): BankFile => accepted(readBankFile(bytesOf(xml), RULES))

function reportOf(xml: string) {
  const file = read(xml)
  return file.kind === 'status_report' ? file.report : assert.fail(file.kind)
}

function statementOf(xml: string) {
  const file = read(xml)
  return (file.kind === 'statement' ? file.file.statements[0] : undefined) ?? assert.fail(file.kind)
}

test('whatever the bank does, its files say so, and its statements balance', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 30 }), (seed, count) => {
      const bank = bankWith(seed)
      const bytes = paymentFileBytes(
        Array.from({ length: count }, (_, number) => payment(number, { amountSen: BigInt(number + 1) })),
      )
      const sent = accepted(readPaymentFile(bytes, PROFILE))
      assert.deepEqual(bank.receive(bytes), { result: 'taken', messageId: sent.messageId })
      const report = accepted(matchReport(reportOf(bank.report(sent.messageId)), sent))
      const statusOf = statusLookup(report)
      const first = statementOf(bank.closeDay())
      bank.settlePending()
      bank.returnPaid()
      bank.deposit(7n, { name: 'Partner', account: '8001234567' }, 'MINT mint-1')
      const second = statementOf(bank.closeDay())
      assert.equal(first.openingSen, OPENING_SEN)
      assert.equal(second.openingSen, first.closingSen)
      assert.equal(second.closingSen, bank.balanceSen())
      const lines = [...first.lines, ...second.lines]
      for (const { endToEndId } of paymentsOf(sent)) {
        const fate = bank.orders().get(endToEndId)?.fate
        const meaning = statusOf({
          paymentFileId: sent.messageId,
          sectionId: `${sent.messageId}-1`,
          endToEndId,
        })?.meaning
        assert.equal(meaning, fate === 'rejected' ? 'rejected' : 'sent')
        const about = lines.filter((line) => line.endToEndId === endToEndId)
        const debits = about.filter(({ direction }) => direction === 'debit')
        const returns = about.filter(({ direction }) => direction === 'credit')
        assert.deepEqual([debits.length, returns.length], [fate === 'rejected' ? 0 : 1, fate === 'returned' ? 1 : 0])
      }
      assert.equal(OPENING_SEN + netOf(lines), bank.balanceSen())
    }),
    { numRuns: 40 },
  )
})

test('the same seed tells the same story', () => {
  const story = (seed: string) => {
    const bank = bankWith(seed)
    bank.receive(paymentFileBytes(Array.from({ length: 20 }, (_, number) => payment(number))))
    bank.returnPaid()
    return [bank.report('COIN-00000001'), bank.notification(), bank.closeDay()]
  }
  assert.deepEqual(story('7'), story('7'))
  assert.notDeepEqual(story('7'), story('8'))
})

test('a file that comes twice is taken once, and so is a payment in two files', () => {
  const bank = bankWith('1', () => 'paid')
  const bytes = paymentFileBytes([payment(1), payment(2)])
  assert.equal(bank.receive(bytes).result, 'taken')
  assert.equal(bank.receive(bytes).result, 'repeated')
  assert.equal(bank.receive(paymentFileBytes([payment(2), payment(3)], { number: 2 })).result, 'taken')
  assert.deepEqual(bank.askedTwice(), [payment(2).endToEndId])
  assert.equal(statementOf(bank.closeDay()).lines.length, 3)
  assert.equal(bank.receive(bytesOf('<a/>')).result, 'refused')
})

test('a report about payments that are not in the file is refused', () => {
  const bank = bankWith('1', () => 'paid')
  const [first, second] = [
    paymentFileBytes([payment(1)]),
    paymentFileBytes([payment(2, { amountSen: 5n })], { number: 2 }),
  ]
  bank.receive(first)
  bank.receive(second)
  const [sent, other] = [first, second].map((bytes) => accepted(readPaymentFile(bytes, PROFILE)))
  assert.ok(sent !== undefined && other !== undefined)
  const xml = bank.report(sent.messageId)
  const codeOf = (text: string) => refusalOf(matchReport(reportOf(text), sent)).code
  assert.equal(refusalOf(matchReport(reportOf(xml), other)).code, 'foreign')
  assert.equal(codeOf(xml.replace(payment(1).endToEndId, payment(2).endToEndId)), 'foreign')
  assert.equal(codeOf(xml.replace('-1</OrgnlPmtInfId>', '-9</OrgnlPmtInfId>')), 'foreign')
  assert.equal(codeOf(xml.replace('-1-1</OrgnlInstrId>', '-1-2</OrgnlInstrId>')), 'contradiction')
  assert.equal(codeOf(xml.replace('<OrgnlNbOfTxs>1', '<OrgnlNbOfTxs>2')), 'inconsistent_sums')
  assert.equal(codeOf(xml.replace('<OrgnlCtrlSum>10000.00', '<OrgnlCtrlSum>10000.01')), 'inconsistent_sums')
  assert.equal(
    codeOf(
      xml.replace('>10000.00</InstdAmt>', '>1.00</InstdAmt>').replace('<DtldCtrlSum>10000.00', '<DtldCtrlSum>1.00'),
    ),
    'contradiction',
  )
})

test('one status for a whole file counts for each of its payments', () => {
  const bank = bankWith('1', () => 'pending')
  bank.receive(paymentFileBytes([payment(1), payment(2)]))
  for (const [code, meaning] of [
    ['ACTC', 'accepted'],
    ['RJCT', 'rejected'],
  ] as const) {
    for (const definition of ['pain.002.001.03', 'pain.002.001.10'] as const) {
      const statusOf = statusLookup(reportOf(bank.report('COIN-00000001', { code }, definition)))
      const { endToEndId } = payment(2)
      assert.equal(
        statusOf({ paymentFileId: 'COIN-00000001', sectionId: 'COIN-00000001-1', endToEndId })?.meaning,
        meaning,
      )
    }
  }
})

test('what we write and what the bank writes have the published form', async () => {
  const bank = bankWith('3')
  const bytes = paymentFileBytes(Array.from({ length: 30 }, (_, number) => payment(number)))
  bank.receive(bytes)
  bank.deposit(5n, { name: 'Partner', account: '8001234567' }, 'MINT mint-1')
  bank.returnPaid()
  assert.deepEqual(await schemaErrors(Buffer.from(bytes).toString(), 'pain.001.001.09'), [])
  assert.deepEqual(await schemaErrors(bank.report('COIN-00000001'), 'pain.002.001.10'), [])
  assert.deepEqual(await schemaErrors(bank.notification(), 'camt.054.001.08'), [])
  assert.deepEqual(await schemaErrors(bank.closeDay(), 'camt.053.001.08'), [])
})

test('the schemas notice an element out of place', async () => {
  const xml = Buffer.from(paymentFileBytes([payment(1)])).toString()
  const wrong = [
    xml.replace(/(\s*<CdtrAgt>[\s\S]*?<\/CdtrAgt>)(\s*<Cdtr>[\s\S]*?<\/Cdtr>)/, '$2$1'),
    xml.replace('<PmtMtd>TRF</PmtMtd>', ''),
    xml.replace('.00</InstdAmt>', '.001</InstdAmt>'),
    xml.replace('<Nm>Aminah binti Ahmad', `<Nm>${'A'.repeat(71)}`),
    xml.replace('Ccy="MYR"', 'Ccy="USD"'),
    xml.replace('pain.001.001.09', 'pain.001.001.03'),
  ]
  for (const one of wrong) {
    assert.notEqual(one, xml)
    assert.notDeepEqual(await schemaErrors(one, 'pain.001.001.09'), [])
  }
})
