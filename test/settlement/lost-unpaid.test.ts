// engine: postgres
/** A redeem whose burn the chain has lost, and that nobody wants any more, ends without being paid (`order make-good --unpaid`). */
// Runbook: The chain lost a final batch
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroAddress } from 'viem'
import { KIND } from '../../src/chain/instructions.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { queueAttempt } from '../../src/payouts/payouts.sql.ts'
import { markReturned } from '../../src/payouts/record-news.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { payDue } from '../support/pay-due.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { silent, wallet } from './fixture.ts'
import { lookAsSettler } from './giving-up.ts'
import {
  AMOUNT,
  balanceOf,
  beginChain,
  lookAtBurns,
  lostNow,
  payoutOf,
  REDEEM,
  redeemed,
  refund,
  settle,
} from './lost-burn.ts'
import { ALONE, CHAIN } from './repairing.ts'
import { mintOf, settleAfter, tagOf } from './replacing.ts'
import { SHADOW_CHAIN } from './shadow.ts'
import type { Stepped } from './stepped.ts'

const chain = beginChain()

const claim = (s: Stepped) => claimPayouts(s.db, { rail: 'http', limit: 10, claimMs: 60_000 })
const UNPAID = { reason: 'nobody wants it', unpaid: true }

/** What the books have on an account, of whomever. */
async function booked(s: Stepped, kind: string): Promise<bigint> {
  return (await readBalances(s.db))
    .filter((each) => each.kind === kind)
    .reduce((sum, { balanceMicro }) => sum + balanceMicro, 0n)
}

/** What reconciliation says, but for the coin that strangers have minted, and of the chain that nobody settles here. */
async function differences(s: Stepped): Promise<string[]> {
  await sealBooks(s.db, 1_000)
  const { differences: found } = await reconcile(s.db, [s.chain], TEST_SECRETS)
  const all = found.map(({ kind, subject }) => `${kind} ${subject}`)
  return all.filter((each) => !/^(supply|foreign)/.test(each) && !each.includes(String(SHADOW_CHAIN)))
}

const eventsOf = async (s: Stepped) =>
  (await s.db.query<{ type: string }>(`select type from events where type like 'redeem.%' order by event_seq`)).map(
    ({ type }) => type,
  )

test('two people end it: it fails, its payout is never paid, its coin stays, and the books and its usage say so', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'seen' })
  const eyes = await lose()
  const target = `/orders/${name}`
  const asked = await eyes.run(`${target}/make-good`, UNPAID)
  assert.equal(asked.status, 202)
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_HELD', 'one person alone changes nothing')
  await eyes.endUnpaid(target)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await eventsOf(s), ['redeem.failed'])
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await claim(s), [])
  const release = await eyes.run(`/payouts/${payoutId}/release`, { reason: 'again' })
  assert.match(JSON.stringify(release.body), /is refunded, and only one that is held can be released/)
  assert.deepEqual(await lostNow(s), {})
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
  assert.deepEqual([await booked(s, 'residual'), await booked(s, 'mint_receivable')], [0n, AMOUNT])
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 1), AMOUNT)
  await assert.rejects(eyes.endUnpaid(target), /was made good already/)
})

test('one whose rail had refused it ends so, too, and its integration owes what of a sen went out with a later payout', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name, lose } = await redeemed(s)
  const eyes = await lose()
  // With the three that the lost one has left over, it comes to two sen.
  const other = await settle(s, { ...REDEEM, amountMicro: 19_997n })
  await lookAtBurns(s)
  assert.equal((await payoutOf(s, other))?.burn, `${CHAIN}/3/0`)
  await eyes.endUnpaid(`/orders/${name}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
  assert.equal(await balanceOf(s, 1), 6n)
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-6n, -20_000n])
  assert.deepEqual([await booked(s, 'residual'), await booked(s, 'mint_receivable')], [0n, AMOUNT + 3n])
})

test('one that was made good while it was paid, and whose payment came back, ends so, too, and nobody owes its ringgit any more', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'seen' })
  const rail = { name: 'http', initiate: async () => ({ result: 'accepted', railReference: 'R' }) as const }
  await s.db.query('update payouts set next_attempt_at = now()')
  assert.equal(await payDue({ db: s.db, rail, secrets: TEST_SECRETS, logger: silent }), 1)
  const eyes = await lose()
  await eyes.makeGood(`/orders/${name}`)
  assert.equal(await booked(s, 'mint_receivable'), 2n * AMOUNT)
  const reference = 'R-1'
  const line = { bankAccount: 'main', reference, effectiveAt: new Date(), reason: 'the account is closed' }
  await s.db.transaction((tx) => markReturned(tx, { payoutId, attempt: 1 }, line))
  assert.equal((await payoutOf(s, redeem))?.status, 'returned')
  assert.match(await eyes.bewareOf(payoutId), /its integration owes the ringgit, as it had been paid before/)
  const refused = JSON.stringify((await eyes.run(`/payouts/${payoutId}/refund`, {})).body)
  assert.match(refused, /owes the ringgit already.*and nothing else is to be done; or, .*make-good .*--unpaid/)
  await eyes.endUnpaid(`/orders/${name}`)
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.equal(await s.stateOf(redeem), 'completed/REFUNDED')
  assert.deepEqual(await differences(s), [])
  assert.deepEqual([await booked(s, 'coins'), await booked(s, 'redeem_payable')], [-AMOUNT, 0n])
  assert.deepEqual([await booked(s, 'residual'), await booked(s, 'mint_receivable')], [0n, AMOUNT])
  assert.deepEqual([await booked(s, 'reserve'), await booked(s, 'payout_clearing')], [0n, 0n])
  assert.equal(await eyes.bewareOf(payoutId), '')
  await assert.rejects(eyes.endUnpaid(`/orders/${name}`), /was made good already/)
})

test('one that its rail had refused, and that was about to be paid again, ends so: no rail was asked for that payment', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s)
  await s.db.query(
    `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, status) select payout_id, attempt, end_to_end_id, 'http', 'rejected' from payouts`,
  )
  await s.db.transaction((tx) => queueAttempt(tx, payoutId))
  const eyes = await lose()
  assert.equal((await payoutOf(s, redeem))?.reason, 'by_operator')
  await eyes.endUnpaid(`/orders/${name}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
})

test('one that had completed before its payment came back stays completed', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s)
  await withoutGuards(s.db, async (tx) => {
    await tx.query(`update payouts set status = 'returned' where payout_id = $1`, [payoutId])
    await tx.query(`update orders set status = 'completed' where order_id = $1`, [redeem])
  })
  const eyes = await lose()
  await assert.rejects(eyes.makeGood(`/orders/${name}`), /Its payout is not paid/)
  await eyes.endUnpaid(`/orders/${name}`)
  assert.equal((await s.order(redeem)).status, 'completed')
  assert.equal((await payoutOf(s, redeem))?.status, 'refunded')
  assert.deepEqual(await lostNow(s), {})
})

test('what was paid, may have been, or is to be, and what is no lost redeem, does not end so', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s, { until: 'seen' })
  const [minted] = await s.db.query<{ id: bigint; name: string }>(
    `select order_id as id, integration_id || '/' || reference_id as name from orders where direction = 'MINT' and chain_id = $1`,
    [CHAIN],
  )
  const eyes = await lose()
  const target = `/orders/${name}`
  const set = (what: string) =>
    withoutGuards(s.db, (tx) => tx.query(`update payouts set ${what} where payout_id = $1`, [payoutId]))
  const held = `status = 'held', hold_reason = 'by_operator', ask_first = false, times_asked = 0, rail = null, rail_reference = null, made_on = database_timeline()`
  const refused = async (what: string, why: RegExp) => {
    await set(what)
    await assert.rejects(eyes.endUnpaid(target), why)
    await set(held)
  }
  await refused(`status = 'queued', hold_reason = null`, /run .{1,2}coin payout hold po_\w+ .* first/)
  for (const status of ['sent', 'paid'])
    await refused(
      `status = '${status}', hold_reason = null, rail = 'http', rail_reference = 'R'`,
      /was paid, or its coin/,
    )
  await refused('ask_first = true', /may have been paid/)
  await refused(`times_asked = 1, rail = 'http'`, /may have been paid/)
  for (const reason of ['rail_not_configured', 'maybe_paid_before', 'other_attempt'])
    await refused(`hold_reason = '${reason}'`, /may have been paid/)
  await refused(`made_on = 'another'`, /is from before the database was restored/)
  // The backup had its batch as signed.
  const signedOn = (timeline: string) => s.db.query(`update batches set signed_on = ${timeline}`)
  await signedOn(`'before'`)
  await refused(held, /is from before the database was restored/)
  await signedOn('database_timeline()')
  await s.db.query(
    `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail) select payout_id, attempt, end_to_end_id, 'http' from payouts`,
  )
  await refused(`status = 'rejected', hold_reason = null, rail = 'http', times_asked = 1`, /may have been paid/)
  await withoutGuards(s.db, (tx) => tx.query('delete from payout_attempts'))
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_HELD')
  await withoutGuards(s.db, (tx) =>
    tx.query('insert into lost_orders (order_id, chain_id, batch_id) values ($1, $2, 2)', [minted?.id ?? 0n, CHAIN]),
  )
  await assert.rejects(eyes.endUnpaid(`/orders/${minted?.name}`), /Only of a redeem/)
  await eyes.endUnpaid(target)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
})

test('while its coin is being minted back it does not end so', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, payoutId, name, lose } = await redeemed(s)
  await refund(s, payoutId)
  const eyes = await lose()
  await assert.rejects(eyes.endUnpaid(`/orders/${name}`), /Its coin is being minted back/)
  await eyes.reject(`/orders/refunds/${payoutId}`)
  await eyes.endUnpaid(`/orders/${name}`)
  assert.equal(await s.stateOf(redeem), 'failed/FAILED')
  assert.deepEqual(await differences(s), [])
})

test('where nodes have its burn again, nothing in its place, or batches that nobody has read, it does not end', async () => {
  const s = await chain.begin({ config: ALONE })
  const { redeem, name, lose } = await redeemed(s, { until: 'seen' })
  const eyes = await lose()
  const target = `/orders/${name}`
  const reorg = async () => {
    const mined = (await s.batches())[1]?.mined_block ?? 0n
    await s.rpc('anvil_reorg', Number((await s.head()).number - mined) + 1, [])
    await s.rpc('anvil_dropAllTransactions')
  }
  await settleAfter(s, 2n, [[mintOf(30, '0x0000000000000009')]])
  await assert.rejects(eyes.endUnpaid(target), /batches that were not read yet/)
  await reorg()
  await assert.rejects(eyes.endUnpaid(target), /nothing else is final under the id/)
  const burn = { kind: KIND.REDEEM, from: wallet(1), to: zeroAddress, amount: AMOUNT, tag: await tagOf(s, redeem) }
  await settleAfter(s, 1n, [[burn]])
  await s.mine(2)
  await assert.rejects(eyes.endUnpaid(target), /have other batches than the database/)
  assert.equal(await s.stateOf(redeem), 'processing/PAYOUT_HELD')
})
