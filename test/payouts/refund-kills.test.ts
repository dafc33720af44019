// engine: postgres; both in test:long
/** A process that dies between two statements of a refund, at its beginning, at its end and where it fails: nothing of it stays, and the next one does it whole. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { markFinal } from '../../src/settlement/tables/batches.sql.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { SILENT } from '../support/bank-setup.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { payDue } from '../support/pay-due.ts'
import { changesOf, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

const CHAIN = 1
let db: TestDatabase
let batchId = 0n
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
})
after(() => db.close())
beforeEach(async () => {
  await emptyTables(db)
  await seedTwoOfEverything(db)
})

class Killed extends Error {}

/** Runs `work` again and again, dying before its first statement, then its second, and so on, until it comes to its end. */
async function dyingEverywhere(work: (tx: Queryable) => Promise<unknown>): Promise<number> {
  for (let allowed = 0; ; allowed += 1) {
    let statements = 0
    const dying = (tx: Queryable): Queryable => ({
      ...tx,
      query(text, params) {
        statements += 1
        if (statements > allowed) throw new Killed()
        return tx.query(text, params)
      },
    })
    let isDone = false
    const changed = await changesOf(db, async () => {
      isDone = await db
        .transaction((tx) => work(dying(tx)))
        .then(() => true)
        .catch((error: unknown) => {
          if (!(error instanceof Killed)) throw error
          return false
        })
    })
    if (isDone) return allowed
    assert.deepEqual(changed, {}, `dying before statement ${allowed + 1} leaves nothing behind`)
  }
}

async function burn(reference: string, answer: 'accepted' | 'refused'): Promise<string> {
  const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference, amountMicro: 12_056_789n })
  await settle([orderId], true)
  const rail = {
    name: 'rail',
    initiate: async () =>
      answer === 'accepted'
        ? ({ result: 'accepted', railReference: 'R' } as const)
        : ({ result: 'refused', reason: 'account closed' } as const),
  }
  await payDue({ db, rail, secrets: TEST_SECRETS, logger: SILENT as never })
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  return row?.payout_id ?? ''
}

async function signed(orderIds: readonly bigint[]): Promise<bigint> {
  batchId += 1n
  const steps = createBatchSteps(db)
  await steps.submit({ chainId: CHAIN, batchId }, orderIds)
  await steps.mine({ chainId: CHAIN, batchId })
  return batchId
}

/** What the settler does once a batch is final, in one transaction. */
const finalise = (id: bigint, orderIds: readonly bigint[], succeeded: boolean) => async (tx: Queryable) => {
  const successBitmap = succeeded ? (1n << BigInt(orderIds.length)) - 1n : 0n
  await markFinal(tx, CHAIN, id, successBitmap)
  const outcome = { chainId: CHAIN, batchId: id, successBitmap, orderIds, reasons: new Map([[0, 'wallet_frozen']]) }
  await decideBatch(tx, outcome, { source: `batch/${CHAIN}/${id}`, effectiveAt: new Date() })
}

async function settle(orderIds: readonly bigint[], succeeded: boolean): Promise<void> {
  await db.transaction(finalise(await signed(orderIds), orderIds, succeeded))
}

const refunds = () =>
  db.query<{ order_id: bigint; status: string }>(
    `select order_id, status from orders where integration_id = 'refunds' order by order_id`,
  )
const statusOf = async (payoutId: string) => (await findPayout(db, payoutId))?.status
const coins = async () =>
  (await readBalances(db)).find(({ kind, owner }) => kind === 'coins' && owner === String(CHAIN))?.balanceMicro ?? 0n

async function assertBooks(): Promise<void> {
  assert.deepEqual(
    (await checkBooks(db)).filter(({ what }) => what !== 'unsealed'),
    [],
  )
}

test('asked for: one order of the house, or none and the payout as it was', async () => {
  const payoutId = await burn('redeem-refused', 'refused')
  const statements = await dyingEverywhere(async (tx) => assert.ok(await payoutAdmin.refund(tx, payoutId)))
  assert.ok(statements > 5, `${statements} statements`)
  assert.deepEqual(
    (await refunds()).map(({ status }) => status),
    ['pending'],
  )
  assert.equal(await db.transaction((tx) => payoutAdmin.refund(tx, payoutId)), undefined)
  assert.equal(await db.transaction((tx) => payoutAdmin.retry(tx, payoutId)), undefined)
  assert.equal(await db.transaction((tx) => payoutAdmin.markPaid(tx, payoutId, 'R')), undefined)
  await assertBooks()
})

test('final: the coin, the payout, the redeem and the books at once, or none of them', async () => {
  const payoutId = await burn('redeem-refused', 'refused')
  await burn('redeem-paid', 'accepted')
  await db.transaction((tx) => payoutAdmin.refund(tx, payoutId))
  const ids = (await refunds()).map(({ order_id: orderId }) => orderId)
  // What has gone out with the other payout of its part of a sen is not minted back.
  const before = await coins()
  const id = await signed(ids)
  assert.equal(await db.transaction((tx) => payoutAdmin.retry(tx, payoutId)), undefined)
  const statements = await dyingEverywhere(finalise(id, ids, true))
  assert.ok(statements > 10, `${statements} statements`)
  assert.equal(await statusOf(payoutId), 'refunded')
  assert.equal((await coins()) - before, -12_053_578n)
  await db.transaction(finalise(id, ids, true))
  assert.equal((await coins()) - before, -12_053_578n, 'said again it changes nothing')
  await assertBooks()
})

test('refused by the chain: the payout is as it was with the reason, and the next refund is whole', async () => {
  const payoutId = await burn('redeem-refused', 'refused')
  await db.transaction((tx) => payoutAdmin.refund(tx, payoutId))
  const ids = (await refunds()).map(({ order_id: orderId }) => orderId)
  const before = await coins()
  await dyingEverywhere(finalise(await signed(ids), ids, false))
  assert.equal(await statusOf(payoutId), 'rejected')
  assert.match((await findPayout(db, payoutId))?.lastError ?? '', /wallet_frozen/)
  assert.equal(await coins(), before)
  await dyingEverywhere(async (tx) => assert.ok(await payoutAdmin.refund(tx, payoutId)))
  const [, second] = await refunds()
  assert.ok(second)
  await settle([second.order_id], true)
  assert.equal(await statusOf(payoutId), 'refunded')
  assert.equal((await coins()) - before, -12_056_789n)
  const [reserved] = await db.query<{ reserved: bigint }>(
    'select max(reserved_micro) as reserved from customer_residuals',
  )
  assert.equal(reserved?.reserved, 0n)
  await assertBooks()
})
