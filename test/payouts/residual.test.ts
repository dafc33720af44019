// engine: postgres; both in test:long
/** Parts of a sen that add up to whole ones are paid without a redeem: exactly once, whoever asks how often, and after a restore. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import type { PayoutInstruction, Rail, RailStatus } from '../../src/payouts/rail.ts'
import { markPaid, markReturned } from '../../src/payouts/record-news.ts'
import { readResidual } from '../../src/payouts/residual.sql.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import { CUSTOMERS, INTEGRATIONS, type Party, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { withoutGuards } from '../support/without-guards.ts'

const open: TestDatabase[] = []
afterEach(async () => {
  for (const db of open.splice(0)) await db.close()
})

/** A rail that takes every payment but those of `refused`, and says of itself what `status` says. */
function railOf({ refused = '', status = { result: 'none' } as RailStatus } = {}) {
  const asked: PayoutInstruction[] = []
  const rail: Rail = {
    name: 'rail',
    status: async () => status,
    async initiate(instruction) {
      asked.push(instruction)
      if (instruction.reference === refused) return { result: 'refused', reason: 'account closed' }
      return { result: 'accepted', railReference: 'R' }
    },
  }
  return { rail, asked }
}
const pay = (db: TestDatabase, { rail }: { rail: Rail }) =>
  payDue({ db, rail, secrets: TEST_SECRETS, logger: SILENT as never })

let batchId = 0n
/** Burns these amounts one after the other, each in a batch of its own, and lets the rail have their payouts. */
async function redeem(db: TestDatabase, party: Party, amounts: Record<string, bigint>, refused = ''): Promise<void> {
  for (const [reference, amountMicro] of Object.entries(amounts)) {
    await settle(db, await placeOrder(db, { direction: 'REDEEM', party, reference, amountMicro }))
    await pay(db, railOf({ refused }))
  }
}

async function settle(db: TestDatabase, orderId: bigint): Promise<void> {
  const steps = createBatchSteps(db)
  batchId += 1n
  const name = { chainId: 1, batchId }
  await steps.submit(name, [orderId])
  await steps.mine(name)
  await steps.finalise(name, { succeeded: [0] })
}

/**
 * A customer to whom 0.012 is owed: a payout took 0.003 from the redeem before it, and its coin was minted back, without that,
 * after another redeem had left 0.006.
 */
async function owing(party: Party = 'a1'): Promise<TestDatabase> {
  const db = await createTestDatabase({ believesBurns: true })
  open.push(db)
  await seedTwoOfEverything(db)
  await redeem(db, 'a2', { neighbour: 1_009_999n })
  await redeem(db, 'b1', { stranger: 1_009_998n })
  await redeem(db, party, { 'redeem-1': 1_006_000n, 'redeem-2': 1_007_000n, 'redeem-3': 1_006_000n }, 'redeem-2')
  const [row] = await db.query<{ payout_id: string }>(`select payout_id from payouts where status = 'rejected'`)
  await db.transaction((tx) => payoutAdmin.refund(tx, row?.payout_id ?? ''))
  const [refund] = await db.query<{ order_id: bigint }>(`select order_id from orders where integration_id = 'refunds'`)
  await settle(db, refund?.order_id ?? 0n)
  return db
}

const residuals = async (db: TestDatabase) =>
  Object.fromEntries(
    (
      await db.query<{ id: string; owed: bigint }>(
        'select right(customer_id, 2) as id, owed_micro as owed from customer_residuals where owed_micro > 0 order by 1',
      )
    ).map(({ id, owed }) => [id, owed]),
  )
const settleResidual = (db: TestDatabase, party: Party = 'a1') =>
  db.transaction((tx) => payoutAdmin.settleResidual(tx, CUSTOMERS[party]))
const balance = async (db: TestDatabase, account: string) =>
  (await readBalances(db)).find(({ kind, owner }) => `${kind}:${owner}` === account)?.balanceMicro ?? 0n
const assertBooks = async (db: TestDatabase) =>
  assert.deepEqual(
    (await checkBooks(db)).filter(({ what }) => what !== 'unsealed'),
    [],
  )

test('the whole sen are a payout of their own, booked and paid as every other; the part of a sen stays', async () => {
  const db = await owing()
  assert.deepEqual(await residuals(db), { a1: 12_000n, a2: 9_999n, b1: 9_998n })
  assert.deepEqual(await db.transaction((tx) => readResidual(tx, CUSTOMERS.a1)), {
    owedMicro: 12_000n,
    payableSen: 1n,
    reservedMicro: 0n,
  })
  const payable = await balance(db, `redeem_payable:${INTEGRATIONS.a}`)
  const payout = await settleResidual(db)
  assert.ok(payout)
  const { orderId, integrationId, customerId, amountSen, status } = payout
  assert.deepEqual(
    [orderId, integrationId, customerId, amountSen, status],
    [null, INTEGRATIONS.a, CUSTOMERS.a1, 1n, 'queued'],
  )
  assert.deepEqual(await residuals(db), { a1: 2_000n, a2: 9_999n, b1: 9_998n })
  assert.equal(await balance(db, `redeem_payable:${INTEGRATIONS.a}`), payable - 10_000n)
  await assertBooks(db)
  const bank = railOf()
  await pay(db, bank)
  assert.deepEqual(
    bank.asked.map((one) => [one.payoutId, one.amountSen, one.account]),
    [[payout.payoutId, 1n, '10a1']],
  )
  assert.equal((await findPayout(db, payout.payoutId))?.status, 'sent')
  await assertBooks(db)
  const line = { bankAccount: 'main', reference: 'S', effectiveAt: new Date() }
  await db.transaction((tx) => markPaid(tx, { payoutId: payout.payoutId, attempt: 1 }, line))
  assert.equal(await balance(db, 'reserve:main'), -10_000n)
  assert.equal(await settleResidual(db), undefined)
})

test('less than a sen, what goes back with a refund, and nothing at all are not paid, and nothing changes', async () => {
  const db = await owing()
  const before = await residuals(db)
  assert.equal(await settleResidual(db, 'a2'), undefined)
  await db.query('update customer_residuals set reserved_micro = 2001 where customer_id = $1', [CUSTOMERS.a1])
  assert.equal(await settleResidual(db), undefined)
  assert.equal(await db.transaction((tx) => payoutAdmin.settleResidual(tx, 'cus_unknown')), undefined)
  assert.deepEqual(await residuals(db), before)
  assert.equal((await db.query('select from payouts where order_id is null')).length, 0)
})

test('one that came back is retried under another id, or paid by hand; no coin can be minted back for it', async () => {
  const db = await owing()
  const payout = await settleResidual(db)
  const payoutId = payout?.payoutId ?? ''
  await pay(db, railOf())
  const line = { bankAccount: 'main', reference: 'S', effectiveAt: new Date(), reason: 'closed' }
  await db.transaction((tx) => markReturned(tx, { payoutId, attempt: 1 }, line))
  assert.equal(await db.transaction((tx) => payoutAdmin.refund(tx, payoutId)), undefined)
  const again = await db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
  assert.notEqual(again?.endToEndId, payout?.endToEndId)
  await pay(db, railOf())
  await db.transaction((tx) => markReturned(tx, { payoutId, attempt: 2 }, line))
  assert.equal((await db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'BY HAND')))?.status, 'paid_by_hand')
  await assertBooks(db)
})

test('asked for many times at once, beside redeems of the customer, every sen is paid once', async () => {
  const db = await owing()
  const orders = await Promise.all(
    [1, 2, 3].map((n) =>
      placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: `redeem-race-${n}`, amountMicro: 1_009_000n }),
    ),
  )
  const settled = Promise.all(Array.from({ length: 8 }, () => settleResidual(db)))
  await Promise.all(orders.map((orderId) => settle(db, orderId)))
  assert.ok((await settled).filter((each) => each !== undefined).length <= 1)
  const [paid] = await db.query<{ sen: bigint }>(
    `select sum(amount_sen)::bigint as sen from payouts where customer_id = $1 and status <> 'refunded'`,
    [CUSTOMERS.a1],
  )
  const { a1 } = await residuals(db)
  assert.equal((paid?.sen ?? 0n) * 10_000n + (a1 ?? 0n), 1_006_000n + 1_006_000n + 3n * 1_009_000n)
  await assertBooks(db)
})

test('killed before the transaction ends, nothing has happened; the next one pays', async () => {
  const db = await owing()
  const before = await residuals(db)
  const killed = db.transaction(async (tx) => {
    await payoutAdmin.settleResidual(tx, CUSTOMERS.a1)
    throw new Error('killed')
  })
  await assert.rejects(killed, /killed/)
  assert.deepEqual(await residuals(db), before)
  await assertBooks(db)
  assert.equal((await settleResidual(db))?.amountSen, 1n)
})

test('lost with the database and asked for again it has the same ids, and a rail that has paid it is not told to pay', async () => {
  const [lost, restored] = [await owing(), await owing()]
  const payout = await settleResidual(lost)
  await pay(lost, railOf())
  const again = await settleResidual(restored)
  assert.deepEqual([again?.payoutId, again?.endToEndId], [payout?.payoutId, payout?.endToEndId])
  const bank = railOf({ status: { result: 'accepted', railReference: 'R' } })
  await pay(restored, bank)
  assert.deepEqual(bank.asked, [])
  assert.equal((await findPayout(restored, payout?.payoutId ?? ''))?.status, 'sent')
  await assertBooks(restored)
})

for (const [when, made] of [
  ['was queued before', `update payouts set made_on = 'before' where payout_id = $1`],
  ['was lost, and is asked for again', undefined],
] as const)
  test(`what was refused and paid by a retry in a lost history is not paid under its first id: it ${when}`, async () => {
    const db = await owing()
    const payout = await settleResidual(db)
    const payoutId = payout?.payoutId ?? ''
    await db.query(`insert into database_timelines (timeline, after_order_id, newest_order_id) values ('before', 0, 0)`)
    if (made !== undefined) await withoutGuards(db, (tx) => tx.query(made, [payoutId]))
    const retried = endToEndIdOf({ integrationId: 'residuals', referenceId: payout?.referenceId ?? '', attempt: 2 })
    const bank = railOf()
    bank.rail.status = async ({ endToEndId }) =>
      endToEndId === retried ? { result: 'accepted', railReference: 'R' } : { result: 'none' }
    await pay(db, bank)
    assert.deepEqual(bank.asked, [])
    const rejected = await findPayout(db, payoutId)
    assert.deepEqual([rejected?.status, rejected?.lastError?.startsWith(retried)], ['rejected', true])
    await db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
    await pay(db, bank)
    const sent = await findPayout(db, payoutId)
    assert.deepEqual([sent?.status, sent?.endToEndId], ['sent', retried])
    assert.ok(bank.asked.every(({ endToEndId }) => endToEndId === retried))
    await assertBooks(db)
  })
