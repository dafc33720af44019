// engine: postgres
/** What was approved is compared with what is while no settler can hold an order or a payout: also with what one holds it for at that moment. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { holdAbove } from '../../src/orders/life/hold.sql.ts'
import { holdLostBurns } from '../../src/payouts/lost-burn.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addPayoutOf, heldOrder, type Pairs, startPairs, WAITING } from './approval-pairs.ts'
import { addParty } from './world.ts'

let pairs: Pairs
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

/** Runs what two people have agreed on while a settler's transaction has worked, and is not committed. */
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
  return { end, orderId: row?.order_id ?? assert.fail() }
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

test('payout retry: others refuse its burn', async () => {
  const { target, orderId } = await payoutIn('rejected')
  const [message] = await runWhile('treasury', { target: `${target}/retry`, body: {} }, (tx) =>
    holdLostBurns(tx, [orderId], { isTaken: true }),
  )
  assert.match(message, CHANGED)
})
