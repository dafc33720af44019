// engine: postgres; both in test:long
/** One account of the issuer under two names: the bank profile was changed, or that of a forgotten machine calls it otherwise. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { importFile } from '../../src/statements/import.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { bytesOf } from '../support/bank-files.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { SETUP, someBank } from '../support/statements.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const RENAMED = { ...SETUP, accounts: SETUP.accounts.map((account) => ({ ...account, key: `${account.key}2` })) }

test('a statement of an account that the books have under another name waits: its money would count twice', async () => {
  const world = await worlds.open()
  const bank = someBank()
  await world.importXml(bank.closeDay())
  const atBank = async () =>
    (await readReserveFacts(world.db)).accounts.map(({ bankAccount, closingMicro }) => [bankAccount, closingMicro])
  const before = await atBank()
  assert.equal(before.length, 1)
  const next = bank.closeDay()
  const given = () => importFile({ ...world.importDeps, setup: RENAMED }, { name: 'next.xml', bytes: bytesOf(next) })
  await assert.rejects(given(), /calls the account main2, and the books main:/)
  assert.deepEqual(await atBank(), before)
  assert.deepEqual((await world.importXml(next)).taken, { result: 'applied' })
  assert.equal((await atBank()).length, 1)
})

test('so does what is notified of it: as money that has come since on another account it would count beside the statement that shows it', async () => {
  const world = await worlds.open()
  const bank = someBank()
  const other = someBank({ account: SETUP.accounts[1]?.account ?? '' })
  for (const xml of [bank.closeDay(), other.closeDay().replace(/<MsgId>.*?</, '<MsgId>OTHER<')])
    await world.importXml(xml)
  const atBank = async () =>
    (await readReserveFacts(world.db)).accounts.reduce((sum, one) => sum + one.closingMicro + one.creditsSinceMicro, 0n)
  const before = await atBank()
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  const [main, second] = SETUP.accounts
  assert.ok(main && second)
  const swapped = {
    ...SETUP,
    accounts: [
      { ...main, key: second.key },
      { ...second, key: main.key },
    ],
  }
  const notification = bank.notification()
  const given = () =>
    importFile({ ...world.importDeps, setup: swapped }, { name: 'notified.xml', bytes: bytesOf(notification) })
  await assert.rejects(given(), /calls the account second, and the books main:/)
  assert.deepEqual((await world.importXml(notification)).taken, { result: 'applied' })
  await world.importXml(bank.closeDay())
  assert.equal((await atBank()) - before, 7_000_000n)
})

test('a name that only a statement which waits has given, as from the profile of a forgotten machine, is nobody’s once that is withdrawn', async () => {
  const world = await worlds.open()
  await world.importXml(someBank().closeDay())
  const [main, second] = SETUP.accounts
  assert.ok(main && second)
  const other = someBank({ account: second.account, openingSen: 5n, day: '2026-11-23' })
  const first = other
    .closeDay()
    .replace(/<MsgId>.*?</, '<MsgId>OTHER<')
    .replace('S00000002', 'OTHER2')
  const wrong = { ...SETUP, accounts: [{ ...second, key: main.key }] }
  const file = (xml: string) => ({ name: 'other.xml', bytes: bytesOf(xml) })
  await importFile({ ...world.importDeps, setup: wrong }, file(first))
  const next = other.closeDay().replace(/<MsgId>.*?</, '<MsgId>NEXT<')
  const [waits] = await world.db.query<{ no: bigint }>(
    'select statement_no as no from bank_statements where position is null',
  )
  const { no } = waits ?? assert.fail()
  await assert.rejects(
    world.importXml(next),
    new RegExp(
      `statement ${no}, which waits, calls it main. Where the profile is right, run "coin bank statements withdraw ${no} `,
    ),
  )
  await world.db.transaction((tx) => withdrawStatement(tx, no, 'of another profile'))
  assert.deepEqual((await world.importXml(next)).taken, { result: 'applied' })
})

test('what is notified of an account of which the books have nothing yet is not counted on another one, whose name a wrong profile gives it', async () => {
  const world = await worlds.open()
  await world.importXml(someBank().closeDay())
  const [main, second] = SETUP.accounts
  assert.ok(main && second)
  const other = someBank({ account: second.account, openingSen: 5n })
  other.deposit(700n, { name: 'P', account: '12345' }, 'one')
  const file = { name: 'notified.xml', bytes: bytesOf(other.notification()) }
  const wrong = { ...SETUP, accounts: [{ ...second, key: main.key }] }
  await assert.rejects(importFile({ ...world.importDeps, setup: wrong }, file), /by another number/)
  assert.deepEqual((await importFile(world.importDeps, file)).taken, { result: 'applied' })
  const credits = (await readReserveFacts(world.db)).accounts.map((one) => one.creditsSinceMicro)
  assert.deepEqual(credits, [0n])
})

test('where the bank has given an account a new number, what is notified of that waits for its first statement', async () => {
  const world = await worlds.open()
  const bank = someBank()
  await world.importXml(bank.closeDay())
  const [main] = SETUP.accounts
  assert.ok(main)
  const account = '80070000099'
  const setup = { ...SETUP, accounts: [{ ...main, account }] }
  const numberedAnew = (xml: string) => xml.replaceAll(main.account, account)
  bank.deposit(700n, { name: 'P', account: '12345' }, 'one')
  const notified = { name: 'notified.xml', bytes: bytesOf(numberedAnew(bank.notification())) }
  const given = () => importFile({ ...world.importDeps, setup }, notified)
  await assert.rejects(given(), /by another number/)
  const first = { name: 'first.xml', bytes: bytesOf(numberedAnew(bank.closeDay())) }
  assert.deepEqual((await importFile({ ...world.importDeps, setup }, first)).taken, { result: 'applied' })
  assert.deepEqual((await given()).taken, { result: 'applied' })
  const credits = (await readReserveFacts(world.db)).accounts.map((one) => one.creditsSinceMicro)
  assert.deepEqual(credits, [0n])
})
