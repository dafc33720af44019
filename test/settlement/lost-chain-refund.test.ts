// engine: postgres
/** Coin that was being minted back when its chain was gone for good, and that the chain has minted back after all once it is found: it is not paid as well. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nameGivenUp } from '../../src/settlement/tables/ended-alike.sql.ts'
import { noteLostOrders } from '../../src/settlement/tables/lost.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { booked } from './executing-again.ts'
import { keyOf, wallet } from './fixture.ts'
import { lookAsSettler } from './giving-up.ts'
import { endAll, findAgain, lose, namedBy, settledBefore } from './losing.ts'
import { AMOUNT, balanceOf, nameOf, payoutOf, REDEEM, redeemed, refund } from './lost-burn.ts'
import { CHAIN } from './repairing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

type Test = { after(fn: () => Promise<void>): void }

/** A refund was sent, and its chain called lost. */
async function refunding(s: Stepped, t: Test) {
  const { redeem, payoutId } = await redeemed(s)
  await refund(s, payoutId)
  await s.round()
  const lost = await lose(s, t)
  await endAll(s)
  assert.equal((await payoutOf(s, redeem))?.status, 'rejected')
  return { redeem, payoutId, lost }
}

type Operators = Awaited<ReturnType<typeof findAgain>>

async function requireRefused({ one }: Operators, payoutId: string, why: RegExp): Promise<void> {
  for (const verb of ['refund', 'retry']) {
    const { status, body } = await one(`/payouts/${payoutId}/${verb}`, {})
    assert.equal(status, 409, `${verb}: ${JSON.stringify(body)}`)
    assert.match(body.error.message, why)
  }
}

test('what was minted back after all is neither minted back once more nor paid, and its payout ends as minted back', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId } = await refunding(s, t)
  await s.mine(2)
  const operators = await findAgain(s, t)
  await requireRefused(operators, payoutId, /may be executed yet, until the fence is final/)
  await lookAsSettler(s, 3)
  assert.equal(await balanceOf(s, 1), AMOUNT, 'the holder has the coin')
  await requireRefused(
    operators,
    payoutId,
    /The chain has executed refunds\/po_\w+ after all.*make-good refunds\/po_\w+ --reason …", which ends the payout as minted back\.$/,
  )
  const { payout } = (await operators.coin.call('GET', `/payouts/${payoutId}`)).body
  assert.match(payout.beware, /executed refunds/)
  const named = await namedBy(operators)
  assert.deepEqual(
    named.map(({ kind }) => kind),
    ['supply', 'foreign_batch', 'ended_order'],
  )
  assert.match(
    named[2]?.message ?? '',
    /^refunds\/po_.*Run "coin order make-good refunds\/po_\w+ --reason …", by which its payout ends as minted back/,
  )
  const disown = { reason: 'it is not', notOrder: `refunds/${payoutId}` }
  const refused = await operators.one(`/batches/${CHAIN}/3/explain`, disown)
  assert.equal(refused.status, 409, 'or it could be minted back once more')
  assert.match(refused.body.error.message, /run "coin order make-good refunds\/po_/)
  const asked = await operators.one(`/orders/refunds/${payoutId}/make-good`, { reason: 'it was executed' })
  const { approval } = (await operators.coin.call('GET', `/approvals/${asked.body.approvalId}`)).body
  assert.match(JSON.stringify(approval), /did what it asks for: the coin is there. Run/, 'whoever decides is told why')
  const good = await operators.alone(`/orders/refunds/${payoutId}/make-good`, { reason: 'it was executed' })
  assert.equal(good.result, 'even')
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 1), AMOUNT, 'once')
  assert.deepEqual(await namedBy(operators), [])
})

test('a payout that was to be paid again is held once its coin was minted back after all, and ends so', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId, lost } = await refunding(s, t)
  await lost.alone(`/payouts/${payoutId}/retry`, {})
  await s.mine(2)
  const operators = await findAgain(s, t)
  await lookAsSettler(s, 3)
  assert.equal(await balanceOf(s, 1), AMOUNT, 'the holder has the coin')
  assert.equal((await payoutOf(s, redeem))?.status, 'held', 'and was to get the ringgit')
  const good = await operators.alone(`/orders/refunds/${payoutId}/make-good`, { reason: 'it was executed' })
  assert.equal(good.result, 'even')
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await namedBy(operators), [])
})

test('where it was paid while the chain was lost, the integration owes the ringgit', async (t) => {
  const s = await chain.begin()
  const { payoutId, lost } = await refunding(s, t)
  await lost.alone(`/payouts/${payoutId}/mark-paid`, { reference: 'BY HAND' })
  await s.mine(2)
  const operators = await findAgain(s, t)
  await lookAsSettler(s, 3)
  const owed = await booked(s, 'mint_receivable')
  const good = await operators.alone(`/orders/refunds/${payoutId}/make-good`, { reason: 'it was executed' })
  assert.equal(good.result, 'booked')
  assert.equal((await booked(s, 'mint_receivable')) - owed, AMOUNT)
  assert.deepEqual(await namedBy(operators), [])
})

test('what was not executed is minted back under its next name once the chain is fenced', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId } = await refunding(s, t)
  await s.rpc('anvil_dropAllTransactions')
  const operators = await findAgain(s, t)
  await requireRefused(operators, payoutId, /may be executed yet, until the fence is final/)
  s.work.times = { ...s.work.times, behindGraceMs: 0 }
  await lookAsSettler(s, 5)
  await operators.alone(`/payouts/${payoutId}/refund`, {})
  await lookAsSettler(s, 3)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await balanceOf(s, 1), AMOUNT)
})

test('where others had burnt it, too, it ends as minted back: "coin payout refund" failed for ever, and "coin payout retry" sent people to it', async (t) => {
  const s = await chain.begin()
  await s.round()
  const [redeem = 0n] = await s.place(REDEEM)
  const did = { to: wallet(1), amountMicro: AMOUNT }
  await settledBefore(s, await nameOf(s, redeem), { direction: 'REDEEM', ...did })
  const operators = await lose(s, t)
  await endAll(s)
  assert.equal((await payoutOf(s, redeem))?.status, 'queued', 'it has taken that outcome')
  await settledBefore(s, await nameOf(s, redeem), { direction: 'MINT', ...did })
  await withoutGuards(s.db, (tx) =>
    tx.query(`update payouts set status = 'rejected', burn = '${CHAIN}/2/0', times_asked = 1, rail = 'http'`),
  )
  const [{ id } = assert.fail()] = await s.db.query<{ id: string }>('select payout_id as id from payouts')
  const { status, body } = await operators.one(`/payouts/${id}/retry`, {})
  assert.deepEqual([status, /"coin payout refund po_\w+" takes that outcome/.test(body.error.message)], [409, true])
  await operators.alone(`/payouts/${id}/refund`, {})
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await namedBy(operators), [], 'what minted it back is no coin beside')
  const [mint] = await s.db.query<{ batch: bigint }>(
    `select batch_id as batch from foreign_instructions where direction = 'MINT'`,
  )
  const lost = await s.db.transaction((tx) => noteLostOrders(tx, CHAIN, [mint?.batch ?? 0n]))
  assert.deepEqual(lost, [], 'where that is lost, its burn is not')
})

test('a burn of others is that of a redeem which was minted back, too, once its own was given up', async (t) => {
  const s = await chain.begin()
  const { redeem, payoutId, name } = await redeemed(s)
  const did = { to: wallet(1), amountMicro: AMOUNT }
  await settledBefore(s, name, { direction: 'MINT', ...did })
  const operators = await lose(s, t)
  await endAll(s)
  await operators.alone(`/payouts/${payoutId}/refund`, {})
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  await s.db.query('insert into lost_orders (order_id, chain_id, batch_id) values ($1, $2, 2)', [redeem, CHAIN])
  const batchId = 900_000_001n
  await settledBefore(s, name, { direction: 'REDEEM', ...did }, batchId)
  await s.db.transaction((tx) => nameGivenUp(tx, CHAIN, { first: batchId, last: batchId }))
  const burnt = await s.db.query('select from foreign_instructions where batch_id = $1 and order_id = $2', [
    batchId,
    redeem,
  ])
  assert.equal(burnt.length, 1, 'it stayed lost, and its integration was to owe what nobody has')
})
