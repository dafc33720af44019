import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accepted, bytesOf, RULES, refusalOf } from '../../../test/support/bank-files.ts'
import { type BankReport, type BankStatus, writeReport } from '../../../test/support/fake-bank/messages.ts'
import { AMOUNT_SPOILS, REPORT_SPOILS, SPOILS } from '../../../test/support/fake-bank/spoil.ts'
import { readBankFile } from '../read-bank-file.ts'
import { meaningOf } from './codes.ts'
import { type StatusReport, statusLookup } from './report.ts'

const FILE = 'COIN-00000001'
const SECTION = `${FILE}-1`

const paid = (number: number, status: BankStatus) => ({
  endToEndId: `PAYMENT0000${number}`,
  instructionId: `${SECTION}-${number}`,
  amountSen: BigInt(number) * 100n,
  status,
})

const report = (changes: Partial<BankReport> = {}): BankReport => ({
  messageId: 'RPT1',
  createdAt: '2026-11-20T11:00:00+08:00',
  answers: FILE,
  count: 3,
  sumSen: 600n,
  status: { code: 'PART' },
  sections: [
    {
      sectionId: SECTION,
      payments: [
        paid(1, { code: 'ACSC' }),
        paid(2, { code: 'RJCT', reason: 'AC04', text: 'Closed' }),
        paid(3, { code: 'PDNG' }),
      ],
    },
  ],
  ...changes,
})

const read = (xml: string) => readBankFile(bytesOf(xml), RULES)

function reportOf(xml: string): StatusReport {
  const file = accepted(read(xml))
  assert.equal(file.kind, 'status_report')
  return file.kind === 'status_report' ? file.report : assert.fail()
}

const at = (number: number) => ({ paymentFileId: FILE, sectionId: SECTION, endToEndId: `PAYMENT0000${number}` })

test('a report says of each payment what the bank said', () => {
  for (const version of ['03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13', '14'] as const) {
    const definition = `pain.002.001.${version}` as const
    const read = reportOf(writeReport(report(), definition))
    assert.equal(read.identity.definition, definition)
    assert.deepEqual([read.paymentFileId, read.paymentCount, read.paymentSumSen], [FILE, 3, 600n])
    const statusOf = statusLookup(read)
    assert.deepEqual(statusOf(at(1)), { code: 'ACSC', meaning: 'sent', reasons: [] })
    assert.deepEqual(statusOf(at(2)), {
      code: 'RJCT',
      meaning: 'rejected',
      reasons: [{ code: 'AC04', text: 'Closed' }],
    })
    assert.equal(statusOf(at(3))?.meaning, 'sent')
    assert.equal(statusOf(at(4)), null)
    assert.equal(statusOf({ ...at(1), paymentFileId: 'COIN-00000002' }), null)
  }
})

test('codes mean what the rails say, and nothing else does', () => {
  const meanings = {
    accepted: ['RCVD', 'ACTC', 'ACCP', 'ACFC', 'ACWC', 'PATC'],
    sent: ['PDNG', 'ACSP', 'ACWP', 'ACSC'],
    paid: ['ACCC'],
    rejected: ['RJCT'],
    partial: ['PART'],
    unknown: ['CANC', 'BLCK', 'PRES', 'XXXX', 'rjct', ''],
  }
  for (const [meaning, codes] of Object.entries(meanings)) {
    for (const code of codes) assert.equal(meaningOf(code, []), meaning, code)
  }
})

test('a rejection as a repetition proves nothing: the first one may have been carried out', () => {
  for (const code of ['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'DUPL']) {
    assert.equal(
      meaningOf('RJCT', [
        { code: 'AC01', text: null },
        { code, text: null },
      ]),
      'unknown',
      code,
    )
  }
  assert.equal(meaningOf('RJCT', [{ code: 'AC01', text: 'AM05' }]), 'rejected')
})

test('a whole rejected as a repetition proves nothing of its parts, whatever is said of them', () => {
  for (const reason of [undefined, 'AC04', 'NARR']) {
    const part = { code: 'RJCT', ...(reason && { reason }) }
    const wholes: [BankStatus, BankStatus | undefined][] = [
      [{ code: 'RJCT', reason: 'DU01' }, undefined],
      [{ code: 'RJCT', reason: 'AM05' }, part],
      [{ code: 'PART' }, { code: 'RJCT', reason: 'DU02' }],
    ]
    for (const [status, section] of wholes) {
      const sections = [{ sectionId: SECTION, ...(section && { status: section }), payments: [paid(1, part)] }]
      const said = statusLookup(reportOf(writeReport(report({ status, sections }))))
      assert.equal(said(at(1))?.meaning, 'unknown', JSON.stringify([status, section, part]))
      assert.equal(said(at(2))?.meaning, 'unknown', JSON.stringify([status, section]))
    }
  }
  const rejected = { code: 'RJCT', reason: 'AC04' }
  const sections = [{ sectionId: SECTION, payments: [paid(1, { code: 'RJCT' }), paid(2, rejected)] }]
  const said = statusLookup(reportOf(writeReport(report({ status: { code: 'RJCT', reason: 'FF01' }, sections }))))
  assert.deepEqual([said(at(1))?.meaning, said(at(2))?.meaning], ['rejected', 'rejected'])
})

test('the nearest status counts: payment, section, file; PART says nothing', () => {
  const whole = (status: BankStatus, section?: BankStatus, payments: ReturnType<typeof paid>[] = []) =>
    statusLookup(
      reportOf(
        writeReport(
          report({ status, sections: [{ sectionId: SECTION, ...(section && { status: section }), payments }] }),
        ),
      ),
    )
  assert.equal(whole({ code: 'ACTC' })(at(1))?.code, 'ACTC')
  assert.equal(whole({ code: 'ACTC' }, { code: 'ACSP' })(at(1))?.code, 'ACSP')
  assert.equal(whole({ code: 'ACTC' }, { code: 'ACSP' }, [paid(1, { code: 'ACCC' })])(at(1))?.code, 'ACCC')
  assert.equal(whole({ code: 'ACTC' }, { code: 'PART' })(at(1))?.code, 'ACTC')
  assert.equal(whole({ code: 'PART' }, { code: 'PART' })(at(1)), null)
  assert.equal(whole({ code: 'RJCT', reason: 'AC01' })(at(7))?.meaning, 'rejected')
  assert.equal(whole({ code: 'RJCT', reason: 'DU01' })(at(7))?.meaning, 'unknown')
})

test('a file that contradicts itself is refused', () => {
  const contrary = [
    ['RJCT', undefined, 'ACSC'],
    ['RJCT', undefined, 'PDNG'],
    ['RJCT', 'ACTC', undefined],
    ['ACCC', undefined, 'RJCT'],
    ['ACSC', undefined, 'RJCT'],
    ['PART', 'RJCT', 'ACSC'],
    ['PART', 'ACCC', 'RJCT'],
  ] as const
  for (const [file, section, payment] of contrary) {
    const sections = [
      {
        sectionId: SECTION,
        ...(section === undefined ? {} : { status: { code: section } }),
        payments: payment === undefined ? [] : [paid(1, { code: payment })],
      },
    ]
    const xml = writeReport(report({ status: { code: file }, sections }))
    assert.equal(refusalOf(read(xml)).code, 'contradiction', `${file} ${section} ${payment}`)
  }
})

test('sums by status are those of the payments that are listed', () => {
  const xml = writeReport(report())
  assert.ok(read(xml).ok)
  for (const [from, to] of [
    ['<DtldCtrlSum>2.00', '<DtldCtrlSum>3.00'],
    ['<DtldNbOfTxs>1', '<DtldNbOfTxs>0'],
    ['<DtldNbOfTxs>1', '<DtldNbOfTxs>4'],
  ] as const) {
    assert.equal(refusalOf(read(xml.replace(from, to))).code, 'inconsistent_sums', to)
  }
  // Not all payments are listed, so their sum says nothing.
  assert.ok(read(writeReport(report({ count: 10 })).replace('<DtldNbOfTxs>1', '<DtldNbOfTxs>5')).ok)
})

test('every spoiled report is refused, for what is wrong with it', () => {
  const xml = writeReport(report())
  for (const [what, { codes, spoil }] of Object.entries({ ...SPOILS, ...AMOUNT_SPOILS, ...REPORT_SPOILS })) {
    const spoiled = spoil(xml)
    assert.notEqual(spoiled, xml, what)
    assert.ok(
      (codes as readonly string[]).includes(refusalOf(read(spoiled)).code),
      `${what}: ${refusalOf(read(spoiled)).code}`,
    )
    assert.ok(refusalOf(read(spoiled)).sentence.length > 10)
  }
})

test('any random statuses are read back, or refused as a contradiction', () => {
  const status = fc.constantFrom('ACTC', 'PDNG', 'ACSC', 'ACCC', 'RJCT', 'CANC', 'PART')
  fc.assert(
    fc.property(status, fc.array(status, { minLength: 1, maxLength: 9 }), (file, codes) => {
      const payments = codes.map((code, index) => paid(index + 1, { code }))
      const changes = { status: { code: file }, count: codes.length, sections: [{ sectionId: SECTION, payments }] }
      const result = read(writeReport(report(changes)))
      if (!result.ok) return assert.equal(result.refusal.code, 'contradiction')
      const statusOf = result.value.kind === 'status_report' ? statusLookup(result.value.report) : assert.fail()
      codes.forEach((code, index) => {
        const expected = code === 'PART' ? (file === 'PART' ? undefined : file) : code
        assert.equal(statusOf(at(index + 1))?.code, expected)
      })
    }),
  )
})
