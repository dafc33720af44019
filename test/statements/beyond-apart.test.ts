// engine: postgres
/** A debit for a payment file that was told before the bank's report of what it has rejected, and is told again with the rest of its day. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { type BankLine, writeReport, writeStatement } from '../support/fake-bank/messages.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const DAY = '2026-11-20'
const FILE = 'COIN-00000001'
const OPENING_SEN = 100_000_000n
const BULK: BankLine = { reference: 'BULK1', credit: false, amountSen: 40_000n, day: DAY }
const MORE: BankLine = { reference: 'MORE', credit: false, amountSen: 700n, day: DAY, text: 'rent' }

function statementOf(id: string, lines: BankLine[]): string {
  const dates = { openedOn: DAY, openingSen: OPENING_SEN, closedOn: DAY }
  const closingSen = lines.reduce((sum, { amountSen }) => sum - amountSen, OPENING_SEN)
  const ids = { messageId: `M-${id}`, statementId: id, createdAt: `${DAY}T23:00:00+08:00`, account: DEBTOR.account }
  return writeStatement({ ...ids, ...dates, closingSen, lines }).replace(
    /<NtryDtls>[\s\S]*?<\/NtryDtls>/,
    `<NtryDtls><Btch><MsgId>${FILE}</MsgId></Btch></NtryDtls>`,
  )
}

test('what was taken apart late is the same debit when the whole day is told, and only the rest of that is taken in', async () => {
  const world = await worlds.open()
  const payouts = [await world.burntRedeem('100'), await world.burntRedeem('200'), await world.burntRedeem('300')]
  await world.payDue()
  await world.file()
  const statuses = () => Promise.all(payouts.map(({ payoutId }) => world.payoutStatus(payoutId)))
  assert.equal((await world.importXml(statementOf('CUT', [BULK]))).taken.result, 'applied')
  assert.deepEqual(await statuses(), ['sent', 'sent', 'sent'])
  const rejected = { endToEndId: payouts[1]?.endToEndId ?? '', instructionId: `${FILE}-1-2`, amountSen: 20_000n }
  const payments = [{ ...rejected, status: { code: 'RJCT', reason: 'AC04' } }]
  const sections = [{ sectionId: `${FILE}-1`, payments }]
  const report = { messageId: 'R1', createdAt: `${DAY}T12:00:00+08:00`, answers: FILE, sections }
  assert.equal(
    (await world.importXml(writeReport(report).replace(/<OrgnlInstrId>[^<]*<\/OrgnlInstrId>/, ''))).taken.result,
    'applied',
  )
  assert.deepEqual(await statuses(), ['paid', 'rejected', 'paid'])
  assert.equal((await world.importXml(statementOf('WHOLE', [BULK, MORE]))).taken.result, 'applied')
  assert.deepEqual(await listWaiting(world.db), [])
  assert.deepEqual(await statuses(), ['paid', 'rejected', 'paid'])
  assert.equal(await world.balanceSen('reserve:main'), OPENING_SEN - 40_700n)
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  const again = await world.importXml(statementOf('AGAIN', [BULK]))
  assert.deepEqual(again.taken.result === 'refused' && again.taken.refusal.code, 'repeated')
})
