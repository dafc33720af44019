// engine: postgres
/** A line that was taken for a payment by mistake is replaced by the one that is: the payment stays as it is, and the books say of both lines what they are. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { markPaid } from '../../src/payouts/record-news.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { replaceLine } from '../../src/statements/replace.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const PARTNER = { name: 'Partner', account: '70001234567' }
const worlds = createBankWorlds()
afterEach(() => worlds.close())

async function newWorld() {
  const world = await worlds.open()
  const { db } = world
  const refusedIsUndone = async <T extends { result: string }>(
    run: (tx: Parameters<Parameters<typeof db.transaction>[0]>[0]) => Promise<T>,
  ) => {
    let done: T | undefined
    await db
      .transaction(async (tx) => {
        done = await run(tx)
        if (done.result === 'refused') throw new Error('refused')
      })
      .catch((error: Error) => assert.equal(error.message, 'refused'))
    assert.ok(done)
    return done
  }
  return {
    world,
    db,
    /** The lines of this amount, oldest first. */
    async linesOf(amountSen: bigint) {
      return await db.query<{ line_no: bigint; state: string; matched_to: string | null; taken_back: number }>(
        'select line_no, state, matched_to, taken_back from bank_lines where amount_micro = $1 order by line_no',
        [amountSen * 10_000n],
      )
    },
    replace: (lineNo: bigint, by: bigint, charges: { chargesSen?: bigint; surplusSen?: bigint } = {}) =>
      refusedIsUndone((tx) =>
        replaceLine({ tx, secrets: TEST_SECRETS }, lineNo, {
          replacement: { lineNo: by, ...charges },
          reason: 'the other one',
          now: NOW,
        }),
      ),
    assign: (lineNo: bigint, explanation: Explanation) =>
      db.transaction((tx) =>
        assignLine({ tx, secrets: TEST_SECRETS }, lineNo, { explanation, reason: 'seen', now: NOW }),
      ),
    takeBack: (lineNo: bigint) =>
      refusedIsUndone((tx) => takeLineBack({ tx, secrets: TEST_SECRETS }, lineNo, { reason: 'a mistake', now: NOW })),
    async payment(payoutId: string) {
      const [row] = await db.query<Record<string, string | null>>(
        'select paid_from, paid_reference, returned_to, returned_reference from payout_attempts where payout_id = $1 and attempt = 1',
        [payoutId],
      )
      return row
    },
    /** Everything that the books and the statements are compared with; and `unallocated` is what the list of such lines comes to. */
    async isConsistent(reserveSen: bigint, extraSen = 0n) {
      assert.deepEqual(
        (await checkBooks(db)).filter(({ what }) => what === 'payable' || what === 'sent'),
        [],
      )
      assert.deepEqual(await findStatementTroubles(db, TEST_SECRETS), [])
      assert.equal(await world.balanceSen('reserve:main'), reserveSen)
      const lines = await listUnallocated(db, { after: undefined, limit: 100 })
      const sum = lines.reduce((total, { amountMicro }) => total + amountMicro, 0n) / 10_000n
      assert.equal(await world.balanceSen('unallocated:main'), extraSen - sum)
    },
  }
}

/** A payout in a file, whose debit a statement of another day may show. */
async function filed(s: Awaited<ReturnType<typeof newWorld>>, bank: ReturnType<typeof someBank>) {
  const { payoutId } = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.world.file()
  bank.receive(await s.world.outFile('COIN-00000001'))
  return payoutId
}

test('what an operator had assigned is replaced by the debit that names the payment, with and without charges', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'pending' })
  const payoutId = await filed(s, bank)
  bank.withdraw(1_050n, PARTNER, 'something else')
  await s.world.importXml(bank.closeDay())
  const [wrong] = await s.linesOf(-1_050n)
  assert.ok(wrong)
  const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n, chargesSen: 50n } as const
  assert.equal((await s.assign(wrong.line_no, explanation)).result, 'assigned')
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  bank.settlePending()
  bank.withdraw(1_020n, PARTNER, 'another')
  await s.world.importXml(bank.closeDay())
  const [[right], [dearer]] = [await s.linesOf(-1_000n), await s.linesOf(-1_020n)]
  assert.ok(right && dearer)
  assert.equal(right.state, 'unallocated')
  await s.isConsistent(bank.balanceSen())

  const before = await s.payment(payoutId)
  assert.equal((await s.replace(wrong.line_no, right.line_no)).result, 'taken_back')
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  assert.equal(await s.world.balanceSen('own_funds:main'), 0n)
  const [[freed], [owner]] = [await s.linesOf(-1_050n), await s.linesOf(-1_000n)]
  assert.deepEqual([freed?.state, freed?.matched_to, freed?.taken_back], ['unallocated', null, 1])
  assert.deepEqual([owner?.state, owner?.matched_to], ['assigned', `${payoutId}/1`])
  const named = (await s.payment(payoutId))?.paid_reference
  assert.deepEqual([named === before?.paid_reference, named?.startsWith('main/S')], [false, true])
  await s.isConsistent(bank.balanceSen())

  const unsaid = await s.replace(right.line_no, dearer.line_no)
  assert.match(unsaid.result === 'refused' ? unsaid.sentence : '', /the charges of the bank would be RM 0.20\./)
  await s.isConsistent(bank.balanceSen())
  assert.equal((await s.replace(right.line_no, dearer.line_no, { chargesSen: 20n })).result, 'taken_back')
  assert.equal(await s.world.balanceSen('own_funds:main'), 20n)
  await s.isConsistent(bank.balanceSen())
  // As often as somebody changes their mind.
  assert.equal((await s.replace(dearer.line_no, right.line_no)).result, 'taken_back')
  assert.equal((await s.replace(right.line_no, dearer.line_no, { chargesSen: 20n })).result, 'taken_back')
  await s.isConsistent(bank.balanceSen())
  // And what is free is anybody's.
  assert.equal((await s.assign(wrong.line_no, { kind: 'own_funds' })).result, 'assigned')
  assert.equal((await s.assign(right.line_no, { kind: 'own_funds' })).result, 'assigned')
  await s.isConsistent(bank.balanceSen())
  assert.equal((await s.takeBack(right.line_no)).result, 'taken_back')
  await s.isConsistent(bank.balanceSen())
})

/** A payment that the bank has not booked yet; its rail may have called it paid. */
async function startPayment(isToldPaid: boolean) {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'pending' })
  const payoutId = await filed(s, bank)
  const told = { bankAccount: 'http', reference: 'H', effectiveAt: NOW }
  if (isToldPaid) await s.db.transaction((tx) => markPaid(tx, { payoutId, attempt: 1 }, told))
  return { s, bank, payoutId }
}

test('what was matched with a payment, whose entry stood for the line’s own, is replaced; so is what a rail had said first', async () => {
  for (const isTold of [false, true]) {
    const { s, bank, payoutId } = await startPayment(isTold)
    bank.settlePending()
    bank.withdraw(1_000n, PARTNER, 'the real one')
    await s.world.importXml(bank.closeDay())
    const [first, second] = await s.linesOf(-1_000n)
    assert.ok(first && second)
    const [matched, other] = first.state === 'matched' ? [first, second] : [second, first]
    assert.deepEqual([matched.state, other.state], ['matched', 'unallocated'])
    await s.isConsistent(bank.balanceSen())
    assert.equal((await s.replace(matched.line_no, other.line_no)).result, 'taken_back')
    await s.isConsistent(bank.balanceSen())
    assert.equal(await s.world.balanceSen('reserve:http'), 0n)
    assert.equal((await s.payment(payoutId))?.paid_reference === 'H', isTold)
    // As often as it takes, and the first one can be it again.
    assert.equal((await s.replace(other.line_no, matched.line_no)).result, 'taken_back')
    await s.isConsistent(bank.balanceSen())
    assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  }
})

test('what has replaced the debit of a payment, from another account perhaps, and is none either, leaves the payment with its rail', async () => {
  for (const isTold of [false, true]) {
    const { s, bank, payoutId } = await startPayment(isTold)
    bank.withdraw(1_000n, PARTNER, 'rent')
    await s.world.importXml(bank.closeDay())
    const second = someBank({ openingSen: 0n, account: '514099999999', seed: 'second' })
    second.withdraw(1_020n, PARTNER, 'and charges')
    await s.world.importXml(second.closeDay().replace('<MsgId>', '<MsgId>2'))
    const [[wrong], [other]] = [await s.linesOf(-1_000n), await s.linesOf(-1_020n)]
    assert.ok(wrong && other)
    assert.equal(
      (await s.assign(wrong.line_no, { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n })).result,
      'assigned',
    )
    assert.equal((await s.replace(wrong.line_no, other.line_no, { chargesSen: 20n })).result, 'taken_back')
    assert.equal((await s.takeBack(other.line_no)).result, 'taken_back')
    assert.equal(await s.world.payoutStatus(payoutId), isTold ? 'paid' : 'sent')
    assert.equal((await s.payment(payoutId))?.paid_reference, isTold ? 'H' : null)
    const [inClearing, withRail] = isTold ? [0n, -1_000n] : [-1_000n, 0n]
    assert.equal(await s.world.balanceSen('payout_clearing:bank_files'), inClearing)
    assert.equal(await s.world.balanceSen('reserve:http'), withRail)
    assert.equal(await s.world.balanceSen('reserve:second'), second.balanceSen())
    assert.equal(await s.world.balanceSen('unallocated:second'), 1_020n)
    assert.equal(await s.world.balanceSen('own_funds:second'), 0n)
    // Of the list, those of the other account are not its.
    await s.isConsistent(bank.balanceSen(), -1_020n)
  }
})

test('so is a credit that gave a payment back, and the debit of one by hand; the payout may have moved on', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'rejected' })
  const payoutId = await filed(s, bank)
  await s.world.importXml(bank.report('COIN-00000001'))
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
  for (const text of ['A', 'B']) bank.withdraw(1_000n, PARTNER, text)
  for (const text of ['C', 'D']) bank.deposit(1_000n, PARTNER, text)
  bank.deposit(1_025n, PARTNER, 'E')
  await s.world.importXml(bank.closeDay())
  const [debits, credits] = [await s.linesOf(-1_000n), await s.linesOf(1_000n)]
  const [[one, two], [back, again], [more]] = [debits, credits, await s.linesOf(1_025n)]
  assert.ok(one && two && back && again && more)
  const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n } as const
  assert.equal((await s.assign(one.line_no, explanation)).result, 'assigned')
  assert.equal((await s.assign(back.line_no, explanation)).result, 'assigned')
  await s.db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  const crossed = await s.replace(one.line_no, again.line_no)
  assert.match(crossed.result === 'refused' ? crossed.sentence : '', /a debit and the other a credit/)
  assert.equal((await s.replace(one.line_no, two.line_no)).result, 'taken_back')
  assert.equal((await s.replace(back.line_no, more.line_no, { surplusSen: 25n })).result, 'taken_back')
  assert.equal(await s.world.balanceSen('own_funds:main'), -25n)
  assert.equal(await s.world.balanceSen('payout_clearing:by_hand'), 0n)
  assert.equal(await s.world.payoutStatus(payoutId), 'queued')
  await s.isConsistent(bank.balanceSen())
  const known = await s.replace(two.line_no, more.line_no)
  assert.match(known.result === 'refused' ? known.sentence : '', /No unallocated line has the number/)
  await s.isConsistent(bank.balanceSen())
})

test('the debit of a payment too many is replaced, and settles the payout where the other one fails', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'pending' })
  const payoutId = await filed(s, bank)
  await s.db.transaction(async (tx) => {
    await payoutAdmin.markUnpaid(tx, payoutId, 'the bank says so')
    await payoutAdmin.retry(tx, payoutId)
  })
  await s.world.payDue()
  bank.settlePending()
  bank.withdraw(1_000n, PARTNER, 'that was it')
  await s.world.importXml(bank.closeDay())
  const [matched, other] = await s.linesOf(-1_000n)
  assert.ok(matched && other && matched.state === 'matched')
  await s.isConsistent(bank.balanceSen(), 1_000n)
  assert.equal((await s.replace(matched.line_no, other.line_no)).result, 'taken_back')
  await s.isConsistent(bank.balanceSen(), 1_000n)
  // It may have left another account; the books keep it where it was booked.
  const second = someBank({ openingSen: 0n, account: '514099999999', seed: 'second' })
  second.withdraw(1_000n, PARTNER, 'no: it was this one')
  await s.world.importXml(second.closeDay())
  const last = (await s.linesOf(-1_000n)).at(-1)
  assert.equal((await s.replace(other.line_no, last?.line_no ?? 0n)).result, 'taken_back')
  await s.db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'the second was not made'))
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  assert.equal(await s.world.balanceSen('unallocated:second'), 0n)
  assert.equal(await s.world.balanceSen('unallocated:main'), 2_000n)
  assert.equal(await s.world.balanceSen('reserve:second'), second.balanceSen())
  await s.isConsistent(bank.balanceSen())
})

test('a payment by hand whose debit was replaced is taken back as before', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'rejected' })
  const payoutId = await filed(s, bank)
  await s.world.importXml(bank.report('COIN-00000001'))
  await s.db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
  for (const text of ['A', 'B']) bank.withdraw(1_000n, PARTNER, text)
  await s.world.importXml(bank.closeDay())
  const [one, two] = await s.linesOf(-1_000n)
  assert.ok(one && two)
  assert.equal(
    (await s.assign(one.line_no, { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n })).result,
    'assigned',
  )
  assert.equal((await s.replace(one.line_no, two.line_no)).result, 'taken_back')
  assert.equal((await s.takeBack(two.line_no)).result, 'taken_back')
  assert.equal(await s.world.balanceSen('payout_clearing:by_hand'), -1_000n)
  await s.isConsistent(bank.balanceSen())
})

test('a line that names another payment does not replace one: nobody would see that that one was made', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'pending' })
  const payoutId = await filed(s, bank)
  const other = await s.world.burntRedeem('10')
  await s.world.payDue()
  await s.world.file()
  bank.receive(await s.world.outFile('COIN-00000002'))
  bank.settlePending()
  await s.world.importXml(bank.closeDay())
  const [one, two] = await s.linesOf(-1_000n)
  assert.ok(one && two)
  const [mine, theirs] = one.matched_to === `${payoutId}/1` ? [one, two] : [two, one]
  assert.equal(theirs.matched_to, `${other.payoutId}/1`)
  // As it would be if its own amount had not been met.
  await withoutGuards(s.db, (tx) =>
    tx.query(
      `update bank_lines set state = 'unallocated', matched_kind = null, matched_to = null, reason = 'x' where line_no = $1`,
      [theirs.line_no],
    ),
  )
  const refused = await s.replace(mine.line_no, theirs.line_no)
  assert.match(refused.result === 'refused' ? refused.sentence : '', /^The line names another payment, /)
})

test('what belongs to no payment is not replaced, nor is a line past the service', async () => {
  const s = await newWorld()
  const bank = someBank({ openingSen: 0n, fateOf: () => 'paid' })
  const payoutId = await filed(s, bank)
  bank.withdraw(300n, PARTNER, 'A')
  bank.withdraw(300n, PARTNER, 'B')
  await s.world.importXml(bank.closeDay())
  const [one, two] = await s.linesOf(-300n)
  const [paying] = await s.linesOf(-1_000n)
  assert.ok(one && two && paying)
  await s.assign(one.line_no, { kind: 'own_funds' })
  const none = await s.replace(one.line_no, two.line_no)
  assert.match(none.result === 'refused' ? none.sentence : '', /belongs to main, which is no payment/)
  assert.equal((await s.replace(two.line_no, one.line_no)).result, 'belongs_to_nothing')
  const other = await s.replace(paying.line_no, two.line_no)
  assert.match(other.result === 'refused' ? other.sentence : '', /the line is of another amount/)
  const past = `update bank_lines set state = 'unallocated', matched_kind = null, matched_to = null, reason = 'x', taken_back = 1
    where matched_kind = 'payout'`
  await assert.rejects(s.db.query(past), /may not go from matched to unallocated/)
  assert.equal(await s.world.payoutStatus(payoutId), 'paid')
  await s.isConsistent(bank.balanceSen())
})
