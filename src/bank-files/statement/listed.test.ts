/** What banks list beside what is booked, and what they leave out of a transaction. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, bytesOf, DEBTOR, RULES, refusalOf } from '../../../test/support/bank-files.ts'
import { type BankLine, writeStatement } from '../../../test/support/fake-bank/messages.ts'
import { readBankFile } from '../read-bank-file.ts'

const CREDIT: BankLine = {
  reference: 'TX1',
  credit: true,
  amountSen: 500_000n,
  day: '2026-11-20',
  text: 'MINT mint-000001',
  party: { name: 'Partner Sdn Bhd', account: '8001234567' },
}
const DEBIT: BankLine = { ...CREDIT, reference: 'TX2', credit: false, amountSen: 120_000n, endToEndId: 'PAYMENT00001' }
const RETURN: BankLine = { ...DEBIT, reference: 'TX3', credit: true, returnReason: 'AC04' }

const sumOf = (lines: readonly BankLine[]) =>
  lines.reduce((sum, line) => sum + (line.credit ? line.amountSen : -line.amountSen), 0n)

const statement = (lines: BankLine[]) => ({
  messageId: 'STM1',
  createdAt: '2026-11-20T18:00:00+08:00',
  statementId: 'S1',
  account: DEBTOR.account,
  openedOn: '2026-11-20',
  openingSen: 1_000_000n,
  closedOn: '2026-11-20',
  closingSen: 1_000_000n + sumOf(lines),
  lines,
})

const read = (xml: string) => readBankFile(bytesOf(xml), RULES)

function statementOf(xml: string) {
  const file = accepted(read(xml))
  return (file.kind === 'statement' ? file.file.statements[0] : undefined) ?? assert.fail()
}

const CREDIT_SUMMARY = (count: number, ringgit: string) =>
  `<TxsSummry><TtlCdtNtries><NbOfNtries>${count}</NbOfNtries><Sum>${ringgit}</Sum></TtlCdtNtries></TxsSummry>`

test('what a statement lists beside what is booked is left out: the balances show that it is in none', () => {
  for (const version of ['02', '08'] as const) {
    const xml = writeStatement(statement([CREDIT, DEBIT]), `camt.053.001.${version}`).replace(
      /<TxsSummry>.*<\/TxsSummry>/s,
      '',
    )
    const booked = statementOf(xml)
    const [entry = ''] = /<Ntry>.*?<\/Ntry>/s.exec(xml) ?? []
    // What is only to come has no day of booking.
    const other = entry
      .replace(/<BookgDt>.*?<\/BookgDt>/s, '')
      .replace(/<ValDt>.*?<\/ValDt>/s, '')
      .replace(/<Sts>.*?<\/NtryRef>/s, '')
    for (const status of ['PDNG', 'INFO', 'FUTR']) {
      const beside = xml.replace('<Ntry>', () => `${other.replace('BOOK', status)}<Ntry>`)
      const { lines, ...rest } = statementOf(beside)
      assert.deepEqual({ ...rest, lines: lines.map((line) => ({ ...line, entry: line.entry - 1 })) }, booked)
      const foreign = beside.replace(/(<Ntry>.*?)"MYR"/s, '$1"USD"')
      assert.deepEqual(statementOf(foreign), statementOf(beside))
      assert.equal(refusalOf(read(foreign.replace(status, 'BOOK'))).code, 'wrong_currency')
      for (const [count, sum, isRight] of [
        [1, '5000.00', true],
        [2, '10000.00', true],
        [2, '5000.00', false],
      ] as const) {
        const summed = beside.replace('<Ntry>', `${CREDIT_SUMMARY(count, sum)}<Ntry>`)
        assert.equal(read(summed).ok, isRight, `${count} ${sum}`)
        // What a bank counts and adds up of ringgit and of dollars together nobody can tell.
        assert.deepEqual(statementOf(summed.replace(/(<Ntry>.*?)"MYR"/s, '$1"USD"')), statementOf(beside))
      }
    }
  }
})

test('a return is one whatever the bank says of it, and none where it says nothing', () => {
  const xml = writeStatement(statement([RETURN]))
  const returned = (information: string) =>
    statementOf(xml.replace(/<RtrInf>.*<\/RtrInf>/s, `<RtrInf>${information}</RtrInf>`)).lines[0]?.returned
  assert.deepEqual(returned('<Rsn><Cd>AC04</Cd></Rsn>'), { code: 'AC04', text: null })
  assert.deepEqual(returned('<Rsn><Prtry>CLOSED</Prtry></Rsn>'), { code: 'CLOSED', text: null })
  assert.deepEqual(returned('<AddtlInf>Account closed</AddtlInf>'), { code: 'NARR', text: 'Account closed' })
  assert.deepEqual(returned('<OrgnlBkTxCd><Prtry><Cd>IBG</Cd></Prtry></OrgnlBkTxCd>'), { code: 'NARR', text: null })
  for (const nothing of ['', '<Rsn><Cd></Cd></Rsn>', '<AddtlInf/>']) assert.equal(returned(nothing), null)
})

test('an account of another whose number is left out keeps no statement out', () => {
  const xml = writeStatement(statement([CREDIT]))
  for (const id of ['', '<Othr><Id></Id></Othr>', '<Othr/>', '<IBAN/>']) {
    const without = xml.replace(/<DbtrAcct>.*<\/DbtrAcct>/s, `<DbtrAcct><Id>${id}</Id></DbtrAcct>`)
    assert.deepEqual(statementOf(without).lines[0]?.counterparty, { name: 'Partner Sdn Bhd', account: null })
    const ours = xml.replace(/<Acct>\s*<Id>.*?<\/Id>\s*<\/Othr>\s*<\/Id>/s, `<Acct><Id>${id}</Id>`)
    assert.equal(refusalOf(read(ours)).code, 'wrong_content')
  }
})

test('what stands where there is no reference is none, so that nothing is taken for the same by it', () => {
  const again = { ...CREDIT, text: 'MINT mint-000002' }
  for (const none of [
    'NONREF',
    'NOTPROVIDED',
    'Not Provided',
    '-',
    '0',
    '000000',
    '...',
    'N/A',
    'na',
    'NIL',
    'None',
    'null',
  ]) {
    const xml = writeStatement(statement([CREDIT, again]))
      .replaceAll('TX1', none)
      .replaceAll('NOTPROVIDED', none)
    const { lines } = statementOf(xml)
    assert.deepEqual(
      lines.map(({ servicerReference, endToEndId }) => [servicerReference, endToEndId]),
      [
        [null, null],
        [null, null],
      ],
    )
  }
  assert.equal(refusalOf(read(writeStatement(statement([CREDIT, again])))).code, 'duplicated_id')
  for (const one of ['NONREF1', 'NA1', '-1', 'O', '00000100'])
    assert.equal(
      statementOf(writeStatement(statement([{ ...CREDIT, reference: one }]))).lines[0]?.servicerReference,
      one,
    )
})
