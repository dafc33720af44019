/** The files in docs/samples are what is written, and what is read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseBankList } from '../../src/bank-files/banks.ts'
import { parseCalendar } from '../../src/bank-files/calendar/calendar.ts'
import { executionDay } from '../../src/bank-files/calendar/schedule.ts'
import { parseCsvMapping } from '../../src/bank-files/csv/mapping.ts'
import { readCsvStatement } from '../../src/bank-files/csv/read-csv.ts'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { formPaymentFile, messageIdOf } from '../../src/bank-files/payment-file/file.ts'
import { type Payment, preparePayment } from '../../src/bank-files/payment-file/payment.ts'
import { writePaymentFile } from '../../src/bank-files/payment-file/write.ts'
import type { BankRail } from '../../src/bank-files/rails.ts'
import { readBankFile } from '../../src/bank-files/read-bank-file.ts'
import { netOf } from '../../src/bank-files/statement/statement.ts'
import { matchReport } from '../../src/bank-files/status-report/match.ts'
import { statusLookup } from '../../src/bank-files/status-report/report.ts'
import { accepted, bytesOf, DEBTOR, PROFILE, RULES, sample } from '../support/bank-files.ts'
import { readPaymentFile } from '../support/read-payment-file.ts'
import { schemaErrors } from './schema.ts'

const CALENDAR = accepted(parseCalendar(sample('calendar.json')))
const HANDED_OVER = new Date('2026-11-20T02:00:00Z')

function prepared(rail: BankRail, payment: Omit<Payment, 'endToEndId'>, number: number): Payment {
  const endToEndId = endToEndIdOf({ integrationId: 'int_5f0c', referenceId: `redeem-00000${number}`, attempt: 1 })
  return accepted(preparePayment({ ...payment, endToEndId }, rail, PROFILE))
}

function samplePaymentFile() {
  const aminah = { bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah binti Ahmad' }
  const nguyen = { bic: 'PBBEMYKL', account: '3123456789', name: 'Nguyễn Văn Đức' }
  const trading = { bic: 'UOVBMYKL', account: '1234567890', name: 'Demo Trading & Sons Sdn Bhd' }
  const day = (rail: BankRail) => accepted(executionDay(CALENDAR, rail, HANDED_OVER))
  return formPaymentFile({ messageId: messageIdOf('COIN', 1), createdAt: HANDED_OVER, initiatingParty: DEBTOR.name }, [
    {
      rail: 'ibg',
      executionDay: day('ibg'),
      debtor: DEBTOR,
      payments: [
        prepared('ibg', { amountSen: 125_050n, payee: aminah, isResident: true, remittanceText: 'REDEEM 1' }, 1),
        prepared('ibg', { amountSen: 25_000n, payee: nguyen, isResident: false, remittanceText: 'Gaji Mac – №2' }, 2),
      ],
    },
    {
      rail: 'rentas',
      executionDay: day('rentas'),
      debtor: DEBTOR,
      payments: [
        prepared('rentas', { amountSen: 25_000_000n, payee: trading, isResident: true, remittanceText: '' }, 3),
      ],
    },
  ])
}

test('the sample payment file is what is written', () => {
  const xml = accepted(writePaymentFile(samplePaymentFile(), PROFILE))
  assert.equal(xml, sample('payment-file.pain.001.xml'))
  const { identity, ...file } = accepted(readPaymentFile(bytesOf(xml), PROFILE))
  assert.deepEqual(file, samplePaymentFile())
  assert.equal(identity.messageId, 'COIN-00000001')
})

test('the sample status report answers it', () => {
  const file = accepted(readBankFile(bytesOf(sample('status-report.pain.002.xml')), RULES))
  const report = file.kind === 'status_report' ? file.report : assert.fail(file.kind)
  const statusOf = statusLookup(accepted(matchReport(report, samplePaymentFile())))
  const meanings = samplePaymentFile().sections.flatMap(({ sectionId, payments }) =>
    payments.map(({ endToEndId }) => statusOf({ paymentFileId: 'COIN-00000001', sectionId, endToEndId })?.meaning),
  )
  assert.deepEqual(meanings, ['sent', 'rejected', 'sent'])
})

test('the sample statement shows a mint paid in, payouts, and one given back', () => {
  const file = accepted(readBankFile(bytesOf(sample('statement.camt.053.xml')), RULES))
  const statement = file.kind === 'statement' ? file.file.statements[0] : assert.fail(file.kind)
  assert.ok(statement !== undefined)
  assert.deepEqual([statement.account, statement.sequence, statement.openedOn], [DEBTOR.account, '231', '2026-11-19'])
  assert.deepEqual(
    [statement.openingSen, netOf(statement.lines), statement.closingSen],
    [50_000_000n, -20_000_000n, 30_000_000n],
  )
  const [mint, payout, together, returned] = statement.lines
  assert.deepEqual(
    [mint?.remittanceText, mint?.counterparty.account, mint?.endToEndId],
    ['MINT mint-000001', '8001234567', null],
  )
  assert.deepEqual(
    [payout?.endToEndId, payout?.bookedOn, payout?.transactionCode],
    ['PYQUOQ5DVLYI', '2026-11-20', 'IBG CREDIT TRANSFER'],
  )
  assert.deepEqual(together?.bookedTogether, { paymentFileId: 'COIN-00000001', sectionId: 'COIN-00000001-2', count: 1 })
  assert.deepEqual(returned?.returned, { code: 'AC04', text: 'Account closed' })
  assert.deepEqual([returned?.direction, returned?.endToEndId], ['credit', 'PYQUOQ5DVLYI'])
})

test('the sample notification tells of the same mint', () => {
  const file = accepted(readBankFile(bytesOf(sample('notification.camt.054.xml')), RULES))
  const [line] = file.kind === 'notification' ? (file.file.notifications[0]?.lines ?? []) : assert.fail(file.kind)
  assert.deepEqual([line?.servicerReference, line?.amountSen, line?.booked], ['TX00000001', 5_000_000n, true])
})

test('the sample CSV tells the same story', () => {
  const mapping = accepted(parseCsvMapping(sample('statement-csv.json')))
  const { statements } = accepted(readCsvStatement(bytesOf(sample('statement.csv')), mapping, RULES))
  const lines = statements[0]?.lines ?? []
  assert.deepEqual(
    lines.map(({ amountSen, direction, endToEndId }) => [amountSen, direction, endToEndId]),
    [
      [5_000_000n, 'credit', null],
      [125_050n, 'debit', 'PYQUOQ5DVLYI'],
      [125_050n, 'credit', 'PYQUOQ5DVLYI'],
    ],
  )
})

test('the sample bank list and calendar are accepted', () => {
  assert.ok(accepted(parseBankList(sample('banks.json'))).size > 20)
  assert.equal(CALENDAR.holidays.get('2026-08-31'), 'National Day')
})

for (const [name, definition] of [
  ['payment-file.pain.001.xml', 'pain.001.001.09'],
  ['status-report.pain.002.xml', 'pain.002.001.10'],
  ['statement.camt.053.xml', 'camt.053.001.08'],
  ['notification.camt.054.xml', 'camt.054.001.08'],
] as const) {
  test(`${name} has the form of ${definition}`, async () => {
    assert.deepEqual(await schemaErrors(sample(name), definition), [])
  })
}
