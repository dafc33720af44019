// engine: postgres
/** What the suspension of a partner, or of a customer, has held is let go together; what somebody else has held, too, is not. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { holdAbove, holdOrders, keepHeld } from '../../src/orders/life/hold.sql.ts'
import { findOrder } from '../../src/orders/read/orders.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import { ORDER, type Pairs, startPairs } from './approval-pairs.ts'
import { addOrder, addParty, type Party } from './world.ts'

let pairs: Pairs
let party: Party
before(async () => {
  pairs = await startPairs()
})
after(() => pairs.close())

const compliance = () => pairs.pairOf('compliance')
const onboarding = () => pairs.pairOf('onboarding')

async function held(reason: string): Promise<string> {
  const referenceId = `ref-${randomBytes(6).toString('hex')}`
  const orderId = await addOrder(pairs.db, party, { ...ORDER, direction: 'MINT', state: 'created', referenceId })
  await pairs.db.transaction((tx) => holdOrders(tx, [{ orderId, reason }]))
  return referenceId
}

async function isHeld(referenceId: string): Promise<boolean> {
  const { orderId } = (await findOrder(pairs.db, party.integrationId, referenceId)) ?? assert.fail()
  return (await pairs.db.query('select from order_holds where order_id = $1', [orderId])).length > 0
}

/** Asks, has it approved, and runs it. */
async function byTwo([one, two]: ReturnType<Pairs['pairOf']>, target: string, body: object) {
  const { approvalId } = (await one.call('POST', target, body)).body
  const { approval } = (await two.call('GET', `/approvals/${approvalId}`)).body
  await two.call('POST', `/approvals/${approvalId}/approve`, {})
  return { about: approval.about, run: () => one.call('POST', target, body, { 'x-approval': approvalId }) }
}

it('lets go what the suspension alone has held, once it is over, by the word of two', async () => {
  party = await addParty(pairs.db)
  const target = `/integrations/${party.integrationId}/release-orders`
  const body = { reason: 'cleared' }
  const [first, second, doubted] = [
    await held('integration_suspended'),
    await held('integration_suspended'),
    await held('integration_suspended'),
  ]
  const ofCustomer = await held('customer_suspended')
  const [one] = compliance()
  await one.call('POST', `/orders/${party.integrationId}/${doubted}/hold`, { reason: 'part of the fraud' })
  await one.call('POST', `/integrations/${party.integrationId}/suspend`, {})

  const refused = await one.call('POST', target, body)
  assert.equal(refused.status, 409)
  assert.match(refused.body.error.message, /is suspended: run "coin integration resume \S+" first/)

  await (await byTwo(onboarding(), `/integrations/${party.integrationId}/resume`, {})).run()
  const { about, run } = await byTwo(compliance(), target, body)
  assert.deepEqual([about.orders, about.amount], ['2', '2'])
  const answer = await run()
  assert.deepEqual(
    { ...answer.body },
    { ok: true, integrationId: party.integrationId, released: 2, amount: '2', left: 0 },
  )
  assert.deepEqual(await Promise.all([first, second, doubted, ofCustomer].map(isHeld)), [false, false, true, true])
  for (const referenceId of [first, second]) {
    const { entries } = (await one.call('GET', `/audit?target=${party.integrationId}/${referenceId}`)).body
    assert.equal(entries[0].action, 'order.release')
    assert.equal(entries[0].details.reason, 'cleared')
  }
  const idle = await one.call('POST', target, body)
  assert.equal(idle.status, 409)
  assert.match(idle.body.error.message, /No order .* is held for its suspension alone/)
})

it('leaves what somebody holds, too, while it is letting go', async () => {
  party = await addParty(pairs.db)
  const { integrationId } = party
  const [first, doubted] = [await held('integration_suspended'), await held('integration_suspended')]
  const { orderId } = (await findOrder(pairs.db, integrationId, doubted)) ?? assert.fail()
  const { run } = await byTwo(compliance(), `/integrations/${integrationId}/release-orders`, { reason: 'cleared' })
  const [worked, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = pairs.db.transaction(async (tx) => {
    assert.ok(await keepHeld(tx, orderId))
    await tx.query(
      `with said as (insert into audit_log (actor, origin, action, target, details)
         values ('Siti', 'cli', 'order.hold', $1, '{"reason":"asked by the police"}') returning audit_id)
       insert into audit_unsealed (audit_id) select audit_id from said`,
      [`${integrationId}/${doubted}`],
    )
    worked.resolve()
    await committing.promise
  })
  await Promise.race([worked.promise, holding])
  const running = run()
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await waitFor('the release to wait', async () => (await pairs.db.query(waiting)).length > 0)
  committing.resolve()
  await holding
  assert.deepEqual({ ...(await running).body }, { ok: true, integrationId, released: 1, amount: '1', left: 0 })
  assert.deepEqual(await Promise.all([first, doubted].map(isHeld)), [false, true])
})

/** Two orders are let go; the hold of the second is kept, and not ended yet, while `work` holds that one. @returns whether it is held then */
async function isHeldAfter(work: (order: { orderId: bigint; name: string }) => Promise<unknown>): Promise<boolean> {
  party = await addParty(pairs.db)
  const { integrationId } = party
  await held('integration_suspended')
  const second = await held('integration_suspended')
  const { orderId } = (await findOrder(pairs.db, integrationId, second)) ?? assert.fail()
  const { run } = await byTwo(compliance(), `/integrations/${integrationId}/release-orders`, { reason: 'cleared' })
  const [worked, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const blocking = pairs.db.transaction(async (tx) => {
    await tx.query('lock table audit_log in share mode')
    worked.resolve()
    await committing.promise
  })
  await Promise.race([worked.promise, blocking])
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const areWaiting = async (count: number) => (await pairs.db.query(waiting)).length === count
  const running = run()
  await waitFor('the release of the first to be written', () => areWaiting(1))
  const holding = work({ orderId, name: `${integrationId}/${second}` })
  await waitFor('the hold to wait', () => areWaiting(2))
  committing.resolve()
  await blocking
  assert.equal((await running).body.released, 2)
  await holding
  return await isHeld(second)
}

it('a settler holds one for what it has seen, whoever is just letting it go', async () => {
  const reason = 'the holder has the coin'
  // Two ways may have led there.
  const hold = (orderId: bigint) =>
    pairs.db.transaction((tx) =>
      holdAbove(
        tx,
        [orderId, orderId].map((each) => ({ orderId: each, reason })),
      ),
    )
  assert.ok(await isHeldAfter(({ orderId }) => hold(orderId)))
})

it('so do people', async () => {
  const [one] = compliance()
  const hold = async ({ name }: { name: string }) => {
    const { body } = await one.call('POST', `/orders/${name}/hold`, { reason: 'asked by the police' })
    assert.deepEqual([body.error, body.held], [undefined, 'asked by the police'])
  }
  assert.ok(await isHeldAfter(hold))
})

it('is asked again where another order has come to be held since', async () => {
  party = await addParty(pairs.db)
  await held('integration_suspended')
  const target = `/integrations/${party.integrationId}/release-orders`
  const { run } = await byTwo(compliance(), target, { reason: 'cleared' })
  const late = await held('integration_suspended')
  const answer = await run()
  assert.equal(answer.status, 409)
  assert.ok(await isHeld(late))
})

it('lets go what the suspension of a customer alone has held, once neither the customer nor its partner is suspended', async () => {
  party = await addParty(pairs.db)
  const { customerId, integrationId } = party
  const target = `/customers/${customerId}/release-orders`
  const [first, ofPartner] = [await held('customer_suspended'), await held('integration_suspended')]
  const [one] = compliance()
  await one.call('POST', `/customers/${customerId}/suspend`, {})
  await one.call('POST', `/integrations/${integrationId}/suspend`, {})
  const refused = async (expected: RegExp) => {
    const { status, body } = await one.call('POST', target, { reason: 'cleared' })
    assert.deepEqual([status, expected.test(body.error.message)], [409, true], body.error.message)
  }
  await refused(/is SUSPENDED: run "coin customer set \S+ --status VERIFIED" first/)
  const verified = { status: 'VERIFIED', level: 'TIER_2' }
  await (await byTwo(onboarding(), `/customers/${customerId}/set`, verified)).run()
  await refused(/is suspended: run "coin integration resume \S+" first/)
  await (await byTwo(onboarding(), `/integrations/${integrationId}/resume`, {})).run()
  const { about, run } = await byTwo(compliance(), target, { reason: 'cleared' })
  assert.deepEqual([about.customerStatus, about.orders, about.amount], ['VERIFIED', '1', '1'])
  assert.deepEqual({ ...(await run()).body }, { ok: true, customerId, released: 1, amount: '1', left: 0 })
  assert.deepEqual(await Promise.all([first, ofPartner].map(isHeld)), [false, true])
  const { entries } = (await one.call('GET', `/audit?target=${integrationId}/${first}`)).body
  assert.deepEqual([entries[0].action, entries[0].details.reason], ['order.release', 'cleared'])
  await refused(/No order .* is held for its suspension alone/)
})
