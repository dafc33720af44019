// engine: postgres
/** A statement that waits, because the bank has replaced it, is withdrawn for good; what is booked never is. */
import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { findStatement, withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { type BankWorld, createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

let world: BankWorld
const worlds = createBankWorlds()
beforeEach(async () => {
  world = await worlds.open()
})
after(() => worlds.close())

const named = (xml: string, messageId: string, statementId: string) =>
  xml.replace(/<MsgId>.*?</, `<MsgId>${messageId}<`).replace(/<Stmt>\s*<Id>.*?</, `<Stmt><Id>${statementId}<`)
const withdraw = (statementNo: bigint) =>
  world.db.transaction((tx) => withdrawStatement(tx, statementNo, 'the bank has replaced it'))
const troubles = async () =>
  (await findStatementTroubles(world.db, TEST_SECRETS)).map(({ kind, subject }) => `${kind} ${subject}`)
const resultOf = async (xml: string) => (await world.importXml(xml)).taken.result

/** A first statement that stands, and one of the next day that opens with a sen too much; and then that day as it was. */
async function wrongAfterFirst() {
  const bank = someBank()
  await world.importXml(bank.closeDay())
  const mistaken = someBank({ openingSen: 100_000_001n, day: bank.day(), seed: 'mistaken' })
  for (const each of [bank, mistaken]) each.deposit(700n, { name: 'P', account: '12345' }, 'rent')
  const wrong = named(mistaken.closeDay(), 'WRONG', 'S-WRONG')
  assert.deepEqual(await world.importXml(wrong).then(({ taken, unbooked }) => [taken.result, unbooked]), ['applied', 1])
  const [waiting] = await listWaiting(world.db)
  assert.ok(waiting)
  return { bank, wrong, right: bank.closeDay(), statementNo: waiting.statementNo }
}

/** As if the bank had said of the statement's one entry what it consists of. */
async function takeLineApart(statementNo: bigint): Promise<void> {
  await withoutGuards(world.db, async (tx) => {
    await tx.query('update bank_lines set amount_micro = 4000000 where statement_no = $1', [statementNo])
    await tx.query(
      `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, servicer_reference)
       select statement_no, bank_account, entry, detail + 1, 3000000, booked_on, value_on, is_reversal, servicer_reference
       from bank_lines where statement_no = $1`,
      [statementNo],
    )
  })
}

describe('a statement that was wrong', () => {
  it('waits no longer, is named no more, and nothing of it is booked, while the one that replaces it is', async () => {
    const { bank, wrong, right, statementNo } = await wrongAfterFirst()
    assert.deepEqual(await troubles(), ['statement_missing main/S-WRONG'])
    assert.equal((await withdraw(statementNo))?.state, 'waiting')
    assert.deepEqual(await listWaiting(world.db), [])
    assert.deepEqual(await troubles(), [])
    // The same file is still the one that was withdrawn.
    const again = await world.importXml(wrong)
    assert.deepEqual([again.taken.result, again.unbooked], ['repeated', 0])
    assert.equal(await resultOf(right), 'applied')
    assert.equal(await resultOf(bank.closeDay()), 'applied')
    assert.deepEqual([await listWaiting(world.db), await troubles()], [[], []])
    const [balance] = await readBankBalances(world.db)
    assert.deepEqual([balance?.closingMicro, balance?.unbookedMicro], [bank.balanceSen() * 10_000n, 0n])
    assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  })

  it('may be replaced under its own id, or by one of the same balances; and is withdrawn once', async () => {
    const { wrong, right, statementNo } = await wrongAfterFirst()
    assert.equal(await resultOf(named(right, 'REPLACED', 'S-WRONG')), 'refused')
    await withdraw(statementNo)
    const before = await findStatement(world.db, statementNo)
    assert.equal((await withdraw(statementNo))?.state, 'withdrawn')
    assert.deepEqual(await findStatement(world.db, statementNo), before)
    // The bank says all of it again, in another file: then it waits again, as any other would.
    assert.equal(await resultOf(named(wrong, 'INSISTS', 'S-INSISTS')), 'applied')
    const [insisted] = await listWaiting(world.db)
    assert.equal(insisted?.statementId, 'S-INSISTS')
    await withdraw(insisted?.statementNo ?? 0n)
    assert.equal(await resultOf(named(right, 'REPLACED-TOO', 'S-WRONG')), 'applied')
    assert.deepEqual([await listWaiting(world.db), await troubles()], [[], []])
  })

  for (const how of ['as one line', 'taken apart'])
    it(`no longer shows what was notified, ${how}`, async () => {
      const { right, statementNo } = await wrongAfterFirst()
      if (how === 'taken apart') await takeLineApart(statementNo)
      const isShown = async () => (await world.db.query<{ is_shown: boolean }>('select is_shown from bank_notified'))[0]
      const mistaken = someBank({ day: '2026-11-21', seed: 'mistaken' })
      mistaken.deposit(700n, { name: 'P', account: '12345' }, 'rent')
      await world.importXml(mistaken.notification())
      // The bank's reference is that of the wrong statement's line, and not of the right one's.
      assert.deepEqual(await isShown(), { is_shown: true })
      await withdraw(statementNo)
      assert.deepEqual(await isShown(), { is_shown: false })
      await world.importXml(right)
      assert.deepEqual(await isShown(), { is_shown: false })
    })

  it('keeps no late ones waiting beside which it stood, and goes by itself', async () => {
    const bank = someBank()
    const first = bank.closeDay()
    bank.deposit(700n, { name: 'P', account: '12345' }, 'in')
    const credited = bank.closeDay()
    bank.withdraw(700n, { name: 'P', account: '12345' }, 'out')
    const debited = bank.closeDay()
    const last = named(someBank({ day: '2026-11-24', seed: 'last' }).closeDay(), 'LAST', 'S-LAST')
    const mistaken = someBank({ day: '2026-11-21', seed: 'mistaken' })
    mistaken.deposit(900n, { name: 'P', account: '12345' }, 'in')
    const wrong = named(mistaken.closeDay(), 'WRONG', 'S-WRONG')
    for (const xml of [first, last, wrong, credited, debited]) assert.equal(await resultOf(xml), 'applied')
    const [waiting, ...others] = await listWaiting(world.db)
    assert.deepEqual([waiting?.statementId, others], ['S-WRONG', []])
    await withdraw(waiting?.statementNo ?? 0n)
    assert.deepEqual(await listWaiting(world.db), [])
  })
})

describe('what is applied', () => {
  it('is not withdrawn, whatever became of its lines; nor is there anything to withdraw under no number', async () => {
    await world.importXml(someBank().closeDay())
    const [row] = await world.db.query<{ statement_no: bigint }>('select statement_no from bank_statements')
    assert.ok(row)
    assert.equal((await withdraw(row.statement_no))?.state, 'applied')
    assert.equal((await findStatement(world.db, row.statement_no))?.state, 'applied')
    assert.equal(await withdraw(row.statement_no + 1n), undefined)
    // Nor past the service, and what is withdrawn never comes back.
    const past = `update bank_statements set withdrawn_at = now(), withdrawn_for = 'x'`
    await assert.rejects(world.db.query(past), /stands as the bank has said it/)
  })

  it('is what it was when the missing one came first: the withdrawal waits for it, and changes nothing', async () => {
    const { world: own, missing, statementNo } = await waitingForOne()
    let applied = (): void => undefined
    const isApplied = new Promise<void>((resolve) => (applied = resolve))
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    const also = async () => {
      applied()
      await released
    }
    const importing = own.importXml(missing, 'missing.xml', also)
    await isApplied
    const withdrawing = withdraw(statementNo)
    await somebodyWaits(own)
    release()
    assert.equal((await importing).taken.result, 'applied')
    assert.equal((await withdrawing)?.state, 'applied')
    assert.deepEqual(await listWaiting(own.db), [])
    assert.deepEqual(await troubles(), [])
  })

  it('is nothing of it when the withdrawal came first: the missing one is taken in, and what it was waiting for is not', async () => {
    const { world: own, missing, statementNo } = await waitingForOne()
    const importing = Promise.withResolvers<Promise<unknown>>()
    await own.db.transaction(async (tx) => {
      assert.equal((await withdrawStatement(tx, statementNo, 'the bank has replaced it'))?.state, 'waiting')
      importing.resolve(own.importXml(missing).then(({ taken }) => taken.result))
      await somebodyWaits(own)
    })
    assert.equal(await await importing.promise, 'applied')
    assert.equal((await findStatement(own.db, statementNo))?.state, 'withdrawn')
    assert.deepEqual([await listWaiting(own.db), await troubles()], [[], []])
    const [balance] = await readBankBalances(own.db)
    assert.deepEqual([balance?.closedOn, balance?.unbookedMicro], ['2026-11-21', 0n])
  })
})

async function waitingForOne() {
  const bank = someBank()
  await world.importXml(bank.closeDay())
  bank.deposit(700n, { name: 'P', account: '12345' }, 'rent')
  const missing = bank.closeDay()
  bank.deposit(300n, { name: 'P', account: '12345' }, 'more')
  await world.importXml(bank.closeDay())
  const [waiting] = await listWaiting(world.db)
  assert.ok(waiting)
  return { world, missing, statementNo: waiting.statementNo }
}

/** Until a transaction of this database waits for a lock that another one holds. */
async function somebodyWaits({ db }: BankWorld): Promise<void> {
  for (;;) {
    const [row] = await db.query<{ n: bigint }>(
      `select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    if (row?.n === 1n) return
  }
}
