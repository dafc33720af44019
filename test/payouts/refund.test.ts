// engine: postgres; both in test:long
/** Coin that is minted back: once, whole, to the wallet that it was burnt from, and booked. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { instructionOf } from '../../src/chain/instructions.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { findOrder } from '../../src/orders/read/orders.sql.ts'
import { viewOrder } from '../../src/orders/view.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { markPaid, markRejected, markSent } from '../../src/payouts/record-news.ts'
import { refundTag } from '../../src/values/order-tag.ts'
import { type BatchName, createBatchSteps } from '../life/batch-steps.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, INTEGRATIONS, placeOrder, seedTwoOfEverything, walletOf } from '../support/two-of-everything.ts'

const NOON = new Date('2026-11-20T04:00:00Z')

let db: TestDatabase
let steps: ReturnType<typeof createBatchSteps>
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  steps = createBatchSteps(db)
})
after(() => db.close())

let serial = 0
/** Settles orders in a batch of their own. */
async function settle(orderIds: readonly bigint[], succeeded: readonly number[] = orderIds.map((_, index) => index)) {
  serial += 1
  const name: BatchName = { chainId: 1, batchId: BigInt(serial) }
  await steps.submit(name, orderIds)
  await steps.mine(name)
  await steps.finalise(name, { succeeded, reasons: { 0: 'AccountFrozen' } })
  return name
}

type Case = { payoutId: string; reference: string; orderId: bigint }

/** A burnt redeem whose payout the bank refused. */
async function refused(amountMicro: bigint, { isSent = false } = {}): Promise<Case> {
  serial += 1
  const reference = `redeem-refund-${serial}`
  const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference, amountMicro })
  await settle([orderId])
  await claimPayouts(db, { rail: 'http', limit: 99, claimMs: 60_000 })
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  const payoutId = row?.payout_id ?? ''
  if (isSent) await tell(payoutId, 'sent')
  await tell(payoutId, 'rejected')
  return { payoutId, reference, orderId }
}

const tell = (payoutId: string, what: 'sent' | 'rejected' | 'paid') =>
  db.transaction((tx) => {
    const key = { payoutId, attempt: 1 }
    if (what === 'sent') return markSent(tx, key, { railReference: 'R', effectiveAt: NOON })
    if (what === 'paid') return markPaid(tx, key, { bankAccount: '512', reference: 'S', effectiveAt: NOON })
    return markRejected(tx, key, { reason: 'closed', effectiveAt: NOON })
  })
const refund = ({ payoutId }: Case) => db.transaction((tx) => payoutAdmin.refund(tx, payoutId))
const retry = ({ payoutId }: Case) => db.transaction((tx) => payoutAdmin.retry(tx, payoutId))
const statusOf = async ({ payoutId }: Case) => (await findPayout(db, payoutId))?.status

/** What operators see of its refund. */
async function refundOf({ payoutId }: Case) {
  const found = await findPayout(db, payoutId)
  return [found?.refundOrder, found?.isBeingRefunded]
}

/** The order that mints back. */
async function orderOf(name: string) {
  const order = await findOrder(db, 'refunds', name)
  assert.ok(order, name)
  return order
}

async function shown({ reference }: Case) {
  const order = await findOrder(db, INTEGRATIONS.a, reference)
  assert.ok(order)
  const { status, phase } = viewOrder(order)
  return [status, phase]
}

const booksAgree = async () =>
  assert.deepEqual(
    (await checkBooks(db)).filter(({ what }) => what !== 'unsealed'),
    [],
  )
const owed = async () => {
  const [row] = await db.query<{ owed: bigint; reserved: bigint }>(
    'select owed_micro as owed, reserved_micro as reserved from customer_residuals where customer_id = $1',
    [CUSTOMERS.a1],
  )
  return [row?.owed, row?.reserved]
}
const eventsOf = async (orderId: bigint) =>
  (
    await db.query<{ type: string }>(
      'select type from events join orders using (integration_id, reference_id) where order_id = $1 order by event_seq',
      [orderId],
    )
  ).map(({ type }) => type)

it('mints the whole burnt amount back to its wallet, tagged by the payout; the redeem fails, and the books agree', async () => {
  const one = await refused(12_056_789n)
  assert.deepEqual(await owed(), [6_789n, 0n])
  assert.equal((await refund(one))?.status, 'rejected')
  assert.deepEqual(await owed(), [6_789n, 6_789n])
  assert.equal(await refund(one), undefined, 'a second one')
  assert.equal(await retry(one), undefined)
  assert.equal(await db.transaction((tx) => payoutAdmin.markPaid(tx, one.payoutId, 'R')), undefined)
  const order = await orderOf(one.payoutId)
  const made = [order.direction, order.walletAddress, order.debitAddress, order.amountMicro]
  assert.deepEqual(made, ['MINT', walletOf('a1'), null, 12_056_789n])
  assert.equal(instructionOf(order).tag, refundTag(one.payoutId))
  assert.deepEqual(await shown(one), ['processing', 'PAYOUT_REJECTED'])
  await booksAgree()
  await settle([order.orderId])
  assert.equal(await statusOf(one), 'refunded')
  assert.deepEqual(await shown(one), ['failed', 'FAILED'])
  assert.deepEqual(await owed(), [0n, 0n])
  assert.deepEqual(await eventsOf(one.orderId), ['redeem.failed'])
  assert.deepEqual(await eventsOf(order.orderId), [])
  await booksAgree()
  const usage = await db.query<{ committed: bigint }>('select committed_micro as committed from withdrawal_usage')
  assert.deepEqual(usage, [{ committed: 0n }], 'the month has its room again')
  assert.equal(await refund(one), undefined)
  assert.equal((await tell(one.payoutId, 'paid'))?.outcome, 'extra')
})

it('a completed redeem stays completed, and shows that it was refunded; in its month it counts as before', async () => {
  const one = await refused(1_000_000n, { isSent: true })
  await db.query('update withdrawal_usage set committed_micro = 1000000')
  await refund(one)
  await settle([(await orderOf(one.payoutId)).orderId])
  const usage = await db.query<{ committed: bigint }>('select committed_micro as committed from withdrawal_usage')
  assert.deepEqual(usage, [{ committed: 1_000_000n }])
  assert.deepEqual(await shown(one), ['completed', 'REFUNDED'])
  assert.deepEqual(await eventsOf(one.orderId), ['redeem.completed'])
  await booksAgree()
})

it('when the chain refuses it, the payout is as it was and says why; the next try has another tag', async () => {
  const one = await refused(1_234_567n)
  await refund(one)
  const first = await orderOf(one.payoutId)
  assert.deepEqual(await refundOf(one), [`refunds/${one.payoutId}`, true])
  await settle([first.orderId], [])
  assert.equal(await statusOf(one), 'rejected')
  assert.deepEqual(await refundOf(one), [`refunds/${one.payoutId}`, false])
  const says = 'The coin was not minted back: AccountFrozen. Why the payout came back: closed'
  assert.equal((await findPayout(db, one.payoutId))?.lastError, says, "with the bank's own reason")
  assert.deepEqual(await owed(), [4_567n, 0n])
  await booksAgree()
  await refund(one)
  await settle([(await orderOf(`${one.payoutId}/2`)).orderId], [])
  assert.equal((await findPayout(db, one.payoutId))?.lastError, says, 'each once')
  await refund(one)
  const second = await orderOf(`${one.payoutId}/3`)
  assert.notEqual(refundTag(second.referenceId), refundTag(first.referenceId))
  assert.deepEqual(await refundOf(one), [`refunds/${one.payoutId}/3`, true])
  await settle([second.orderId])
  assert.equal(await statusOf(one), 'refunded')
  assert.deepEqual(await refundOf(one), [`refunds/${one.payoutId}/3`, false])
  assert.deepEqual(await owed(), [0n, 0n])
  await booksAgree()
})

it('what is paid while it is minted back is extra, and settles the payout when nothing was minted', async () => {
  for (const isMinted of [true, false]) {
    const one = await refused(2_000_000n)
    await refund(one)
    assert.equal((await tell(one.payoutId, 'paid'))?.outcome, 'extra')
    const order = await orderOf(one.payoutId)
    await settle([order.orderId], isMinted ? [0] : [])
    assert.equal(await statusOf(one), isMinted ? 'refunded' : 'paid')
    assert.deepEqual(await shown(one), isMinted ? ['failed', 'FAILED'] : ['completed', 'COMPLETED'])
    await booksAgree()
  }
})

it('the part of a sen that has gone out with a later payout is not minted back', async () => {
  const one = await refused(1_009_000n)
  const later = await refused(1_002_000n)
  assert.equal((await findPayout(db, later.payoutId))?.amountSen, 101n)
  await refund(one)
  assert.equal((await orderOf(one.payoutId)).amountMicro, 1_001_000n)
  await refund(later)
  assert.equal((await orderOf(later.payoutId)).amountMicro, 1_002_000n)
  await settle([(await orderOf(one.payoutId)).orderId, (await orderOf(later.payoutId)).orderId])
  assert.deepEqual(await owed(), [8_000n, 0n])
  await booksAgree()
})

it('only what came back is minted back', async () => {
  serial += 1
  const reference = `redeem-refund-${serial}`
  const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'b1', reference })
  await settle([orderId])
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  const one = { payoutId: row?.payout_id ?? '', reference, orderId }
  assert.equal(await refund(one), undefined, 'queued')
  await claimPayouts(db, { rail: 'http', limit: 99, claimMs: 60_000 })
  assert.equal(await refund(one), undefined, 'asked')
  await tell(one.payoutId, 'sent')
  assert.equal(await refund(one), undefined, 'sent')
  await tell(one.payoutId, 'paid')
  assert.equal(await refund(one), undefined, 'paid')
})

it('its batch is recorded also where somebody has written the part of a sen that it takes past the service', async () => {
  for (const [isMinted, left] of [
    [true, -9_999n],
    [false, 0n],
  ] as const) {
    await db.query('update customer_residuals set owed_micro = 0, reserved_micro = 0')
    const one = await refused(1_009_999n)
    await refund(one)
    const order = await orderOf(one.payoutId)
    await db.query('update customer_residuals set owed_micro = 0, reserved_micro = 0 where customer_id = $1', [
      CUSTOMERS.a1,
    ])
    await settle([order.orderId], isMinted ? [0] : [])
    assert.equal(await statusOf(one), isMinted ? 'refunded' : 'rejected')
    assert.deepEqual(await owed(), [left, 0n])
  }
})
