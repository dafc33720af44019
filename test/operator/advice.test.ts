// engine: postgres; both in test:long
/** What somebody reads of an order or a payout that waits for them: each command that it tells of is about what it is said of, and is not refused. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdLostBurns } from '../../src/payouts/lost-burn.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, type OrderInput, type Party } from './world.ts'

const CHAIN = 31_337
let api: OperatorFixture
let party: Party
let count = 0

before(async () => {
  api = await startOperator({ chains: [chainDouble(CHAIN).chain, chainDouble(5).chain] })
  party = await addParty(api.db)
  await addChain(api.db, CHAIN, 100n)
  await addChain(api.db, 5, 100n)
  await api.db.query(
    `insert into leases (name, holder, token, expires_at, lasts) values ('settlement:31337', 'a settler', 1, now() + interval '1 hour', '1 hour')`,
  )
})
after(() => api.close())

async function anOrder(given: Partial<OrderInput> = {}) {
  count += 1
  const referenceId = `advice-order-${count}`
  const order = { chainId: CHAIN, direction: 'REDEEM', state: 'payoutPending', amountMicro: 1_000_000n } as const
  const orderId = await addOrder(api.db, party, { ...order, referenceId, ...given })
  return { orderId, name: `${party.integrationId}/${referenceId}` }
}

async function aPayout(state: { status: string; holdReason?: string; error?: string }, chainId = CHAIN) {
  const { orderId, name } = await anOrder({ chainId })
  const payoutId = await addPayout(api.db, { orderId, customerId: party.customerId, ...state })
  await api.db.query(`update payouts set burn = '1/2/' || $2 where payout_id = $1`, [payoutId, String(count)])
  return { orderId, name, payoutId }
}

const waitingOf = async (name: string) => (await api.run('order', 'show', name)).waiting
const payoutOf = async (payoutId: string) => (await api.run('payout', 'show', payoutId)).payout

test('a payout that a settler holds is not said to be let go when an operator likes', async () => {
  const { payoutId, name, orderId } = await aPayout({ status: 'queued' })
  await withoutGuards(api.db, async (tx) => {
    await tx.query('update payouts set rail = null where payout_id = $1', [payoutId])
    await holdLostBurns(tx, [orderId])
  })
  const { holdReason, holds, lastError } = await payoutOf(payoutId)
  assert.match(holdReason, /^a settler holds it, for what was last said of it/)
  assert.equal(holds.length, 1)
  assert.match(holds[0].reason, /^The chain has lost the burn that it pays, for good: the holder has the coin again/)
  assert.match(lastError, new RegExp(`"coin payout release ${payoutId} --held … --reason …" pays it all the same`))
  assert.match(await waitingOf(name), /is held: a settler holds it, .* \(The chain has lost the burn/)
  assert.doesNotMatch(await waitingOf(name), /when it may go on/)
  assert.match(
    (await api.cli(['payout', 'release', payoutId, '--held', 'by_operator', '--reason', 'x'])).stderr,
    /is not held for/,
  )
  assert.equal((await api.cli(['payout', 'release', payoutId, '--held', 'lost the burn', '--reason', 'x'])).code, 0)
})

test('of a payout that came back no refund is told where none is possible', async () => {
  const refundable = await aPayout({ status: 'rejected', error: 'AC04' })
  assert.match((await payoutOf(refundable.payoutId)).advice, /"coin payout refund po_/)
  const lost = await aPayout({ status: 'rejected', error: 'AC04' }, 5)
  await withoutGuards(api.db, (tx) =>
    tx.query(`insert into lost_chains (chain_id, reason, lost_by) values (5, 'gone', 'Siti')`),
  )
  const { advice } = await payoutOf(lost.payoutId)
  assert.match(advice, /"coin payout retry po_\S+"; or, once it was paid outside/)
  assert.doesNotMatch(advice, /refund/)
  assert.match((await api.cli(['payout', 'refund', lost.payoutId])).stderr, /is lost: no coin can be minted back there/)
  const parts = 'po_parts_of_a_sen'
  await withoutGuards(api.db, (tx) =>
    tx.query(
      `insert into payouts (payout_id, integration_id, reference_id, customer_id, amount_sen, end_to_end_id, status, last_error)
       values ($1, $2, 'parts-1', $3, 1, 'PARTSOFASEN1', 'rejected', 'AC04')`,
      [parts, party.integrationId, party.customerId],
    ),
  )
  assert.doesNotMatch((await payoutOf(parts)).advice, /refund/)
  assert.match((await api.cli(['payout', 'refund', parts])).stderr, /no coin to mint back/)
})

test('an order whose payout was refused sends to what can be done, and not to one command that may be refused', async () => {
  for (const status of ['rejected', 'returned']) {
    const { payoutId, name } = await aPayout({ status, error: 'AC04 closed' })
    assert.match(
      await waitingOf(name),
      new RegExp(`\\(AC04 closed\\): "coin payout show ${payoutId}" says what can be done`),
    )
    assert.match((await payoutOf(payoutId)).advice, /retry/)
  }
})

test('an order that waits for a batch of others is not said to be one of that batch', async () => {
  await writeHold(api.db, CHAIN, { reason: 'batch-not-mined', details: null, blocked: [] })
  const { name } = await anOrder({ direction: 'MINT', state: 'created' })
  const waiting = await waitingOf(name)
  assert.match(waiting, /\("coin order show ORDER" of an order in it\)/)
  assert.doesNotMatch(waiting, new RegExp(name))
})

test('a redeem whose burn is lost names its payout in what is to be done', async () => {
  const { orderId, name, payoutId } = await aPayout({ status: 'held', holdReason: 'by_operator' })
  await api.db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
    [orderId],
  )
  assert.match(await waitingOf(name), new RegExp(`run "coin payout release ${payoutId} --held … --reason …"`))
  // It is held: a retry would be refused.
  for (const args of [
    ['payout', 'refund', payoutId],
    ['order', 'make-good', name, '--reason', 'it is lost'],
  ]) {
    const { stderr } = await api.cli(args)
    assert.match(
      stderr,
      new RegExp(
        `"coin payout release ${payoutId} --held … --reason …" if it is held, "coin payout retry ${payoutId}" if it came back`,
      ),
    )
  }
})
