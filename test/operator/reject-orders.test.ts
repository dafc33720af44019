// engine: postgres
/** What is held for one reason is rejected together, by the word of two: after a theft with a partner's key, each order took two commands. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, beforeEach, it } from 'node:test'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { findOrder } from '../../src/orders/read/orders.sql.ts'
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { haveChain, ORDER, type Pairs, startPairs } from './approval-pairs.ts'
import { addOrder, addParty, type Party } from './world.ts'

let pairs: Pairs
let party: Party
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())
beforeEach(async () => {
  party = await addParty(pairs.db)
  await haveChain(pairs.db)
  await writeHold(pairs.db, ORDER.chainId, { reason: 'gas-low', details: null, blocked: [] })
})

const THEFT = 'the key of Acme was stolen'
const compliance = () => pairs.pairOf('compliance')
const target = () => `/integrations/${party.integrationId}/reject-orders`

async function waiting(state: 'created' | 'submitted' = 'created'): Promise<string> {
  const referenceId = `ref-${randomBytes(6).toString('hex')}`
  await addOrder(pairs.db, party, { ...ORDER, direction: 'MINT', state, referenceId })
  return referenceId
}

async function orderOf(referenceId: string) {
  return (await findOrder(pairs.db, party.integrationId, referenceId)) ?? assert.fail()
}

async function heldByRule(reason: string): Promise<string> {
  const referenceId = await waiting()
  const { orderId } = await orderOf(referenceId)
  await pairs.db.transaction((tx) => holdOrders(tx, [{ orderId, reason }]))
  return referenceId
}

async function hold(referenceId: string, reason: string): Promise<string> {
  const { status } = await compliance()[0].call('POST', `/orders/${party.integrationId}/${referenceId}/hold`, {
    reason,
  })
  assert.equal(status, 200)
  return referenceId
}

/** Asks, has it approved, and gives what was shown and how to run it. */
async function byTwo(held: string) {
  const [one, two] = compliance()
  const body = { held, reason: 'stolen' }
  const asked = (await one.call('POST', target(), body)).body
  assert.ok(asked.approvalId, JSON.stringify(asked))
  const { approval } = (await two.call('GET', `/approvals/${asked.approvalId}`)).body
  await two.call('POST', `/approvals/${asked.approvalId}/approve`, {})
  return { about: approval.about, run: () => one.call('POST', target(), body, { 'x-approval': asked.approvalId }) }
}

const statuses = (references: readonly string[]) =>
  Promise.all(references.map(async (each) => (await orderOf(each)).status))

it('rejects what people hold for one reason, each with its event and its line in the audit log, and nothing else', async () => {
  const stolen = [await hold(await waiting(), THEFT), await hold(await heldByRule('integration_suspended'), THEFT)]
  const kept = [
    await waiting(),
    await heldByRule('integration_suspended'),
    await hold(await waiting(), 'asked by the police'),
    await hold(await hold(await waiting(), THEFT), 'asked by the police'),
  ]
  const { about, run } = await byTwo(THEFT)
  assert.deepEqual([about.heldFor, about.orders, about.amount], [THEFT, '2', '2'])
  assert.match(about.besides, /^1 more/)
  for (const each of stolen) assert.ok(about.which.includes(each), about.which)
  const { body } = await run()
  const { integrationId } = party
  assert.deepEqual({ ...body }, { ok: true, integrationId, rejected: 2, amount: '2', left: 0, besides: 1 })
  assert.deepEqual(await statuses(stolen), ['failed', 'failed'])
  assert.deepEqual(new Set(await statuses(kept)), new Set(['pending']))
  for (const referenceId of stolen) {
    const { failureReason } = await orderOf(referenceId)
    assert.equal(failureReason, 'rejected')
    assert.equal(
      (
        await pairs.db.query('select from events where integration_id = $1 and reference_id = $2', [
          integrationId,
          referenceId,
        ])
      ).length,
      1,
    )
    const { entries } = (await compliance()[0].call('GET', `/audit?target=${integrationId}/${referenceId}`)).body
    assert.deepEqual([entries[0].action, entries[0].details.reason], ['order.reject', 'stolen'])
  }
  assert.equal((await run()).status, 409, 'an approval is used once')
  const idle = await compliance()[0].call('POST', target(), { held: THEFT, reason: 'stolen' })
  assert.equal(idle.status, 409)
  assert.match(idle.body.error.message, /No order of int_\S+ is held for “the key of Acme was stolen” alone/)
  assert.match(idle.body.error.message, /held for: .*“integration_suspended” \(1\)/)
})

it('takes what waits of a suspended partner also where settlement stands, and no settler has come to hold it', async () => {
  const both = [await heldByRule('integration_suspended'), await waiting()]
  const signed = await waiting('submitted')
  await compliance()[0].call('POST', `/integrations/${party.integrationId}/suspend`, {})
  const { about, run } = await byTwo('integration_suspended')
  assert.deepEqual([about.orders, about.amount], ['2', '2'])
  const { body } = await run()
  assert.deepEqual([body.rejected, body.left], [2, 0])
  assert.deepEqual(await statuses(both), ['failed', 'failed'])
  assert.notEqual((await orderOf(signed)).status, 'failed')
})

it('rejects none where another one has come to be held since, or one was let go: two people have seen others', async () => {
  const first = await hold(await waiting(), THEFT)
  const early = await byTwo(THEFT)
  const second = await hold(await waiting(), THEFT)
  assert.equal((await early.run()).status, 409)
  const late = await byTwo(THEFT)
  assert.equal(late.about.orders, '2')
  await pairs.db.query('delete from order_holds where order_id = $1', [(await orderOf(second)).orderId])
  assert.equal((await late.run()).status, 409)
  assert.deepEqual(await statuses([first, second]), ['pending', 'pending'])
})

it('rejects none where another one of the same amount has taken the place of what two people have seen', async () => {
  const seen = await hold(await waiting(), THEFT)
  const { run } = await byTwo(THEFT)
  await pairs.db.query('delete from order_holds where order_id = $1', [(await orderOf(seen)).orderId])
  const other = await hold(await waiting(), THEFT)
  assert.equal((await run()).status, 409)
  assert.deepEqual(await statuses([seen, other]), ['pending', 'pending'])
})

it('says why none can be rejected while the chain was not read, and then nothing waits for approval', async () => {
  await hold(await waiting(), THEFT)
  await writeHold(pairs.db, ORDER.chainId, { reason: 'chain-behind', details: null, blocked: [] })
  const refused = await compliance()[0].call('POST', target(), { held: THEFT, reason: 'stolen' })
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /None can be rejected now\. int_\S+: It may be settled already/)
})

it('rejects the oldest 500, and says how many are left', async () => {
  for (let count = 0; count < 502; count += 1) await heldByRule('integration_suspended')
  const { about, run } = await byTwo('integration_suspended')
  assert.match(about.which, / and 477 more$/)
  const { body } = await run()
  assert.deepEqual([body.rejected, body.left], [500, 2])
})
