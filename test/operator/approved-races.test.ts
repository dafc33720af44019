// engine: postgres
/** What was approved is compared with what is while nobody else can hold an order or a payout: also with what somebody says of it at that moment. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { holdAbove, keepHeld } from '../../src/orders/life/hold.sql.ts'
import { holdLostBurns } from '../../src/payouts/lost-burn.sql.ts'
import { holdPayout } from '../../src/payouts/payouts.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addPayoutOf, heldOrder, type Pairs, startPairs, WAITING } from './approval-pairs.ts'
import { addParty } from './world.ts'

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

/** Runs what two people have agreed on while somebody's transaction has worked, and is not committed. */
async function runWhile(
  role: string,
  { target, body }: { target: string; body: object },
  work: (tx: Queryable) => Promise<unknown>,
) {
  const [one, two] = pairs.pairOf(role)
  const { approvalId, error } = (await one.call('POST', target, body)).body
  assert.equal(error, undefined, JSON.stringify(error))
  assert.equal((await two.call('POST', `/approvals/${approvalId}/approve`, {})).status, 200)
  const [worked, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = pairs.db.transaction(async (tx) => {
    await work(tx)
    worked.resolve()
    await committing.promise
  })
  await Promise.race([worked.promise, ended])
  const answer = one.call('POST', target, body, { 'x-approval': approvalId })
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await waitFor('the command to wait', async () => (await pairs.db.query(waiting)).length > 0)
  committing.resolve()
  await ended
  const ran = (await answer).body
  const { status } = (await one.call('GET', `/approvals/${approvalId}`)).body.approval
  return [ran.error?.message ?? 'done', status]
}

const said = (tx: Queryable, action: string, target: string) =>
  tx.query(
    `with said as (insert into audit_log (actor, origin, action, target, details)
       values ('Siti', 'cli', $1, $2, '{"reason":"asked by the police"}') returning audit_id)
     insert into audit_unsealed (audit_id) select audit_id from said`,
    [action, target],
  )

const CHANGED = /is void: what it concerns has changed/

async function orderOf(act: string) {
  const end =
    act === 'release'
      ? await heldOrder(pairs, await addParty(pairs.db), act)
      : await WAITING[`order ${act}`]?.(pairs, await addParty(pairs.db))
  assert.ok(end)
  const [, , integrationId = '', referenceId = ''] = end.target.split('/')
  const [row] = await pairs.db.query<{ order_id: bigint }>(
    'select order_id from orders where integration_id = $1 and reference_id = $2',
    [integrationId, referenceId],
  )
  return { end, name: `${integrationId}/${referenceId}`, orderId: row?.order_id ?? assert.fail() }
}

for (const act of ['release', 'reject']) {
  test(`order ${act}: a settler holds it for something else`, async () => {
    const { end, orderId } = await orderOf(act)
    const [message, status] = await runWhile('compliance', end, (tx) =>
      holdAbove(tx, [{ orderId, reason: 'the holder has the coin' }]),
    )
    assert.match(message, CHANGED)
    assert.equal(status, 'void')
  })
}

test('order release: somebody holds it for something else', async () => {
  const { end, orderId, name } = await orderOf('release')
  const [message] = await runWhile('compliance', end, async (tx) => {
    await tx.query('select from chains for no key update')
    assert.ok(await keepHeld(tx, orderId))
    await said(tx, 'order.hold', name)
  })
  assert.match(message, CHANGED)
})

async function payoutIn(status: string, holdReason?: string) {
  const payoutId = await addPayoutOf(pairs, await addParty(pairs.db), status, holdReason)
  await withoutGuards(pairs.db, (tx) => tx.query('update payouts set rail = null where payout_id = $1', [payoutId]))
  const [row] = await pairs.db.query<{ order_id: bigint }>('select order_id from payouts where payout_id = $1', [
    payoutId,
  ])
  return { payoutId, target: `/payouts/${payoutId}`, orderId: row?.order_id ?? assert.fail() }
}

test('payout release: a settler holds it for its lost burn', async () => {
  const { target, orderId } = await payoutIn('held', 'maybe_paid_before')
  const end = { target: `${target}/release`, body: { reason: 'the bank has none' } }
  const [message, status] = await runWhile('treasury', end, (tx) => holdLostBurns(tx, [orderId]))
  assert.match(message, CHANGED)
  assert.equal(status, 'void')
})

test('payout release: somebody holds it for something else', async () => {
  const { target, payoutId } = await payoutIn('queued')
  const [one] = pairs.pairOf('treasury')
  assert.equal((await one.call('POST', `${target}/hold`, { reason: 'a look' })).status, 200)
  const end = { target: `${target}/release`, body: { reason: 'seen' } }
  const [message] = await runWhile('treasury', end, async (tx) => {
    assert.ok(await holdPayout(tx, payoutId))
    await said(tx, 'payout.hold', payoutId)
  })
  assert.match(message, CHANGED)
})

test('payout retry: others refuse its burn', async () => {
  const { target, orderId } = await payoutIn('rejected')
  const [message] = await runWhile('treasury', { target: `${target}/retry`, body: {} }, (tx) =>
    holdLostBurns(tx, [orderId], { isTaken: true }),
  )
  assert.match(message, CHANGED)
})
