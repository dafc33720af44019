// engine: postgres
/** Ringgit between two accounts of the issuer counts once, whichever of them shows it first. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { addDays } from '../../src/bank-files/day.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { availableOf } from '../../src/reserves/guard.ts'
import { assignLine } from '../../src/statements/assign.ts'
import { isPaymentUnbooked, readBankBalances } from '../../src/statements/balances.sql.ts'
import { bookLines } from '../../src/statements/book.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { recordFile } from '../../src/statements/record.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { bytesOf } from '../support/bank-files.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { SETUP, someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
afterEach(() => worlds.close())

const numberOf = (key: string) => SETUP.accounts.find((each) => each.key === key)?.account ?? ''
const MAIN = { name: 'Issuer', account: numberOf('main') }
/** As some banks write it. */
const SECOND = { name: 'Issuer', account: numberOf('second').replace(/(\d{4})(?=\d)/g, '$1 ') }

/** Both accounts, with RM 100 and RM 50 on a first day. */
async function twoAccounts() {
  const world = await worlds.open()
  const { db } = world
  const main = someBank({ openingSen: 10_000n })
  const second = someBank({ openingSen: 5_000n, account: numberOf('second'), seed: 'second' })
  let files = 0
  const unlike = (xml: string) => {
    files += 1
    return xml.replace('<MsgId>', `<MsgId>${files}-`)
  }
  const closes = async (bank: typeof main) => {
    const { taken } = await world.importXml(unlike(bank.closeDay()))
    assert.deepEqual(taken, { result: 'applied' })
  }
  await closes(main)
  await closes(second)
  return {
    world,
    db,
    main,
    second,
    closes,
    unlike,
    availableSen: async () => availableOf(await readReserveFacts(db)) / 10_000n,
    underWaySen: (between: string) => world.balanceSen(`own_transfers:${between}`),
    troubles: async () => {
      assert.deepEqual(
        (await checkBooks(db)).filter(({ what }) => what === 'payable' || what === 'sent'),
        [],
      )
      return await findStatementTroubles(db, TEST_SECRETS)
    },
  }
}

test('what has come before it has left counts once, in the reserve and in what the bank notifies', async () => {
  const s = await twoAccounts()
  assert.equal(await s.availableSen(), 15_000n)
  s.second.deposit(3_000n, MAIN, 'top-up INV-2026-000123')
  await s.world.importXml(s.unlike(s.second.notification()))
  assert.equal(
    (await readBankBalances(s.db)).find(({ bankAccount }) => bankAccount === 'second')?.creditsSinceMicro,
    0n,
  )
  assert.equal(await s.availableSen(), 15_000n)
  await s.closes(s.second)
  assert.equal(await s.underWaySen('main/second'), -3_000n)
  assert.equal(await s.availableSen(), 15_000n)
  s.main.withdraw(3_000n, SECOND, 'top-up')
  await s.closes(s.main)
  assert.equal(await s.underWaySen('main/second'), 0n)
  assert.equal(await s.availableSen(), 15_000n)
  assert.deepEqual(await s.troubles(), [])
  assert.equal((await listUnallocated(s.db, { after: undefined, limit: 9 })).length, 2, 'the two opening balances')
  for (let days = 0; days < 8; days += 1) for (const bank of [s.main, s.second]) await s.closes(bank)
  assert.deepEqual(await s.troubles(), [], 'nor is it named later')
  await withoutGuards(s.db, (tx) =>
    tx.query(`update bank_lines set amount_micro = 1 where matched_kind = 'own_transfer' and amount_micro > 0`),
  )
  assert.ok((await s.troubles()).some(({ kind }) => kind === 'statement_line'))
})

test('what has come from nobody knows where counts once the statements of our other accounts cover its day, or for what is on them', async () => {
  const s = await twoAccounts()
  const [PARTNER, ours] = [
    { name: 'Partner', account: '70001234567' },
    { name: 'Issuer', account: '99999' },
  ]
  const assign = async (text: 'own_funds' | 'mints') => {
    const lines = await listUnallocated(s.db, { after: undefined, limit: 9 })
    const line = lines.find(({ amountMicro }) => amountMicro === 30_000_000n)
    const explanation =
      text === 'mints' ? ({ kind: text, integrationId: s.world.integrationId } as const) : { kind: text }
    await s.db.transaction((tx) =>
      assignLine({ tx, secrets: TEST_SECRETS }, line?.lineNo ?? 0n, { explanation, reason: 'seen', now: NOW }),
    )
  }
  // From the main account, by a bank that does not say so; the statements of that are a day behind.
  s.second.deposit(3_000n, ours, 'top-up')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 15_000n)
  await assign('own_funds')
  assert.equal(await s.availableSen(), 15_000n, 'nor when somebody has said that it is ours')
  s.main.withdraw(3_000n, ours, 'top-up')
  await s.closes(s.main)
  assert.equal(await s.availableSen(), 15_000n)
  // It was a partner's.
  s.second.deposit(3_000n, PARTNER, 'a mint without its reference')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 15_000n)
  await assign('mints')
  assert.equal(await s.availableSen(), 18_000n)
  s.second.deposit(2_000n, PARTNER, 'another')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 18_000n)
  for (const _ of [1, 2]) await s.closes(s.main)
  assert.equal(await s.availableSen(), 20_000n)
  // More than there is on the other account did not come from it.
  s.second.deposit(50_000n, PARTNER, 'a large one')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 20_000n + 50_000n - 7_000n)
  for (const bank of [s.main, s.second]) bank.deposit(1n, PARTNER, 'the same day')
  await s.closes(s.main)
  assert.equal(await s.availableSen(), 70_001n)
})

test('it counts once also while a statement of either account is taken in between two questions of one look', async () => {
  const s = await twoAccounts()
  const ours = { name: 'Issuer', account: '99999' }
  /** What is available for who looks while this is taken in, after so many questions; undefined where there are not as many. */
  const seenSen = async (questions: number, meanwhile: () => Promise<void>) => {
    let asked = 0
    const facts = await readReserveFacts({
      async query(text, params) {
        const rows = await s.db.query<never>(text, params)
        asked += 1
        if (asked === questions) await meanwhile()
        return rows
      },
    })
    return asked < questions ? undefined : availableOf(facts) / 10_000n
  }
  for (let questions = 1; ; questions += 1) {
    s.second.deposit(100n, ours, 'top-up')
    const whileItComes = await seenSen(questions, () => s.closes(s.second))
    if (whileItComes === undefined) break
    s.main.withdraw(100n, ours, 'top-up')
    const whileItLeaves = await seenSen(questions, () => s.closes(s.main))
    assert.ok(whileItComes <= 15_000n, `${whileItComes} after ${questions}`)
    assert.ok(whileItLeaves !== undefined && whileItLeaves <= 15_000n, `${whileItLeaves} after ${questions}`)
    assert.equal(await s.availableSen(), 15_000n)
  }
})

test('what may have come from an account that is behind counts nowhere for two weeks after its newest statement, and then as anything else', async () => {
  const s = await twoAccounts()
  const PARTNER = { name: 'Partner', account: '70001234567' }
  const newest = addDays(s.main.day(), -1)
  while (s.second.day() < addDays(newest, 14)) await s.closes(s.second)
  s.second.deposit(3_000n, PARTNER, 'on the fourteenth day')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 15_000n)
  s.second.deposit(2_000n, PARTNER, 'a day later')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 17_000n)
})

test('what has left counts nowhere until it has come; several make up for nothing of one another', async () => {
  const s = await twoAccounts()
  s.main.withdraw(3_000n, SECOND, 'a')
  await s.world.importXml(s.unlike(s.main.notification()))
  assert.equal(await s.availableSen(), 12_000n)
  await s.closes(s.main)
  assert.equal(await s.underWaySen('main/second'), 3_000n)
  assert.equal(await s.availableSen(), 12_000n)
  // And the other way round, of which only the end is shown.
  s.main.deposit(1_000n, SECOND, 'b')
  await s.closes(s.main)
  assert.equal(await s.underWaySen('second/main'), -1_000n)
  assert.equal(await s.availableSen(), 12_000n)
  s.second.withdraw(1_000n, MAIN, 'b')
  s.second.deposit(3_000n, MAIN, 'a')
  await s.closes(s.second)
  assert.equal(await s.availableSen(), 15_000n)
  assert.deepEqual(await s.troubles(), [])
})

test('until it is booked nothing is proven; what came from an account without statements counts nowhere else', async () => {
  const s = await twoAccounts()
  s.second.deposit(3_000n, MAIN, 'top-up')
  const file = { name: 'a.xml', bytes: bytesOf(s.unlike(s.second.closeDay())) }
  assert.equal(await isPaymentUnbooked(s.db), false)
  await recordFile(s.world.importDeps, file)
  assert.equal(await isPaymentUnbooked(s.db), true)
  assert.equal(await s.availableSen(), 15_000n, 'what is not booked does not count yet')
  await bookLines(s.world.importDeps)
  assert.equal(await isPaymentUnbooked(s.db), false)

  const world = await worlds.open()
  const alone = someBank({ openingSen: 0n })
  alone.deposit(700n, SECOND, 'put in')
  await world.importXml(alone.closeDay())
  assert.equal(availableOf(await readReserveFacts(world.db)), 7_000_000n)
})

test('it is named a week after both accounts have been silent, and taken back where it was none', async () => {
  const s = await twoAccounts()
  s.second.deposit(3_000n, MAIN, 'somebody else’s, says the bank')
  const day = s.second.day()
  await s.closes(s.second)
  const until = async (bank: typeof s.main, last: string) => {
    while (bank.day() <= last) await s.closes(bank)
  }
  await until(s.second, addDays(day, 7))
  await until(s.main, addDays(day, 6))
  assert.deepEqual(await s.troubles(), [])
  // A statement that waits shows nothing yet: what it brings may be in the one that is missing.
  s.main.deposit(1n, { name: 'Bank', account: '12345' }, 'interest')
  const missing = s.unlike(s.main.closeDay())
  await s.closes(s.main)
  assert.deepEqual(
    (await s.troubles()).map(({ kind }) => kind),
    ['statement_missing'],
  )
  await s.world.importXml(missing)
  const message = `RM 30.00 came to second from main, whose statements do not show it, a week after ${day}.`
  assert.deepEqual(await s.troubles(), [{ kind: 'own_transfer', subject: 'main/second', message }])
  const [line] = await s.db.query<{ line_no: bigint }>(
    `select line_no from bank_lines where matched_to = 'main/second'`,
  )
  const taken = await s.db.transaction((tx) =>
    takeLineBack({ tx, secrets: TEST_SECRETS }, line?.line_no ?? 0n, { reason: 'a mistake', now: NOW }),
  )
  assert.equal(taken.result, 'taken_back')
  assert.deepEqual(await s.troubles(), [])
  assert.equal(await s.world.balanceSen('unallocated:second'), -8_000n)
})

test('where the bank kept charges of it, both of its lines are taken back, and leave the charges with the issuer’s own funds', async () => {
  const s = await twoAccounts()
  s.main.withdraw(3_050n, SECOND, 'top-up')
  s.second.deposit(3_000n, MAIN, 'top-up')
  for (const bank of [s.second, s.main]) await s.closes(bank)
  assert.equal(await s.underWaySen('main/second'), 50n)
  for (let days = 0; days < 8; days += 1) for (const bank of [s.main, s.second]) await s.closes(bank)
  assert.deepEqual(
    (await s.troubles()).map(({ kind, subject }) => `${kind} ${subject}`),
    ['own_transfer main/second'],
  )
  const lines = await s.db.query<{ line_no: bigint }>(`select line_no from bank_lines where matched_to = 'main/second'`)
  for (const { line_no: lineNo } of lines) {
    await s.db.transaction(async (tx) => {
      const deps = { tx, secrets: TEST_SECRETS }
      assert.equal((await takeLineBack(deps, lineNo, { reason: 'charges', now: NOW })).result, 'taken_back')
      const explanation = { kind: 'own_funds' } as const
      assert.equal((await assignLine(deps, lineNo, { explanation, reason: 'charges', now: NOW })).result, 'assigned')
    })
  }
  assert.deepEqual(await s.troubles(), [])
  const own = [await s.world.balanceSen('own_funds:main'), await s.world.balanceSen('own_funds:second')]
  assert.deepEqual(own, [3_050n, -3_000n])
  assert.equal(await s.availableSen(), 14_950n)
})

test('what the bank gives back of a transfer between them is no transfer the other way, and nothing is under way any more', async () => {
  const s = await twoAccounts()
  s.main.withdraw(3_000n, SECOND, 'top-up')
  await s.closes(s.main)
  assert.equal(await s.underWaySen('main/second'), 3_000n)
  s.main.deposit(3_000n, SECOND, 'top-up')
  const returned = '<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls>'
  const { taken } = await s.world.importXml(s.unlike(s.main.closeDay()).replace('</TxDtls>', returned))
  assert.deepEqual(taken, { result: 'applied' })
  await s.closes(s.second)
  assert.deepEqual([await s.underWaySen('main/second'), await s.underWaySen('second/main')], [0n, 0n])
  assert.equal(await s.availableSen(), 15_000n)
  assert.deepEqual(await s.troubles(), [])
})
