import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, DEBTOR, RULES } from '../../../test/support/bank-files.ts'
import { type BankLine, writeStatement } from '../../../test/support/fake-bank/messages.ts'
import { readBankFile } from '../read-bank-file.ts'

const MYR = (amount: string) => `<Amt Ccy="MYR">${amount}</Amt>`
const LINE: BankLine = {
  reference: 'TX1',
  credit: true,
  amountSen: 9_850n,
  day: '2026-11-20',
  endToEndId: 'PAYMENT00001',
}

/** A statement of one entry, whose transactions are as given. */
function statement(line: BankLine, change: (xml: string) => string, version: 'camt.053.001.08' | 'camt.053.001.02') {
  const head = { messageId: 'M', createdAt: '2026-11-20T18:00:00+08:00', statementId: 'S', account: DEBTOR.account }
  const closingSen = 100_000n + (line.credit ? line.amountSen : -line.amountSen)
  const days = { openedOn: LINE.day, openingSen: 100_000n, closedOn: LINE.day, closingSen }
  return change(writeStatement({ ...head, ...days, lines: [line] }, version))
}

/** What is read: each line's sen and end-to-end id; or why nothing is. */
function read(
  change: (xml: string) => string,
  {
    line = LINE,
    version = 'camt.053.001.08',
    asBooked = false,
  }: Partial<{
    line: BankLine
    version: 'camt.053.001.08' | 'camt.053.001.02'
    asBooked: boolean
  }> = {},
): unknown {
  const file = readBankFile(bytesOf(statement(line, change, version)), { ...RULES, asBooked })
  if (!file.ok) return file.refusal.code
  const [one] = file.value.kind === 'statement' ? file.value.file.statements : []
  return one?.lines.map(({ direction, amountSen, endToEndId }) => [
    direction === 'credit' ? amountSen : -amountSen,
    endToEndId,
  ])
}

/** The transaction is of another amount than its entry, and states these charges, as does its entry. */
const gross =
  (amount: string, ofTransaction = '', ofEntry = '') =>
  (xml: string) =>
    xml
      .replace(/(<TxDtls>[\s\S]*?<\/Refs>\s*)(<Amt[\s\S]*?<\/Amt>)?/, `$1${MYR(amount)}`)
      .replace('</TxDtls>', `${ofTransaction}</TxDtls>`)
      .replace('<NtryDtls>', `${ofEntry}<NtryDtls>`)

const rcrd = (amount: string, indicator = '') => `<Chrgs><Rcrd>${MYR(amount)}${indicator}</Rcrd></Chrgs>`
const PARTS = [
  [10_000n, 'PAYMENT00001'],
  [-150n, null],
]

test('charges that the bank states are a line of their own, and what they lessened is whole', () => {
  assert.deepEqual(read(gross('100.00', rcrd('1.50'))), PARTS)
  assert.deepEqual(read(gross('100.00', rcrd('1.50', '<CdtDbtInd>DBIT</CdtDbtInd>'))), PARTS)
  assert.deepEqual(read(gross('100.00', '', rcrd('1.50'))), PARTS)
  assert.deepEqual(read(gross('100.00', rcrd('1.00'), rcrd('0.50'))), PARTS)
  // A total of the transactions' charges counts once.
  assert.deepEqual(read(gross('100.00', rcrd('1.50'), rcrd('1.50'))), PARTS)
  const two = '<Chrgs><Rcrd><Amt Ccy="MYR">1.00</Amt></Rcrd><Rcrd><Amt Ccy="MYR">0.50</Amt></Rcrd></Chrgs>'
  assert.deepEqual(read(gross('100.00', two)), PARTS)
  const total = '<Chrgs><TtlChrgsAndTaxAmt Ccy="MYR">1.50</TtlChrgsAndTaxAmt></Chrgs>'
  assert.deepEqual(read(gross('100.00', total)), PARTS)
  assert.deepEqual(read(gross('100.00', total.replace('</Chrgs>', `${rcrd('1.50').slice('<Chrgs>'.length)}`))), PARTS)
  const old = `<Chrgs>${MYR('1.00')}</Chrgs><Chrgs>${MYR('0.50')}</Chrgs>`
  const inAmounts = (xml: string) =>
    gross('100.00', old)(xml).replace(MYR('100.00'), `<AmtDtls><TxAmt>${MYR('100.00')}</TxAmt></AmtDtls>`)
  assert.deepEqual(read(inAmounts, { version: 'camt.053.001.02' }), PARTS)
  const line = { ...LINE, credit: false, amountSen: 10_150n }
  assert.deepEqual(read(gross('100.00', rcrd('1.50')), { line }), [
    [-10_000n, 'PAYMENT00001'],
    [-150n, null],
  ])
})

test('stated charges that are in the amount already change nothing, and others do not explain it', () => {
  assert.deepEqual(read(gross('98.50', rcrd('1.50'))), [[9_850n, 'PAYMENT00001']])
  assert.equal(read(gross('100.00')), 'inconsistent_sums')
  assert.equal(read(gross('100.00', rcrd('1.49'))), 'inconsistent_sums')
  assert.equal(read(gross('100.00', rcrd('1.50', '<CdtDbtInd>CRDT</CdtDbtInd>'))), 'inconsistent_sums')
  assert.equal(read(gross('97.00', rcrd('1.50'))), 'inconsistent_sums')
})

test('as booked, each entry is of its own amount, whatever its transactions say', () => {
  const asBooked = { asBooked: true }
  assert.deepEqual(read(gross('100.00'), asBooked), PARTS)
  assert.deepEqual(read(gross('98.00'), asBooked), [
    [9_800n, 'PAYMENT00001'],
    [50n, null],
  ])
  assert.deepEqual(read(gross('98.50'), asBooked), [[9_850n, 'PAYMENT00001']])
  const foreign = (xml: string) => gross('22.00')(xml).replace('Ccy="MYR">22.00', 'Ccy="USD">22.00')
  assert.equal(read(foreign), 'wrong_currency')
  assert.deepEqual(read(foreign, asBooked), [[9_850n, 'PAYMENT00001']])
  const several = (xml: string) => foreign(xml).replace(/<TxDtls>[\s\S]*<\/TxDtls>/, '$&$&')
  assert.deepEqual(read(several, asBooked), [[9_850n, null]])
  // What is booked must still make the balances, in ringgit.
  const balance = (xml: string) => gross('100.00')(xml).replace('1098.50', '1098.51')
  assert.equal(read(balance, asBooked), 'does_not_balance')
  const currency = (xml: string) => xml.replace(/(<NtryRef>[\s\S]*?)Ccy="MYR"/, '$1Ccy="USD"')
  assert.equal(read(currency, asBooked), 'wrong_currency')
})

test('where the transactions of what is reversed say the direction of the payment, they are given back, as the entry says', () => {
  const reversed = (xml: string) =>
    gross('98.50')(xml)
      .replace(/(<Ntry>[\s\S]*?)<Sts>/, '$1<RvslInd>true</RvslInd><Sts>')
      .replace(/(<TxDtls>[\s\S]*?<CdtDbtInd>)CRDT/, '$1DBIT')
  for (const asBooked of [false, true]) assert.deepEqual(read(reversed, { asBooked }), [[9_850n, 'PAYMENT00001']])
  const plain = (xml: string) => reversed(xml).replace('<RvslInd>true</RvslInd>', '')
  assert.equal(read(plain), 'inconsistent_sums')
  assert.equal(
    read((xml) => reversed(xml).replace(/(<TxDtls>[\s\S]*?)98\.50/, '$198.40')),
    'inconsistent_sums',
  )
})

test('as booked, a statement counts whatever number and sum of entries the bank states, as long as it balances', () => {
  const counted = (xml: string) => xml.replace(/<NbOfNtries>1</g, '<NbOfNtries>7<')
  assert.equal(read(counted), 'inconsistent_sums')
  assert.deepEqual(read(counted, { asBooked: true }), [[9_850n, 'PAYMENT00001']])
  assert.equal(
    read((xml) => counted(xml).replace('1098.50', '1098.51'), { asBooked: true }),
    'does_not_balance',
  )
})
