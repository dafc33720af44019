// engine: postgres
/** What a line was taken for by mistake is taken back by an opposite entry, and the line can be assigned anew; what has closed a payout stays. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markPaid } from '../../src/payouts/record-news.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listLinesOf } from '../../src/statements/lines-of.sql.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const PARTNER = { name: 'Partner', account: '70001234567' }
/** From here on the bank carries out what it is asked for. */
const LATER = new Date(NOW.getTime() + 60_000)
const worlds = createBankWorlds()
afterEach(() => worlds.close())
async function newWorld() {
  const world = await worlds.open()
  const { db, integrationId } = world
  const lineOf = async (amountSen: bigint) => {
    const [row] = await db.query<{ line_no: bigint; state: string; matched_to: string | null }>(
      'select line_no, state, matched_to from bank_lines where amount_micro = $1 order by line_no desc limit 1',
      [amountSen * 10_000n],
    )
    assert.ok(row, `a line of ${amountSen} sen`)
    return row
  }
  return {
    world,
    db,
    integrationId,
    lineOf,
    takeBack: async (amountSen: bigint) => {
      const { line_no: lineNo } = await lineOf(amountSen)
      return await db.transaction((tx) =>
        takeLineBack({ tx, secrets: TEST_SECRETS }, lineNo, { reason: 'a mistake', now: NOW }),
      )
    },
    markUnpaid: (payoutId: string) => db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'the bank says so')),
    assign: async (amountSen: bigint, explanation: Explanation) => {
      const lines = await listUnallocated(db, { after: undefined, limit: 100 })
      const line = lines.find(({ amountMicro }) => amountMicro === amountSen * 10_000n)
      const given = { explanation, reason: 'seen', now: NOW }
      return await db.transaction((tx) => assignLine({ tx, secrets: TEST_SECRETS }, line?.lineNo ?? 0n, given))
    },
    books: async (bank: ReturnType<typeof someBank>) => {
      assert.deepEqual(
        (await checkBooks(db)).filter(({ what }) => what === 'payable' || what === 'sent'),
        [],
      )
      assert.deepEqual(await findStatementTroubles(db, TEST_SECRETS), [])
      assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
    },
  }
}

test('what an operator has assigned wrongly goes to somebody else, as often as it takes', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n })
  bank.deposit(700n, PARTNER, 'no reference')
  await s.world.importXml(bank.closeDay())
  for (const round of [1, 2, 3]) {
    assert.equal((await s.assign(700n, { kind: 'mints', integrationId: s.integrationId })).result, 'assigned')
    assert.equal(await s.world.balanceSen(`mint_receivable:${s.integrationId}`), -700n)
    const [listed] = await listLinesOf(s.db, s.integrationId, { before: undefined, limit: 10 })
    assert.equal(listed?.kind, 'remitter')
    const taken = await s.takeBack(700n)
    assert.deepEqual(taken.result === 'taken_back' && taken.belonged, { kind: 'remitter', to: s.integrationId })
    assert.equal(await s.world.balanceSen(`mint_receivable:${s.integrationId}`), 0n)
    assert.equal(await s.world.balanceSen('unallocated:main'), -700n, `round ${round}`)
    assert.equal((await s.takeBack(700n)).result, 'belongs_to_nothing')
    await s.books(bank)
  }
  const kinds = [{ kind: 'fees', integrationId: s.integrationId }, { kind: 'own_funds' }] as const
  for (const explanation of kinds) {
    assert.equal((await s.assign(700n, explanation)).result, 'assigned')
    assert.equal((await s.takeBack(700n)).result, 'taken_back')
  }
  assert.equal(await s.world.balanceSen('unallocated:main'), -700n)
  await s.books(bank)
})

test('what the line was booked by is taken back, and not what somebody had booked under that name before, past the service', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n })
  bank.deposit(700n, PARTNER, 'no reference')
  await s.world.importXml(bank.closeDay())
  await s.db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     select reference || '/assigned', effective_at, day, '{unallocated:x,own_funds:x}', '{1,-1}' from ledger_entries where reference like 'statement/%'`,
  )
  assert.equal((await s.assign(700n, { kind: 'mints', integrationId: s.integrationId })).result, 'assigned')
  assert.equal((await s.takeBack(700n)).result, 'taken_back')
  assert.equal(await s.world.balanceSen(`mint_receivable:${s.integrationId}`), 0n)
  assert.equal(await s.world.balanceSen('unallocated:main'), -700n)
})

test('what was matched by its remitter or by a reference is taken back, and the mint waits for its ringgit again', async () => {
  const s = await newWorld()
  const mint = await s.world.settledMint('100')
  await s.db.transaction((tx) =>
    addRemitter(tx, TEST_SECRETS, { integrationId: s.integrationId, account: PARTNER.account }),
  )
  const bank = someBank({ openingSen: 0n })
  bank.deposit(10_000n, PARTNER, mint.referenceId)
  bank.deposit(300n, PARTNER, 'something')
  await s.world.importXml(bank.closeDay())
  assert.deepEqual((await s.lineOf(10_000n)).state, 'matched')
  const taken = await s.takeBack(10_000n)
  assert.deepEqual(taken.result === 'taken_back' && [taken.belonged.kind, taken.mints], ['mint', [mint.orderId]])
  assert.equal((await s.takeBack(300n)).result, 'taken_back')
  assert.deepEqual(await s.db.query('select order_id from bank_paid_mints'), [])
  assert.equal(await s.world.balanceSen(`mint_receivable:${s.integrationId}`), 10_000n)
  assert.equal(await s.world.balanceSen('unallocated:main'), -10_300n)
  await s.books(bank)
  // Its own ringgit comes, and is matched as if nothing had been.
  bank.deposit(10_000n, PARTNER, mint.referenceId)
  await s.world.importXml(bank.closeDay())
  assert.equal(await s.world.balanceSen(`mint_receivable:${s.integrationId}`), 0n)
  await s.books(bank)
})

test('what was assigned to a payment by hand is taken back, the credit before the debit', async () => {
  const s = await newWorld()
  const { payoutId } = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.world.file()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'rejected' })
  bank.receive(await s.world.outFile('COIN-00000001'))
  await s.world.importXml(bank.report('COIN-00000001'))
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
  bank.withdraw(1_050n, PARTNER, 'BY HAND')
  bank.deposit(1_000n, PARTNER, 'BACK')
  await s.world.importXml(bank.closeDay())
  const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n } as const
  assert.equal((await s.assign(-1_050n, { ...explanation, chargesSen: 50n })).result, 'assigned')
  assert.equal((await s.assign(1_000n, explanation)).result, 'assigned')
  assert.equal(await s.world.payoutStatus(payoutId), 'returned')
  const early = await s.takeBack(-1_050n)
  assert.match(early.result === 'refused' ? early.sentence : '', /take that line back first/)
  // It was somebody else's: what was paid by hand is paid by hand, and its debit is that payment's.
  assert.equal((await s.takeBack(1_000n)).result, 'taken_back')
  assert.equal(await s.world.payoutStatus(payoutId), 'paid_by_hand')
  assert.equal(await s.world.balanceSen('payout_clearing:by_hand'), 0n)
  assert.equal(await s.world.balanceSen('unallocated:main'), -1_000n)
  assert.equal((await s.lineOf(-1_050n)).matched_to, `${payoutId}/by_hand/2`)
  await s.books(bank)
  assert.equal((await s.takeBack(-1_050n)).result, 'taken_back')
  assert.equal(await s.world.balanceSen('payout_clearing:by_hand'), -1_000n)
  assert.equal(await s.world.balanceSen('own_funds:main'), 0n)
  await s.books(bank)
  // And all of it again, the right way.
  assert.equal((await s.assign(-1_050n, { ...explanation, chargesSen: 50n })).result, 'assigned')
  assert.equal((await s.assign(1_000n, explanation)).result, 'assigned')
  assert.equal(await s.world.payoutStatus(payoutId), 'returned')
  await s.books(bank)
  // What is paid anew meanwhile stays.
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  const late = await s.takeBack(1_000n)
  assert.match(late.result === 'refused' ? late.sentence : '', /has moved on/)
  assert.equal((await s.lineOf(1_000n)).state, 'assigned')
})

test('a debit that an operator had wrongly taken for the payment of a payout is free again, and the payment is with its rail, as often as it takes', async () => {
  const s = await newWorld()
  const { payoutId } = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.world.file()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'pending' })
  bank.receive(await s.world.outFile('COIN-00000001'))
  bank.withdraw(1_050n, PARTNER, 'rent')
  await s.world.importXml(bank.closeDay())
  const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n, chargesSen: 50n } as const
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await s.assign(-1_050n, explanation)).result, 'assigned')
    assert.equal(await s.world.payoutStatus(payoutId), 'paid')
    await assert.rejects(s.markUnpaid(payoutId), /is on a statement/)
    await s.books(bank)
    const taken = await s.takeBack(-1_050n)
    assert.equal(taken.result, 'taken_back', taken.result === 'refused' ? taken.sentence : '')
    assert.equal(await s.world.payoutStatus(payoutId), 'sent')
    assert.equal((await s.lineOf(-1_050n)).state, 'unallocated')
    assert.equal(await s.world.balanceSen('own_funds:main'), 0n)
    assert.equal(await s.world.balanceSen('unallocated:main'), 1_050n)
    assert.equal(await s.world.balanceSen('payout_clearing:bank_files'), -1_000n)
    await s.books(bank)
  }
  assert.equal((await s.assign(-1_050n, { kind: 'own_funds' })).result, 'assigned')
  // Its own debit closes it as if nothing had been.
  bank.settlePending()
  await s.world.importXml(bank.closeDay())
  assert.equal((await s.lineOf(-1_000n)).state, 'matched')
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  assert.equal(await s.world.balanceSen('payout_clearing:bank_files'), 0n)
  await s.books(bank)
})

test('a debit that was wrongly taken for an earlier payment, and so for one too many, is free again, and that payment has failed as before', async () => {
  const s = await newWorld()
  const { payoutId } = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.world.file()
  const bank = someBank({ openingSen: 0n, fateOf: () => (s.world.clock.now < LATER ? 'rejected' : 'paid') })
  bank.receive(await s.world.outFile('COIN-00000001'))
  await s.world.importXml(bank.report('COIN-00000001'))
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  s.world.clock.now = LATER
  await s.world.payDue()
  await s.world.file()
  bank.receive(await s.world.outFile('COIN-00000002'))
  // The bank pays it in two sums more, and names nothing in either.
  bank.withdraw(1_050n, PARTNER, 'no reference')
  await s.world.importXml(bank.closeDay())
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n, chargesSen: 50n } as const
  const first = () =>
    s.db.query('select status, is_extra from payout_attempts where payout_id = $1 and attempt = 1', [payoutId])
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await s.assign(-1_050n, explanation)).result, 'assigned')
    assert.deepEqual(await first(), [{ status: 'paid', is_extra: true }])
    assert.equal(await s.world.balanceSen('unallocated:main'), 1_000n)
    const taken = await s.takeBack(-1_050n)
    assert.equal(taken.result, 'taken_back', taken.result === 'refused' ? taken.sentence : '')
    assert.deepEqual(await first(), [{ status: 'rejected', is_extra: false }])
    assert.equal(await s.world.payoutStatus(payoutId), 'paid')
    assert.equal(await s.world.balanceSen('own_funds:main'), 0n)
    assert.equal(await s.world.balanceSen('unallocated:main'), 1_050n)
    assert.equal(await s.world.balanceSen('payout_clearing:bank_files'), 0n)
    await s.books(bank)
  }
  // It paid the second payment once more, and what gives that back closes the claim.
  const claim = { ...explanation, kind: 'claim', attempt: 2 } as const
  assert.equal((await s.assign(-1_050n, claim)).result, 'assigned')
  bank.deposit(1_000n, PARTNER, 'twice')
  await s.world.importXml(bank.closeDay())
  assert.equal((await s.assign(1_000n, { kind: 'claim', payoutId, attempt: 2, amountSen: 1_000n })).result, 'assigned')
  assert.equal(await s.world.balanceSen('unallocated:main'), 0n)
  await s.books(bank)
})

test('where its rail had called it paid, it still does; where it came back since, nothing is taken back', async () => {
  for (const isTold of [true, false]) {
    const s = await newWorld()
    const { payoutId } = await s.world.burntRedeem('10')
    await s.world.payDue()
    const told = { bankAccount: 'http', reference: 'H', effectiveAt: NOW }
    if (isTold) await s.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, told))
    const bank = someBank({ openingSen: 0n })
    bank.withdraw(1_000n, PARTNER, 'rent')
    bank.deposit(1_000n, PARTNER, 'given back')
    await s.world.importXml(bank.closeDay())
    const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n } as const
    for (let times = 0; times < 2; times += 1) {
      assert.equal((await s.assign(-1_000n, explanation)).result, 'assigned')
      assert.equal(await s.world.balanceSen('reserve:http'), 0n)
      assert.equal((await s.takeBack(-1_000n)).result, 'taken_back')
      assert.equal(await s.world.payoutStatus(payoutId), isTold ? 'paid' : 'sent')
      assert.equal(await s.world.balanceSen('reserve:http'), isTold ? -1_000n : 0n)
      await s.books(bank)
    }
    assert.equal((await s.assign(-1_000n, explanation)).result, 'assigned')
    assert.equal((await s.assign(1_000n, explanation)).result, 'assigned')
    assert.equal(await s.world.payoutStatus(payoutId), 'returned')
    const refused = await s.takeBack(-1_000n)
    assert.match(refused.result === 'refused' ? refused.sentence : '', /has moved on since/)
    await s.books(bank)
  }
})

test('a debit that names its payment stays, with a sentence, whoever has said so; also past the service', async () => {
  const s = await newWorld()
  const { payoutId } = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.world.file()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'paid' })
  bank.receive(await s.world.outFile('COIN-00000001'))
  await s.world.importXml(bank.closeDay())
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  const isRefused = async () => {
    const refused = await s.takeBack(-1_000n)
    assert.match(
      refused.result === 'refused' ? refused.sentence : '',
      /names the payment .*, which counts as paid by it/,
    )
  }
  await isRefused()
  const past = `update bank_lines set state = 'unallocated', matched_kind = null, matched_to = null, reason = 'x', taken_back = 1
    where matched_kind = 'payout'`
  await assert.rejects(s.db.query(past), /may not go from matched to unallocated/)
  await withoutGuards(s.db, (tx) =>
    tx.query(`update bank_lines set state = 'assigned', reason = 'x' where matched_kind = 'payout'`),
  )
  await isRefused()
  await assert.rejects(s.db.query(past), /may not go from assigned to unallocated/)
  await withoutGuards(s.db, (tx) => tx.query(`update payout_attempts set status = 'sent'`))
  await assert.rejects(s.db.query(past), /may not go from assigned to unallocated/)
})
