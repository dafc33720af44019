// engine: postgres; both in test:long
/** What a settler has held an order or a payout for since somebody looked is not let go by who means what a rule held it for before. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { holdLostBurns, tellBurntAgain } from '../../src/payouts/lost-burn.sql.ts'
import { holdFor } from '../../src/settlement/repair/hold-minting.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, type Party } from './world.ts'

const CHAIN = 31_337
let api: OperatorFixture
let party: Party

before(async () => {
  api = await startOperator({ chains: [chainDouble(CHAIN).chain] })
  party = await addParty(api.db)
  await addChain(api.db, CHAIN, 100n)
})
after(() => api.close())

async function unaskedPayout(state: { status: string; holdReason?: string }) {
  const order = { chainId: CHAIN, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(api.db, party, order)
  const payoutId = await addPayout(api.db, { orderId, customerId: party.customerId, ...state })
  await withoutGuards(api.db, (tx) => tx.query('update payouts set rail = null where payout_id = $1', [payoutId]))
  return { orderId, payoutId }
}

const release = (noun: 'order' | 'payout', id: string, ...held: string[]) =>
  api.cli([noun, 'release', id, ...held.flatMap((words) => ['--held', words]), '--reason', 'not at the bank'])

test('whoever has looked at the bank for one that may have been paid does not pay a burn that is lost since', async () => {
  const { orderId, payoutId } = await unaskedPayout({ status: 'held', holdReason: 'maybe_paid_before' })
  await api.db.transaction((tx) => holdLostBurns(tx, [orderId]))
  const late = await release('payout', payoutId)
  assert.match(late.stderr, /another reason than you mean\. It is held for “The chain has lost the burn/)
  assert.match((await release('payout', payoutId, 'maybe_paid_before')).stderr, /is not held for/)
  assert.equal((await release('payout', payoutId, 'has lost the burn')).code, 0)
})

test('once it is let go, who holds it for something else is not told of the lost burn as if that still held it', async () => {
  const { orderId, payoutId } = await unaskedPayout({ status: 'queued' })
  await api.db.transaction((tx) => holdLostBurns(tx, [orderId]))
  assert.equal((await release('payout', payoutId, 'has lost the burn')).code, 0)
  const { payout } = await api.run('payout', 'show', payoutId)
  assert.deepEqual([payout.status, payout.lastError], ['queued', null])
  await api.db.transaction((tx) => tellBurntAgain(tx, [orderId]))
  await api.run('payout', 'hold', payoutId, '--reason', 'asked by the police')
  const { payout: held } = await api.run('payout', 'show', payoutId)
  assert.deepEqual(
    held.holds.map(({ reason }: { reason: string }) => reason),
    ['asked by the police'],
  )
})

test('what a batch of others has refused since is still told, because nothing else says so', async () => {
  const { orderId, payoutId } = await unaskedPayout({ status: 'queued' })
  await api.db.transaction((tx) => holdLostBurns(tx, [orderId], { isTaken: true }))
  assert.equal((await release('payout', payoutId, 'has refused that')).code, 0)
  assert.match((await api.run('payout', 'show', payoutId)).payout.lastError, /has refused that/)
})

test('nor does whoever lets an order go for which a rule was lifted mint what a settler has seen since that the holder has', async () => {
  const referenceId = 'held-by-settlers'
  const order = { chainId: CHAIN, direction: 'MINT', state: 'created', amountMicro: 7_000_000n } as const
  const orderId = await addOrder(api.db, party, { ...order, referenceId })
  const name = `${party.integrationId}/${referenceId}`
  await api.db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'refund_from_before' }]))
  await api.db.transaction((tx) => holdFor(tx, [orderId], 'an earlier order was executed after all'))
  const late = await release('order', name)
  assert.match(late.stderr, /another reason than you mean\. It is held for “an earlier order was executed after all”/)
  assert.equal((await release('order', name, 'executed after all')).code, 0)
})

test('a page that was about a payout which people hold does not speak for the burn that is refused since', async () => {
  const { orderId, payoutId } = await unaskedPayout({ status: 'queued' })
  await api.run('payout', 'hold', payoutId, '--reason', 'a look at the name')
  const seen = async () => ({
    'x-seen': encodeURIComponent((await api.call('GET', `/payouts/${payoutId}`)).body.asSeen),
  })
  const early = await seen()
  await api.db.transaction((tx) => holdLostBurns(tx, [orderId], { isTaken: true }))
  const target = `/payouts/${payoutId}/release`
  const late = await api.call('POST', target, { reason: 'fine' }, early)
  assert.match(String(late.body.error?.message), /is no longer what you have seen/)
  assert.equal((await api.call('POST', target, { reason: 'fine' }, await seen())).status, 200)
})

test('likewise where the chain has lost the burn of one that people hold', async () => {
  const { orderId, payoutId } = await unaskedPayout({ status: 'queued' })
  await api.run('payout', 'hold', payoutId, '--reason', 'a look at the name')
  const early = (await api.call('GET', `/payouts/${payoutId}`)).body.asSeen
  await api.db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
    [orderId],
  )
  const headers = { 'x-seen': encodeURIComponent(early) }
  const late = await api.call('POST', `/payouts/${payoutId}/release`, { reason: 'fine' }, headers)
  assert.match(String(late.body.error?.message), /is no longer what you have seen/)
})
