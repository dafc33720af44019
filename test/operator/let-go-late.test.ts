// engine: postgres; both in test:long
/** What speaks against a payout since somebody looked at it, or has approved what is done to it, is seen before it is paid or its coin minted back. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { holdLostBurns, tellBurntAgain } from '../../src/payouts/lost-burn.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addPayoutOf, type Pairs, startPairs } from './approval-pairs.ts'
import { addParty } from './world.ts'

const CHANGED = /is void: what it concerns has changed/

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

async function payoutIn(status: string, holdReason?: string) {
  const party = await addParty(pairs.db)
  await pairs.db.query('insert into customer_residuals (customer_id, owed_micro) values ($1, 0)', [party.customerId])
  const payoutId = await addPayoutOf(pairs, party, status, holdReason)
  const [row] = await pairs.db.query<{ order_id: bigint }>('select order_id from payouts where payout_id = $1', [
    payoutId,
  ])
  return { target: `/payouts/${payoutId}`, payoutId, orderId: row?.order_id ?? assert.fail() }
}

/** @returns the request that two people have agreed on */
async function approved(target: string, body: object) {
  const [one, two] = pairs.pairOf('treasury')
  const { approvalId, error } = (await one.call('POST', target, body)).body
  assert.equal(error, undefined, JSON.stringify(error))
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  return async () => (await one.call('POST', target, body, { 'x-approval': approvalId })).body
}

const loseBurn = (orderId: bigint) =>
  pairs.db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
    [orderId],
  )

describe('of one that came back', () => {
  it('the burn is lost since its retry was approved', async () => {
    const { target, orderId } = await payoutIn('rejected')
    const run = await approved(`${target}/retry`, {})
    await loseBurn(orderId)
    assert.match((await run()).error?.message ?? 'paid', CHANGED)
  })

  for (const command of ['retry', 'refund'])
    it(`others have refused the burn since its ${command} was approved`, async () => {
      const { target, orderId } = await payoutIn('returned')
      const run = await approved(`${target}/${command}`, {})
      await pairs.db.transaction((tx) => holdLostBurns(tx, [orderId], { isTaken: true }))
      assert.match((await run()).error?.message ?? 'done', CHANGED)
    })

  it('nor is it paid again by a page from before', async () => {
    const { target, orderId, payoutId } = await payoutIn('rejected')
    const [one] = pairs.pairOf('treasury')
    const asSeen = (await one.call('GET', target)).body.asSeen
    await loseBurn(orderId)
    const now = (await one.call('GET', target)).body.asSeen
    assert.notEqual(now, asSeen, payoutId)
  })
})

for (const rule of ['maybe_paid_before', 'other_attempt'])
  it(`the burn of one that a rule holds, and whose rail was asked before, is lost since its release was approved: ${rule}`, async () => {
    const { target, orderId } = await payoutIn('held', rule)
    const run = await approved(`${target}/release`, { reason: 'the bank has not paid it' })
    await pairs.db.transaction((tx) => holdLostBurns(tx, [orderId]))
    await loseBurn(orderId)
    assert.match((await run()).error?.message ?? 'paid', CHANGED)
  })

async function burntAgain() {
  const payout = await payoutIn('queued')
  const { orderId, payoutId } = payout
  await withoutGuards(pairs.db, (tx) => tx.query('update payouts set rail = null where payout_id = $1', [payoutId]))
  const lose = () => pairs.db.transaction((tx) => holdLostBurns(tx, [orderId]))
  const burnAgain = () => pairs.db.transaction((tx) => tellBurntAgain(tx, [orderId]))
  await lose()
  await burnAgain()
  const body = { reason: 'it is burnt', held: ['has it again'] }
  return { ...payout, lose, burnAgain, body }
}

it('a burn that the chain had again is lost once more, for whoever lets it go because it was there', async () => {
  const { target, orderId, body, lose, burnAgain } = await burntAgain()
  const run = await approved(`${target}/release`, body)
  await lose()
  await loseBurn(orderId)
  assert.match((await run()).error?.message ?? 'paid', CHANGED)
  const [one] = pairs.pairOf('treasury')
  const late = await one.call('POST', `${target}/release`, body)
  assert.match(late.body.error?.message, /is not held for “has it again”/)
  // And may be there once more.
  assert.equal((await burnAgain()).length, 1)
})

it('what else speaks against one that a settler holds has come since that was approved', async () => {
  const { target, body } = await burntAgain()
  const run = await approved(`${target}/release`, body)
  await pairs.db.query(`update chains set fenced_on = 'before'`)
  assert.match((await run()).error?.message ?? 'paid', CHANGED)
  const [one] = pairs.pairOf('treasury')
  const { holds, beware } = (await one.call('GET', target)).body.payout
  const now = holds.map(({ reason }: { reason: string }) => reason)
  assert.match(now[0], /has it again/)
  assert.deepEqual(now.slice(1), [beware])
  const named = { ...body, held: now }
  const done = await (await approved(`${target}/release`, named))()
  assert.equal(done.error, undefined, JSON.stringify(done))
})
