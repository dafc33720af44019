// engine: postgres; both in test:long
/** What banks say about payments, whatever comes late, twice or in a strange order: nothing is settled twice unseen. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayments } from '../../src/payouts/attempts.sql.ts'
import { ATTEMPT_STATUSES, type PayoutStatus } from '../../src/payouts/payout.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { markPaid, markRejected, markReturned, markSent } from '../../src/payouts/record-news.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

const NOON = new Date('2026-11-20T04:00:00Z')

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
})
after(() => db.close())

let count = 0
/** A payout of RM 12.05 that no rail was asked for. */
async function queued(): Promise<string> {
  count += 1
  const reference = `redeem-news-${count}`
  const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference, state: 'payoutPending' })
  await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS.a1, amountMicro: 12_050_000n }]))
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  return row?.payout_id ?? ''
}

const say = {
  sent: (payoutId: string, attempt: number) =>
    db.transaction((tx) => markSent(tx, { payoutId, attempt }, { railReference: 'R', effectiveAt: NOON })),
  paid: (payoutId: string, attempt: number) =>
    db.transaction((tx) =>
      markPaid(tx, { payoutId, attempt }, { bankAccount: '512', reference: 'S/1', effectiveAt: NOON }),
    ),
  rejected: (payoutId: string, attempt: number) =>
    db.transaction((tx) => markRejected(tx, { payoutId, attempt }, { reason: 'closed', effectiveAt: NOON })),
  returned: (payoutId: string, attempt: number) =>
    db.transaction((tx) =>
      markReturned(
        tx,
        { payoutId, attempt },
        { bankAccount: '512', reference: 'S/2', effectiveAt: NOON, reason: 'gone' },
      ),
    ),
}
const ask = () => claimPayouts(db, { rail: 'http', limit: 99, claimMs: 60_000 })
const operate = (what: 'retry' | 'hold' | 'release', payoutId: string) =>
  db.transaction((tx) => payoutAdmin[what](tx, payoutId))
const markPaidByHand = (payoutId: string) => db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND'))
const markUnpaid = (payoutId: string) => db.transaction((tx) => payoutAdmin.markUnpaid(tx, payoutId, 'NEVER'))
const statusOf = async (payoutId: string) => (await findPayout(db, payoutId))?.status
const attemptsOf = async (payoutId: string) =>
  (
    await db.query<{ shown: string }>(
      `select attempt || ' ' || status || case when is_extra then ' extra' else '' end as shown from payout_attempts
       where payout_id = $1 order by attempt`,
      [payoutId],
    )
  ).map(({ shown }) => shown)
const orderOf = async (payoutId: string) => {
  const [row] = await db.query<{ status: string }>(
    'select o.status from payouts p join orders o using (order_id) where payout_id = $1',
    [payoutId],
  )
  return row?.status
}

/** What was booked for one payout, by account, without what comes to nothing. */
async function bookedFor(payoutId: string): Promise<Record<string, string>> {
  const rows = await db.query<{ account: string; amount: string }>(
    `select l.account, (sum(l.amount) / 1000000)::numeric(20, 2)::text as amount from ledger_entries e
     cross join lateral unnest(e.accounts, e.amounts_micro) as l (account, amount)
     where e.reference like 'payout/' || $1 || '/%' group by 1 having sum(l.amount) <> 0 order by 1`,
    [payoutId],
  )
  return Object.fromEntries(rows.map(({ account, amount }) => [account.replace(/int_0+/, ''), amount]))
}

/** A payout whose first attempt the rail refused, and which was queued as the second one. */
async function retried(): Promise<string> {
  const payoutId = await queued()
  await ask()
  await say.rejected(payoutId, 1)
  await operate('retry', payoutId)
  return payoutId
}

test('sent, paid and returned are booked once each, at their date', async () => {
  const payoutId = await queued()
  await ask()
  assert.deepEqual(await say.sent(payoutId, 1), { outcome: 'recorded', status: 'sent' })
  assert.equal(await orderOf(payoutId), 'completed')
  assert.deepEqual(await bookedFor(payoutId), { 'payout_clearing:http': '-12.05', 'redeem_payable:a': '12.05' })
  assert.deepEqual(await say.paid(payoutId, 1), { outcome: 'recorded', status: 'paid' })
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
  for (const known of [say.sent, say.paid]) assert.equal((await known(payoutId, 1))?.outcome, 'known')
  assert.equal((await say.rejected(payoutId, 1))?.outcome, 'contradiction')
  assert.deepEqual(await say.returned(payoutId, 1), { outcome: 'recorded', status: 'returned' })
  assert.deepEqual(await bookedFor(payoutId), {})
  assert.equal((await say.returned(payoutId, 1))?.outcome, 'known')
  assert.equal((await say.paid(payoutId, 1))?.outcome, 'known')
  assert.equal(await orderOf(payoutId), 'completed', 'completed stays so')
  const rows = await db.query<{ at: Date }>(
    `select distinct effective_at as at from ledger_entries where reference like 'payout/' || $1 || '/%'`,
    [payoutId],
  )
  assert.deepEqual(rows, [{ at: NOON }])
})

test('what a rail wrongly called paid is payable again, as often as it is said; a payment beside it is one too many', async () => {
  const payoutId = await queued()
  await ask()
  await say.sent(payoutId, 1)
  for (const round of [1, 2]) {
    await say.paid(payoutId, 1)
    assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
    assert.ok(await markUnpaid(payoutId), `round ${round}`)
    assert.equal(await statusOf(payoutId), 'rejected')
    assert.deepEqual(await bookedFor(payoutId), {})
    assert.equal(await orderOf(payoutId), 'completed')
  }
  assert.equal(await markUnpaid(payoutId), undefined)
  await operate('retry', payoutId)
  await ask()
  await say.sent(payoutId, 2)
  assert.deepEqual(await say.paid(payoutId, 1), { outcome: 'extra', status: 'sent' })
  await say.paid(payoutId, 2)
  const twice = { 'redeem_payable:a': '12.05', 'reserve:512': '-24.10', 'unallocated:512': '12.05' }
  assert.deepEqual(await bookedFor(payoutId), twice)
  // The second was not made either: the first settles it after all.
  assert.ok(await markUnpaid(payoutId))
  assert.deepEqual(await attemptsOf(payoutId), ['1 paid', '2 rejected'])
  assert.equal(await statusOf(payoutId), 'paid')
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
  // And so once more, beside a third.
  assert.ok(await markUnpaid(payoutId))
  await operate('retry', payoutId)
  await ask()
  await say.sent(payoutId, 3)
  assert.deepEqual(await say.paid(payoutId, 1), { outcome: 'extra', status: 'sent' })
  await say.rejected(payoutId, 3)
  assert.equal(await statusOf(payoutId), 'paid')
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
})

test('a statement that shows the return first books both', async () => {
  const payoutId = await queued()
  await ask()
  await say.sent(payoutId, 1)
  await say.returned(payoutId, 1)
  assert.equal(await statusOf(payoutId), 'returned')
  assert.equal((await say.paid(payoutId, 1))?.outcome, 'known')
  assert.deepEqual(await bookedFor(payoutId), {})
})

test('rejected after it was sent, it is payable again, and the order stays completed', async () => {
  const payoutId = await queued()
  await ask()
  await say.sent(payoutId, 1)
  assert.deepEqual(await say.rejected(payoutId, 1), { outcome: 'recorded', status: 'rejected' })
  assert.deepEqual(await bookedFor(payoutId), {})
  assert.equal(await orderOf(payoutId), 'completed')
  await say.sent(payoutId, 1)
  assert.equal(await statusOf(payoutId), 'sent', 'the rail changed its mind')
  await say.rejected(payoutId, 1)
  assert.deepEqual(await bookedFor(payoutId), {})
})

test('a retry is another payment with another id, and both ids are found for ever', async () => {
  const payoutId = await queued()
  const first = (await findPayout(db, payoutId))?.endToEndId ?? ''
  await ask()
  await say.rejected(payoutId, 1)
  await operate('retry', payoutId)
  const second = (await findPayout(db, payoutId))?.endToEndId ?? ''
  assert.notEqual(second, first)
  const found = { payoutId, amountSen: 1_205n, integrationId: 'int_00000000000000000000000a' }
  assert.deepEqual(await findPayments(db, first), [{ ...found, attempt: 1 }])
  assert.deepEqual(await findPayments(db, second), [{ ...found, attempt: 2 }])
  await ask()
  assert.deepEqual(await findPayments(db, second), [{ ...found, attempt: 2 }])
  assert.deepEqual(await findPayments(db, 'NOBODY'), [])
})

test('paid late under the first id, before the second was asked for: nothing is paid twice', async () => {
  const payoutId = await retried()
  assert.deepEqual(await say.paid(payoutId, 1), { outcome: 'recorded', status: 'paid' })
  assert.deepEqual(await ask(), [], 'the second is never asked for')
  assert.deepEqual(await attemptsOf(payoutId), ['1 paid'])
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
  assert.equal(await orderOf(payoutId), 'completed')
})

test('paid late under the first id while the second is under way: it is held, and told', async () => {
  const payoutId = await retried()
  await ask()
  assert.deepEqual(await say.paid(payoutId, 1), { outcome: 'extra', status: 'held' })
  assert.equal((await findPayout(db, payoutId))?.holdReason, 'other_attempt')
  assert.equal(await operate('release', payoutId), undefined, 'nobody releases that')
  assert.deepEqual(await bookedFor(payoutId), { 'reserve:512': '-12.05', 'unallocated:512': '12.05' })
  // The second was never carried out: the first one settles it.
  assert.deepEqual(await say.rejected(payoutId, 2), { outcome: 'recorded', status: 'paid' })
  assert.deepEqual(await attemptsOf(payoutId), ['1 paid', '2 rejected'])
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
})

test('held by an operator when an earlier attempt is paid after all, it is not released into a second payment', async () => {
  const payoutId = await retried()
  await ask()
  await operate('hold', payoutId)
  assert.equal((await say.paid(payoutId, 1))?.outcome, 'extra')
  assert.equal(await operate('release', payoutId), undefined)
  assert.deepEqual(await ask(), [])
  assert.equal((await markPaidByHand(payoutId))?.status, 'paid')
})

test('held because of an earlier attempt, it can go on once that one has failed', async () => {
  for (const fails of [say.rejected, say.returned]) {
    const payoutId = await retried()
    await ask()
    assert.deepEqual(await say.sent(payoutId, 1), { outcome: 'extra', status: 'held' })
    assert.equal(await operate('release', payoutId), undefined)
    await fails(payoutId, 1)
    assert.equal((await operate('release', payoutId))?.status, 'queued')
    assert.ok((await ask()).some((claimed) => claimed.payoutId === payoutId && claimed.attempt === 2))
  }
})

test('what must be asked about before it is paid still must after an operator has held and released it', async () => {
  const payoutId = await queued()
  await db.query('update payouts set ask_first = true where payout_id = $1', [payoutId])
  await operate('hold', payoutId)
  await operate('release', payoutId)
  assert.equal((await ask()).find((claimed) => claimed.payoutId === payoutId)?.askFirst, true)
})

test('paid twice is shown until it comes back', async () => {
  const payoutId = await retried()
  await ask()
  await say.paid(payoutId, 2)
  assert.equal((await say.paid(payoutId, 1))?.outcome, 'extra')
  assert.deepEqual(await attemptsOf(payoutId), ['1 paid extra', '2 paid'])
  const both = { 'redeem_payable:a': '12.05', 'reserve:512': '-24.10', 'unallocated:512': '12.05' }
  assert.deepEqual(await bookedFor(payoutId), both)
  assert.equal((await say.paid(payoutId, 1))?.outcome, 'known')
  await say.returned(payoutId, 1)
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
  assert.equal(await statusOf(payoutId), 'paid')
})

test('an extra payment settles the payout when its own comes back', async () => {
  const payoutId = await retried()
  await ask()
  await say.paid(payoutId, 2)
  await say.paid(payoutId, 1)
  assert.deepEqual(await say.returned(payoutId, 2), { outcome: 'recorded', status: 'paid' })
  assert.equal((await findPayout(db, payoutId))?.attempt, 1)
  assert.deepEqual(await bookedFor(payoutId), { 'redeem_payable:a': '12.05', 'reserve:512': '-12.05' })
})

test('paid by hand, and then paid by the bank after all, is extra', async () => {
  const payoutId = await queued()
  await ask()
  await say.rejected(payoutId, 1)
  assert.equal((await markPaidByHand(payoutId))?.status, 'paid_by_hand')
  assert.equal(await orderOf(payoutId), 'completed')
  assert.equal((await say.paid(payoutId, 1))?.outcome, 'extra')
  assert.deepEqual(await bookedFor(payoutId), {
    'payout_clearing:by_hand': '-12.05',
    'redeem_payable:a': '12.05',
    'reserve:512': '-12.05',
    'unallocated:512': '12.05',
  })
  assert.equal(await operate('retry', payoutId), undefined)
})

test('an operator says that only the earlier payment was made', async () => {
  const payoutId = await retried()
  await ask()
  await say.paid(payoutId, 1)
  assert.equal((await markPaidByHand(payoutId))?.status, 'paid')
  assert.deepEqual(await attemptsOf(payoutId), ['1 paid', '2 rejected'])
})

test('held by an operator, it is not asked about; what the rail says meanwhile counts', async () => {
  const payoutId = await queued()
  assert.equal((await operate('hold', payoutId))?.holdReason, 'by_operator')
  assert.deepEqual(await ask(), [])
  assert.equal((await operate('release', payoutId))?.status, 'queued')
  assert.equal((await ask()).length, 1)
  await operate('hold', payoutId)
  assert.equal((await say.sent(payoutId, 1))?.status, 'sent')
  assert.equal(await operate('hold', payoutId), undefined)
})

test('what a bank knows of a payment that the database never asked for is recorded', async () => {
  const payoutId = await queued()
  assert.deepEqual(await say.paid(payoutId, 1), { outcome: 'recorded', status: 'paid' })
  assert.deepEqual(await attemptsOf(payoutId), ['1 paid'])
  assert.equal(await say.paid(payoutId, 2), undefined)
  assert.equal(await say.paid('po_none', 1), undefined)
})

const SETTLED: readonly (PayoutStatus | undefined)[] = ['sent', 'paid', 'paid_by_hand']

test('whatever banks and operators say, in any order: settled at most once, and every ringgit that left is booked', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom(...ATTEMPT_STATUSES), attempt: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ do: fc.constantFrom('retry', 'hold', 'release', 'byHand', 'unpaid') }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 12, maxLength: 24 }), async (steps) => {
      const payoutId = await queued()
      for (const each of steps) {
        if (each.do === 'asked') await ask()
        else if (each.do === 'byHand') await markPaidByHand(payoutId)
        else if (each.do === 'unpaid') await markUnpaid(payoutId)
        else if ('attempt' in each) await say[each.do as keyof typeof say](payoutId, each.attempt)
        else await operate(each.do as 'retry', payoutId)

        const status = await statusOf(payoutId)
        const attempts = await attemptsOf(payoutId)
        const own = attempts.filter((shown) => /(sent|paid)$/.test(shown))
        const left = attempts.filter((shown) => shown.includes('paid')).length
        const booked = await bookedFor(payoutId)
        const isOwed = !SETTLED.includes(status)
        assert.ok(own.length <= 1, `${attempts}`)
        assert.equal(booked['redeem_payable:a'] ?? '0', isOwed ? '0' : '12.05', `${status} ${attempts}`)
        assert.equal(booked['reserve:512'] ?? '0', left === 0 ? '0' : `-${(12.05 * left).toFixed(2)}`)
        const extra = attempts.filter((shown) => shown.endsWith('paid extra')).length
        assert.equal(booked['unallocated:512'] ?? '0', extra === 0 ? '0' : (12.05 * extra).toFixed(2))
        const [order] = await db.query<{ status: string }>(
          'select o.status from orders o join payouts p using (order_id) where payout_id = $1',
          [payoutId],
        )
        if (!isOwed) assert.equal(order?.status, 'completed')
      }
    }),
    { numRuns: 30, endOnFailure: true },
  )
  const balances = await readBalances(db)
  assert.equal(
    balances.reduce((total, { balanceMicro }) => total + balanceMicro, 0n),
    0n,
  )
})
