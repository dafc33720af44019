// engine: postgres; both in test:long
/** A payment by hand that the bank gives back: the payout came back, as often as that happens, and can be paid again. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { markPaid } from '../../src/payouts/record-news.ts'
import { assignLine } from '../../src/statements/assign.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { NOW } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'

const PAYEE = { name: 'Payee', account: '8001234567' }
const worlds = createBankWorlds()
afterEach(() => worlds.close())

/** A payout of RM 10 that its bank has rejected, beside another that is with the bank, and an operator who has paid it by hand. */
async function paidByHand() {
  const world = await worlds.open()
  const [ours, other] = [await world.burntRedeem('10'), await world.burntRedeem('10')]
  await world.payDue()
  await world.file()
  const bank = someBank({
    openingSen: 0n,
    fateOf: ({ endToEndId }) => (endToEndId === other.endToEndId ? 'pending' : 'rejected'),
  })
  bank.receive(await world.outFile('COIN-00000001'))
  await world.importXml(bank.report('COIN-00000001'))
  const { db } = world
  const payoutId = ours.payoutId
  const assign = async (amountSen: bigint) => {
    const lines = await listUnallocated(db, { after: undefined, limit: 100 })
    const line = lines.find(({ amountMicro }) => amountMicro === amountSen * 10_000n)
    assert.ok(line, `a line of ${amountSen} sen`)
    const explanation = { kind: 'payout', payoutId, attempt: 1, amountSen: 1_000n } as const
    const assigned = { explanation, reason: 'a call', now: NOW }
    // What contradicts is undone, as the command does.
    return await db
      .transaction(async (tx) => {
        const result = await assignLine({ tx, secrets: TEST_SECRETS }, line.lineNo, assigned)
        if (result.result !== 'assigned') throw result
        return result
      })
      .catch((result: { result: string }) => result)
  }
  return {
    world,
    db,
    bank,
    payoutId,
    pay: () => db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND')),
    assign,
    /** The bank shows a movement, which nothing explains. */
    async shows(amountSen: bigint): Promise<void> {
      if (amountSen < 0n) bank.withdraw(-amountSen, PAYEE, 'BY HAND')
      else bank.deposit(amountSen, PAYEE, 'RETURNED BY HAND')
      await world.importXml(bank.closeDay())
    },
    status: () => world.payoutStatus(payoutId),
    /** What is in clearing by hand, and payable, in sen; the books agree with the payouts. */
    async books(): Promise<[bigint, bigint]> {
      assert.deepEqual(
        (await checkBooks(db)).filter(({ what }) => what === 'payable' || what === 'sent'),
        [],
      )
      assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
      const payable = await world.balanceSen(`redeem_payable:${world.integrationId}`)
      return [await world.balanceSen('payout_clearing:by_hand'), payable]
    },
  }
}

test('it is the operators’ case again, however often, and then the rail may pay it', async () => {
  const s = await paidByHand()
  for (const round of [1, 2, 3]) {
    assert.equal((await s.pay())?.status, 'paid_by_hand')
    assert.deepEqual(await s.books(), [-1_000n, 0n])
    await s.shows(-1_000n)
    assert.equal((await s.assign(-1_000n)).result, 'assigned')
    assert.equal(await s.status(), 'paid_by_hand')
    assert.deepEqual(await s.books(), [0n, 0n])
    await s.shows(1_000n)
    assert.equal(await s.status(), 'paid_by_hand', `nothing is guessed in round ${round}`)
    assert.equal((await s.assign(1_000n)).result, 'assigned')
    assert.equal(await s.status(), 'returned')
    assert.match((await findPayout(s.db, s.payoutId))?.lastError ?? '', /^The payment by hand came back: a call/)
    assert.deepEqual(await s.books(), [0n, -1_000n])
    assert.equal(await s.world.balanceSen('unallocated:main'), 0n)
  }
  const retried = await s.db.transaction((tx) => payoutAdmin.retry(tx, s.payoutId))
  assert.deepEqual([retried?.status, retried?.attempt], ['queued', 2])
  await s.world.payDue()
  assert.equal(await s.status(), 'sent')
  assert.deepEqual(await s.books(), [0n, 0n])
})

test('a credit without its debit, or of another amount, gives nothing back; a second debit pays nothing', async () => {
  const s = await paidByHand()
  await s.pay()
  await s.shows(1_000n)
  assert.equal((await s.assign(1_000n)).result, 'contradiction')
  await s.shows(999n)
  assert.equal((await s.assign(999n)).result, 'contradiction')
  await s.shows(-1_000n)
  await s.shows(-1_000n)
  assert.equal((await s.assign(-1_000n)).result, 'assigned')
  assert.equal(await s.status(), 'paid_by_hand')
  assert.deepEqual(await s.books(), [0n, 0n])
  // That credit had come before its debit was known.
  assert.equal((await s.assign(1_000n)).result, 'assigned')
  assert.equal(await s.status(), 'returned')
})

test('given back, it is settled by the payment that had been one too many', async () => {
  const s = await paidByHand()
  await s.pay()
  await s.shows(-1_000n)
  await s.assign(-1_000n)
  const line = { bankAccount: 'main', reference: 'late', effectiveAt: NOW }
  await s.db.transaction((tx) => markPaid(tx, { payoutId: s.payoutId, attempt: 1 }, line))
  assert.equal(await s.status(), 'paid_by_hand')
  await s.shows(1_000n)
  assert.equal((await s.assign(1_000n)).result, 'assigned')
  assert.equal(await s.status(), 'paid')
  assert.equal(await s.world.balanceSen('payout_clearing:by_hand'), 0n)
  assert.equal(await s.world.balanceSen('unallocated:main'), 0n)
  const [extra] = await s.db.query<{ is_extra: boolean }>('select is_extra from payout_attempts where payout_id = $1', [
    s.payoutId,
  ])
  assert.equal(extra?.is_extra, false)
})
