// engine: postgres
/** Which debits, and statements that do not go far enough, keep anybody from saying that a payment was not made. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { addDays } from '../../src/bank-files/day.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markPaid } from '../../src/payouts/record-news.ts'
import { assignLine } from '../../src/statements/assign.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { findPaymentShown, lockPayeesDebit } from '../../src/statements/shown.sql.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { findUnshown, whyMaybePaid } from '../../src/statements/unshown.sql.ts'
import { withdrawStatement } from '../../src/statements/withdraw.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
afterEach(() => worlds.close())

const PAYEE = { name: 'P', account: '12345' }
const SECOND = { account: '514099999999', seed: 'second' }

let files = 0
/** A payment that its rail called paid on a day, from an account, or from none of ours that it names. */
async function calledPaid(bankAccount: string, day: string) {
  const world = await worlds.open()
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  const said = { bankAccount, reference: 'R', effectiveAt: NOW }
  await world.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, said))
  // Past midnight there, and still the day before in UTC.
  const since = `${addDays(day, -1)}T17:00:00Z`
  await withoutGuards(world.db, (tx) => tx.query('update payouts set status_since = $1', [since]))
  return {
    world,
    why: () => world.db.transaction((tx) => whyMaybePaid(tx, payoutId)),
    async closes(bank: ReturnType<typeof someBank>, until: string) {
      while (bank.day() <= until) {
        files += 1
        const xml = bank.closeDay().replace('<MsgId>', `<MsgId>${files}`)
        assert.deepEqual((await world.importXml(xml)).taken, { result: 'applied' })
      }
    },
  }
}

test('those of the account that it left, up to the seventh day after, whatever the others say', async () => {
  const s = await calledPaid('main', '2026-11-21')
  assert.match((await s.why()) ?? '', /^No statement of the account that it left was taken in/)
  const bank = someBank()
  await s.closes(bank, '2026-11-27')
  await s.closes(someBank({ ...SECOND }), '2026-11-20')
  const behind = /called it paid on 2026-11-21: .* up to 2026-11-28, and those of main end on 2026-11-27\.$/
  assert.match((await s.why()) ?? '', behind)
  // A later one says nothing of the day between, whose statement may show it.
  bank.deposit(5n, PAYEE, 'interest')
  const missing = bank.closeDay()
  await s.closes(bank, '2026-11-29')
  assert.match((await s.why()) ?? '', behind)
  await s.world.importXml(missing)
  assert.equal(await s.why(), undefined)
})

test('those of all accounts where the rail names none of ours, but for one that was empty and has long had none', async () => {
  const s = await calledPaid('http', '2026-12-31')
  s.world.clock.now = new Date('2027-01-08T12:00:00Z')
  await s.closes(someBank({ day: '2027-01-07' }), '2027-01-07')
  const second = someBank({ ...SECOND, openingSen: 100n, day: '2026-11-29' })
  await s.closes(second, '2026-11-29')
  assert.match((await s.why()) ?? '', /and those of second end on 2026-11-29\.$/)
  second.withdraw(100n, PAYEE, 'the end')
  await s.closes(second, '2026-11-30')
  assert.equal(await s.why(), undefined)
  await s.closes(second, '2026-12-01')
  assert.match((await s.why()) ?? '', /and those of second end on 2026-12-01\.$/)
})

test('a debit of its amount that nothing explains may be its own, from the day before it was queued, and while its statement stands', async () => {
  const world = await worlds.open()
  const { db } = world
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'sent')
  // Past midnight there, and still the day before in UTC.
  await withoutGuards(db, (tx) => tx.query(`update payouts set created_at = '2026-11-21T17:00:00Z'`))
  const why = () => db.transaction((tx) => whyMaybePaid(tx, payoutId))
  const mayBe = (day: string) => new RegExp(`^main/\\S+ of ${day} may be its debit: RM 10.00 that nothing explains`)
  const bank = someBank()
  const closes = () => world.importXml(bank.closeDay())
  const rent = () => bank.withdraw(1_000n, PAYEE, 'without our id')
  rent()
  await closes()
  assert.equal(await why(), undefined)
  rent()
  await closes()
  assert.match((await why()) ?? '', mayBe('2026-11-21'))
  const lines = await db.query<{ line_no: bigint }>(`select line_no from bank_lines where amount_micro = -10000000`)
  const ownFunds = { explanation: { kind: 'own_funds' }, reason: 'rent', now: NOW } as const
  for (const { line_no: lineNo } of lines) {
    await db.transaction((tx) => assignLine({ tx, secrets: TEST_SECRETS }, lineNo, ownFunds))
  }
  assert.equal(await why(), undefined)
  bank.deposit(5n, PAYEE, 'a day that is not sent')
  bank.closeDay()
  rent()
  await closes()
  assert.match((await why()) ?? '', mayBe('2026-11-23'))
  const [statement] = await db.query<{ no: bigint }>('select max(statement_no) as no from bank_statements')
  await db.transaction((tx) => withdrawStatement(tx, statement?.no ?? 0n, 'wrong'))
  assert.equal(await why(), undefined)
})

test('a debit with charges of the bank that was taken for it, and was freed, may be its own until somebody says what it is', async () => {
  const world = await worlds.open()
  const { db } = world
  const { payoutId } = await world.burntRedeem('10')
  const other = await world.burntRedeem('10')
  await world.payDue()
  const why = (of = payoutId) => db.transaction((tx) => whyMaybePaid(tx, of))
  const bank = someBank()
  bank.withdraw(1_050n, PAYEE, 'without our id')
  await world.importXml(bank.closeDay())
  assert.equal(await why(), undefined)
  const [line] = await db.query<{ line_no: bigint }>('select line_no from bank_lines where amount_micro = -10500000')
  const lineNo = line?.line_no ?? 0n
  const assign = (explanation: Parameters<typeof assignLine>[2]['explanation']) =>
    db.transaction((tx) => assignLine({ tx, secrets: TEST_SECRETS }, lineNo, { explanation, reason: 'seen', now: NOW }))
  const takeBack = () =>
    db.transaction((tx) => takeLineBack({ tx, secrets: TEST_SECRETS }, lineNo, { reason: 'not it', now: NOW }))
  await assign({ kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n, chargesSen: 50n })
  assert.equal(await world.payoutStatus(payoutId), 'paid')
  assert.equal((await takeBack()).result, 'taken_back')
  assert.match((await why()) ?? '', /^main\/\S+ of 2026-11-20 may be its debit: RM 10\.50 that nothing explains/)
  assert.equal(await why(other.payoutId), undefined)
  // Said to be something else, and that taken back, too: it may be the payment again.
  await assign({ kind: 'own_funds' })
  assert.equal(await why(), undefined)
  assert.equal((await takeBack()).result, 'taken_back')
  assert.match((await why()) ?? '', /may be its debit: RM 10\.50/)
})

/** A payment, and the statement that shows it, which waits for the day before it. */
async function paidBehindMissingDay() {
  const world = await worlds.open()
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  const bank = someBank({ fateOf: () => 'pending' })
  bank.receive(await world.outFile('COIN-00000001'))
  await world.importXml(bank.closeDay())
  bank.deposit(5n, PAYEE, 'a day that is not sent')
  bank.closeDay()
  bank.settlePending()
  await world.importXml(bank.closeDay())
  return { world, payoutId }
}

test('a statement that was withdrawn says nothing of the payment that it names, whatever counts as its end', async () => {
  const { world, payoutId } = await paidBehindMissingDay()
  const { db } = world
  const shown = () => db.transaction((tx) => findPaymentShown(tx, payoutId))
  const why = () => db.transaction((tx) => whyMaybePaid(tx, payoutId))
  assert.match((await shown()) ?? '', /^main\//)
  const said = { bankAccount: 'main', reference: 'R', effectiveAt: NOW }
  await db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, said))
  assert.match((await why()) ?? '', /^A statement shows that po_\w+ was paid: main\//)
  const [statement] = await db.query<{ no: bigint }>('select max(statement_no) as no from bank_statements')
  await db.transaction((tx) => withdrawStatement(tx, statement?.no ?? 0n, 'wrong'))
  assert.equal(await shown(), undefined)
  assert.match((await why()) ?? '', /those of main end on/)
})

test('a debit of a payment that only a lost history had asked for keeps its payout from being paid anew, as any other does', async () => {
  const { world, payoutId } = await paidBehindMissingDay()
  const { db } = world
  const why = () => db.transaction((tx) => lockPayeesDebit(tx, payoutId))
  assert.match((await why()) ?? '', /^main\/.* names a payment of po_/)
  // Restored to before it was asked for; then it was refused because its customer had no bank account there.
  await withoutGuards(db, async (tx) => {
    await tx.query('delete from payout_attempts')
    await tx.query(`update payouts set status = 'rejected', rail_reference = null, bank_id = null`)
  })
  assert.match((await why()) ?? '', /^main\/.* names a payment of po_/)
})

test('what counts as made, by whomever, and no statement shows is named once a week of statements is there, until something shows it', async () => {
  const world = await worlds.open()
  const { db } = world
  const redeems = [await world.burntRedeem('10'), await world.burntRedeem('11'), await world.burntRedeem('12')]
  const [sent, paid, byHand] = redeems.map(({ payoutId }) => payoutId) as [string, string, string]
  await world.payDue()
  const said = { bankAccount: 'http', reference: 'R', effectiveAt: NOW }
  await db.transaction((tx) => markPaid(tx, { payoutId: paid, attempt: 1 }, said))
  await db.transaction((tx) => payoutAdmin.markUnpaid(tx, byHand, 'lost'))
  await db.transaction((tx) => payoutAdmin.markPaid(tx, byHand, 'CHEQUE'))
  await withoutGuards(db, (tx) => tx.query(`update payouts set status_since = '2026-11-20T17:00:00Z'`))
  const named = async () =>
    (await findUnshown(db)).map(({ payoutId, status, since }) => `${payoutId} ${status} ${since}`)
  const bank = someBank()
  const until = async (day: string) => {
    while (bank.day() <= day) assert.deepEqual((await world.importXml(bank.closeDay())).taken, { result: 'applied' })
  }
  assert.deepEqual(await named(), [])
  await until('2026-11-27')
  assert.deepEqual(await named(), [])
  await until('2026-11-28')
  const all = [`${sent} sent 2026-11-21`, `${paid} paid 2026-11-21`, `${byHand} paid_by_hand 2026-11-21`]
  assert.deepEqual((await named()).toSorted(), all.toSorted())
  const troubles = await findStatementTroubles(db, TEST_SECRETS)
  const [about] = troubles.filter(({ kind, subject }) => kind === 'payout_unshown' && subject === paid)
  assert.match(about?.message ?? '', /RM 11\.00 was called paid by its rail \(bank_files\) on 2026-11-21, but a week/)
  for (const sen of [1_000n, 1_100n, 1_200n]) bank.withdraw(sen, PAYEE, 'without our id')
  await until('2026-11-29')
  const lines = await db.query<{ line_no: bigint }>(
    `select line_no from bank_lines where entry > 0 order by amount_micro desc`,
  )
  for (const [index, payoutId] of [sent, paid, byHand].entries()) {
    assert.equal((await named()).length, 3 - index)
    const amountSen = BigInt(10 + index) * 100n
    const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen } as const
    const { result } = await db.transaction((tx) =>
      assignLine({ tx, secrets: TEST_SECRETS }, lines[index]?.line_no ?? 0n, {
        explanation,
        reason: 'it is',
        now: NOW,
      }),
    )
    assert.equal(result, 'assigned')
  }
  assert.deepEqual(await named(), [])
  // What its rail had called paid, and a line no longer shows, is named again.
  const taken = await db.transaction((tx) =>
    takeLineBack({ tx, secrets: TEST_SECRETS }, lines[1]?.line_no ?? 0n, { reason: 'it was not', now: NOW }),
  )
  assert.equal(taken.result, 'taken_back')
  assert.deepEqual(await named(), [`${paid} paid 2026-11-21`])
})
