// engine: postgres; both in test:long
/** What the bank notifies counts once, until a statement shows it. */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { findNotShown } from '../../src/statements/notified.sql.ts'
import type { NewNotified } from '../../src/statements/statement.ts'
import { insertImport, insertNotified } from '../../src/statements/store.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { writeNotification } from '../support/fake-bank/messages.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { codeOf, createRecording } from './recording.ts'

const r = createRecording()
beforeEach(() => r.begin())
after(() => r.end())
const { record } = r

test('what is notified as booked more than two weeks from now is refused', async () => {
  const told = (day: string) =>
    writeNotification({
      messageId: `N${day}`,
      notificationId: `N${day}`,
      createdAt: '2026-11-30T18:00:00+08:00',
      account: DEBTOR.account,
      lines: [{ reference: day, credit: true, amountSen: 700n, day }],
    })
  assert.equal(codeOf(await record(told('2026-12-16'))), 'wrong_content')
  assert.equal(codeOf(await record(told('2026-12-15'))), 'applied')
})

test('a file may have more notifications than a small number can count', async () => {
  const told: NewNotified = {
    key: 'cd'.repeat(32),
    notification: 40_000,
    bankAccount: 'main',
    amountMicro: 50_000n,
    bookedOn: '2026-11-20',
    servicerReference: null,
    endToEndId: null,
    remittance: 'mint',
    remitterAccount: null,
    ownAccount: null,
    together: null,
  }
  const contentHash = 'ab'.repeat(32)
  await r.db.transaction(async (tx) => {
    await insertImport(tx, {
      contentHash,
      name: 'a.xml',
      definition: 'camt.054.001.08',
      messageId: 'M1',
      refusal: null,
    })
    await insertNotified(tx, TEST_SECRETS, [told], contentHash)
  })
  assert.deepEqual(await r.db.query('select notification from bank_notified'), [{ notification: 40_000 }])
})

test('what is notified counts until the statement of its day, and once however often it is notified', async () => {
  const bank = someBank()
  const first = bank.closeDay()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  // Without a reference of the bank's own, two equal credits of one notification are still two.
  const notification = bank.notification().replace(/<AcctSvcrRef>.*?<\/AcctSvcrRef>/g, '')
  const second = bank.closeDay()
  await record(first)
  assert.equal(codeOf(await record(notification)), 'applied')
  assert.equal(codeOf(await record(notification.replace(/<MsgId>.*?</, '<MsgId>AGAIN<'))), 'applied')
  assert.equal((await readBankBalances(r.db))[0]?.creditsSinceMicro, 14_000_000n)
  await record(second)
  const [balance] = await readBankBalances(r.db)
  assert.equal(balance?.creditsSinceMicro, 0n)
  assert.equal(balance?.closingMicro, bank.balanceSen() * 10_000n)
})

test('a credit that is notified again without its reference, or in other words, counts once; two that are certainly two count twice', async () => {
  const bank = someBank()
  await record(bank.closeDay())
  const sinceMyr = async () => Number((await readBankBalances(r.db))[0]?.creditsSinceMicro) / 1e6
  let files = 0
  const notify = async (xml: string) => {
    files += 1
    assert.equal(codeOf(await record(xml.replace(/<MsgId>.*?</, `<MsgId>N${files}<`))), 'applied')
    return await sinceMyr()
  }
  const [party, nobody] = [{ name: 'P', account: '12345' }, /<AcctSvcrRef>.*?<\/AcctSvcrRef>/g]
  bank.deposit(700n, party, 'rent')
  const first = bank.notification()
  assert.equal(await notify(first), 7)
  assert.equal(await notify(first.replace(nobody, '')), 7)
  assert.equal(await notify(first.replace(nobody, '').replace('>rent<', '>RENT NOV<')), 7)
  bank.deposit(700n, party, 'rent')
  const second = bank.notification()
  assert.equal(await notify(second), 14, 'the bank has another reference for it')
  assert.equal(await notify(second.replace(nobody, '').replace('>rent<', '>again<')), 14)
  // Named by its payer.
  const named = second.replace(nobody, '').replace('NOTPROVIDED', 'RENT-2')
  assert.equal(await notify(named.replace('>rent<', '>x<')), 14)
  bank.deposit(900n, party, 'a')
  bank.deposit(900n, party, 'b')
  bank.deposit(800n, party, 'c')
  assert.equal(await notify(bank.notification().replace(nobody, '')), 14 + 9 + 9 + 8)
  bank.deposit(600n, party, 'e')
  const ofTwo = bank.notification().replace(nobody, '')
  assert.equal(await notify(ofTwo.replace('NOTPROVIDED', 'RENT-3')), 46)
  assert.equal(await notify(ofTwo.replace('NOTPROVIDED', 'RENT-4')), 52, 'their payers named them')
  // Two notifications of one file, of which the second repeats the first in other words, and adds one.
  bank.deposit(500n, party, 'f')
  const whole = bank.notification()
  const [one = ''] = whole.match(/<Ntfctn>.*<\/Ntfctn>/s) ?? []
  const said = one.replace(nobody, '').replace(/>f</, '>FEE<')
  const [entry = ''] = said.match(/<Ntry>.*<\/Ntry>/s) ?? []
  assert.equal(await notify(whole.replace(one, one + said.replace(/<Id>/, '<Id>2-'))), 57)
  const twice = said
    .replace(entry, entry + entry)
    .replaceAll('>FEE<', '>TWO<')
    .replace(/<Id>/, '<Id>3-')
  assert.equal(await notify(whole.replace(one, one + twice)), 62, 'two of one notification are two')
  bank.withdraw(300n, party, 'charges')
  const debit = bank.notification()
  assert.equal(await notify(debit), 62 - 3)
  assert.equal(await notify(debit.replace(nobody, '')), 62 - 6, 'what leaves counts as often as it is said')
})

test('what was notified without a reference is shown by a line of its day and amount also where the key has changed in between', async () => {
  const bank = someBank()
  await record(bank.closeDay())
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  const notification = bank.notification().replace(/<AcctSvcrRef>.*?<\/AcctSvcrRef>/g, '')
  assert.equal(codeOf(await record(notification)), 'applied')
  // As if another key had sealed it, which is lost: nothing is ever sealed anew under the present one.
  await withoutGuards(r.db, (tx) =>
    tx.query(
      `update bank_details d set sealed = regexp_replace(sealed, '^sb1\\.[0-9a-f]+', 'sb1.0123456789abcdef'), text_key = repeat('a', 32)
       from bank_notified n where n.bank_id = d.bank_id`,
    ),
  )
  await record(bank.closeDay().replace(/<AcctSvcrRef>.*?<\/AcctSvcrRef>/g, ''))
  await record(bank.closeDay())
  assert.deepEqual(await findNotShown(r.db), [])
})

test('what no statement shows is named for 90 days', async () => {
  const bank = someBank()
  await record(bank.closeDay())
  bank.deposit(700n, { name: 'P', account: '12345' }, 'on no statement')
  assert.equal(codeOf(await record(bank.notification())), 'applied')
  const notified = async (daysBefore: number) => {
    await withoutGuards(r.db, (tx) =>
      tx.query('update bank_notified set booked_on = (select max(closed_on) from bank_statements) - $1::int', [
        daysBefore,
      ]),
    )
    return (await findNotShown(r.db)).length
  }
  assert.deepEqual([await notified(0), await notified(1), await notified(89), await notified(90)], [0, 1, 1, 0])
})

test('what is named no more is not looked for in each file of the bank that comes', async () => {
  for (const daysBefore of [80, 100]) {
    await r.begin()
    const bank = someBank()
    await record(bank.closeDay())
    bank.deposit(700n, { name: 'P', account: '12345' })
    await record(bank.notification())
    await withoutGuards(r.db, (tx) =>
      tx.query('update bank_notified set booked_on = (select max(closed_on) from bank_statements) - $1::int', [
        daysBefore,
      ]),
    )
    await record(bank.closeDay())
    assert.deepEqual(await r.db.query('select is_shown from bank_notified'), [{ is_shown: daysBefore < 90 }])
  }
})
