import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  accepted,
  bytesOf,
  DEBTOR,
  PROFILE,
  payment,
  paymentFile,
  paymentFileBytes,
  payments,
  refusalOf,
} from '../../../test/support/bank-files.ts'
import { readPaymentFile } from '../../../test/support/read-payment-file.ts'
import { RAILS } from '../rails.ts'
import { formPaymentFile, messageIdOf, type PaymentFile, paymentsOf, totalsOf } from './file.ts'
import { type Payment, payeeProblem, preparePayment } from './payment.ts'
import { writePaymentFile } from './write.ts'

const write = (file: PaymentFile) => writePaymentFile(file, PROFILE)
const read = (xml: string) => readPaymentFile(bytesOf(xml), PROFILE)

const sections = fc
  .uniqueArray(
    fc.constantFrom(...RAILS).chain((rail) => fc.record({ rail: fc.constant(rail), payments: payments(rail) })),
    { selector: ({ rail }) => rail, minLength: 1, maxLength: 3 },
  )
  .filter((all) => {
    const ids = all.flatMap((section) => section.payments.map(({ endToEndId }) => endToEndId))
    return new Set(ids).size === ids.length
  })

const files = fc
  .record({ number: fc.integer({ min: 1, max: 99_999_999 }), sections })
  .map(({ number, sections: all }) =>
    formPaymentFile(
      {
        messageId: messageIdOf('COIN', number),
        createdAt: new Date('2026-11-20T02:00:00Z'),
        initiatingParty: DEBTOR.name,
      },
      all.map((section) => ({ ...section, executionDay: '2026-11-20', debtor: DEBTOR })),
    ),
  )

test('every payment file reads back as it was written', () => {
  fc.assert(
    fc.property(files, (file) => {
      const xml = accepted(write(file))
      const { identity, ...rest } = accepted(read(xml))
      assert.deepEqual(rest, file)
      assert.equal(identity.messageId, file.messageId)
      assert.equal(accepted(write(rest)), xml)
    }),
    { numRuns: 50 },
  )
})

test('counts and control sums are those of the payments', () => {
  fc.assert(
    fc.property(files, (file) => {
      const xml = accepted(write(file))
      const counts = [...xml.matchAll(/<NbOfTxs>(\d+)</g)].map((match) => Number(match[1]))
      const sums = [...xml.matchAll(/<CtrlSum>([\d.]+)</g)].map((match) => BigInt((match[1] ?? '').replace('.', '')))
      const expected = [paymentsOf(file), ...file.sections.map((section) => section.payments)].map(totalsOf)
      assert.deepEqual(
        counts,
        expected.map(({ count }) => count),
      )
      assert.deepEqual(
        sums,
        expected.map(({ sumSen }) => sumSen),
      )
    }),
    { numRuns: 30 },
  )
})

test('a changed amount, count, sum or id is noticed', () => {
  const xml = accepted(write(paymentFile([payment(1), payment(2)])))
  const changes = [
    ['10000.00</InstdAmt>', '10000.01</InstdAmt>', 'inconsistent_sums'],
    ['<NbOfTxs>2', '<NbOfTxs>3', 'inconsistent_sums'],
    ['<CtrlSum>20000.00', '<CtrlSum>20000.01', 'inconsistent_sums'],
    [
      '<BtchBookg>false</BtchBookg>\n      <NbOfTxs>2',
      '<BtchBookg>false</BtchBookg>\n      <NbOfTxs>1',
      'inconsistent_sums',
    ],
    ['-1-2</InstrId>', '-1-1</InstrId>', 'duplicated_id'],
    [payment(2).endToEndId, payment(1).endToEndId, 'duplicated_id'],
    ['Ccy="MYR">10', 'Ccy="USD">10', 'wrong_currency'],
    ['10000.00</InstdAmt>', '10000</InstdAmt>', null],
    ['<Inf>RESIDENT', '<Inf>PERHAPS', 'wrong_content'],
    ['<Prtry>IBG', '<Prtry>GIRO', 'wrong_content'],
    ['8001234567', '800123456', 'unpayable'],
  ] as const
  for (const [from, to, code] of changes) {
    assert.ok(xml.includes(from), from)
    const result = read(xml.replace(from, to))
    assert.equal(result.ok ? null : result.refusal.code, code, `${from} → ${to}`)
  }
})

test('what no bank carries is refused before a file is formed, with a sentence', () => {
  const unpayable: [string, Partial<Payment>][] = [
    ['ibg carries RM 0.01 to RM 1,000,000.00', { amountSen: 100_000_001n }],
    ['ibg carries', { amountSen: 0n }],
    ['end-to-end id', { endToEndId: 'REDEEM-1' }],
    ['5 to 17 digits', { payee: { ...DEBTOR, account: '1234' } }],
    ['5 to 17 digits', { payee: { ...DEBTOR, account: '51401234567X' } }],
    ['12 digits, …4567 has 10', { payee: { ...DEBTOR, account: '8001234567' } }],
    ['not in the bank list', { payee: { ...DEBTOR, bic: 'DBSSSGSG' } }],
    ['not in the bank list', { payee: { ...DEBTOR, bic: 'MBBEMYKLX' } }],
    ['Latin letters', { payee: { ...DEBTOR, name: '陈伟明' } }],
    ['1 to 70 characters', { payee: { ...DEBTOR, name: 'A'.repeat(71) } }],
    ['1 to 70 characters', { payee: { ...DEBTOR, name: ' ' } }],
    ['1 to 70 characters', { payee: { ...DEBTOR, name: '/A' } }],
  ]
  for (const [sentence, changes] of unpayable) {
    const refusal = refusalOf(preparePayment(payment(1, changes), 'ibg', PROFILE))
    assert.equal(refusal.code, 'unpayable')
    assert.ok(refusal.sentence.includes(sentence), `${refusal.sentence} / ${sentence}`)
    const known = changes.payee && refusal.sentence
    assert.equal(payeeProblem(changes.payee ?? DEBTOR, PROFILE.banks), known)
  }
  assert.equal(payeeProblem({ ...DEBTOR, name: 'Société “Été” & Cie' }, PROFILE.banks), undefined)
  assert.equal(refusalOf(preparePayment(payment(1, { amountSen: 999_999n }), 'rentas', PROFILE)).code, 'unpayable')
})

test('a name is written in letters that banks carry; the text never stops a payment', () => {
  const prepared = accepted(
    preparePayment(
      payment(1, { payee: { ...DEBTOR, name: ' Nguyễn & Söhne ' }, remittanceText: `Gaji – ✓ ${'x'.repeat(300)}` }),
      'ibg',
      PROFILE,
    ),
  )
  assert.equal(prepared.payee.name, 'Nguyen + Sohne')
  assert.equal(prepared.remittanceText.length, 140)
  assert.ok(prepared.remittanceText.startsWith('Gaji - ? xxx'))
  for (const remittanceText of ['', '✓', '\u0007', ' '.repeat(255)]) {
    const one = accepted(preparePayment(payment(1, { remittanceText }), 'ibg', PROFILE))
    assert.ok(write(paymentFile([one])).ok, JSON.stringify(remittanceText))
  }
})

test('a refused payment refuses its file', () => {
  const refused = (file: PaymentFile) => refusalOf(write(file)).code
  assert.equal(refused(paymentFile([])), 'unpayable')
  assert.equal(refused(paymentFile([payment(1), payment(1)])), 'duplicated_id')
  assert.equal(refused(paymentFile([payment(1, { amountSen: 100_000_001n })])), 'unpayable')
  assert.equal(refused(paymentFile([payment(1, { remittanceText: 'é' })])), 'unpayable')
  assert.equal(refused({ ...paymentFile([payment(1)]), messageId: 'A B' }), 'unpayable')
  assert.equal(refused({ ...paymentFile([payment(1)]), initiatingParty: '陈' }), 'unpayable')
  assert.equal(refused({ ...paymentFile([payment(1)]), createdAt: new Date(Number.NaN) }), 'wrong_content')
  const [section] = paymentFile([payment(1)]).sections
  assert.ok(section !== undefined)
  assert.equal(
    refused({ ...paymentFile([payment(1)]), sections: [{ ...section, executionDay: '2026-02-30' }] }),
    'wrong_content',
  )
  assert.equal(refused({ ...paymentFile([payment(1)]), sections: [section, section] }), 'duplicated_id')
  const many = Array.from({ length: 10_001 }, (_, number) => payment(number))
  assert.equal(refused(paymentFile(many)), 'too_large')
})

test('message ids are numbered, and the numbers come to an end', () => {
  assert.equal(messageIdOf('COIN', 42), 'COIN-00000042')
  for (const number of [0, -1, 1.5, 100_000_000]) assert.throws(() => messageIdOf('COIN', number), RangeError)
  for (const prefix of ['', 'coin', 'A-B', 'ABCDEFGHIJKLM']) assert.throws(() => messageIdOf(prefix, 1), RangeError)
})

test('the largest file is written and read in seconds', () => {
  const many = Array.from({ length: 10_000 }, (_, number) => payment(number))
  const bytes = paymentFileBytes(many)
  assert.equal(paymentsOf(accepted(readPaymentFile(bytes, PROFILE))).length, 10_000)
})
