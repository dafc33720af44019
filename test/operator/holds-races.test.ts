// engine: postgres
/** What an order is held for is compared with what somebody means while nobody else can hold it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdAbove, lockHeld, releaseOrder } from '../../src/orders/life/hold.sql.ts'
import { holdPayout } from '../../src/payouts/payouts.sql.ts'
import { waitFor } from '../support/wait-for.ts'
import type { OperatorFixture } from './fixture.ts'
import { CHAIN, startOnOneChain } from './one-chain.ts'
import { addOrder, addPayout, type Party } from './world.ts'

let api: OperatorFixture
let party: Party

before(async () => {
  ;({ api, party } = await startOnOneChain())
})
after(() => api.close())

async function heldOrder(referenceId: string) {
  const order = { chainId: CHAIN, direction: 'MINT', state: 'created', amountMicro: 7_000_000n } as const
  const orderId = await addOrder(api.db, party, { ...order, referenceId })
  const name = `${party.integrationId}/${referenceId}`
  await api.run('order', 'hold', name, '--reason', 'a look at the name')
  return { orderId, name }
}

/** Runs `then` while a settler's transaction has held the order for something else, and is not committed. */
async function whileHeldAbove<T>(orderId: bigint, then: () => Promise<T>): Promise<T> {
  const [worked, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ended = api.db.transaction(async (tx) => {
    await holdAbove(tx, [{ orderId, reason: 'the holder has the coin' }])
    worked.resolve()
    await committing.promise
  })
  await Promise.race([worked.promise, ended])
  const answer = then()
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await waitFor('the command to wait', async () => (await api.db.query(waiting)).length > 0)
  committing.resolve()
  await ended
  return await answer
}

for (const verb of ['release', 'reject'])
  test(`what a settler holds an order for just then is not ended by who has seen the reason before: ${verb}`, async () => {
    const { orderId, name } = await heldOrder(`held-above-${verb}`)
    const { asSeen } = (await api.call('GET', `/orders/${name}`)).body
    const late = await whileHeldAbove(orderId, () =>
      api.call('POST', `/orders/${name}/${verb}`, { reason: 'fine' }, { 'x-seen': encodeURIComponent(asSeen) }),
    )
    assert.match(late.body.error?.message, /is no longer what you have seen/)
    assert.equal((await api.run('order', 'show', name)).held, 'the holder has the coin')
  })

test('nor by who names that reason alone', async () => {
  const { orderId, name } = await heldOrder('held-above-named')
  const late = await whileHeldAbove(orderId, () =>
    api.cli(['order', 'release', name, '--held', 'the name', '--reason', 'fine']),
  )
  assert.match(late.stderr, /You have not named all that \S+ is held for\. It is held for “the holder has the coin”;/)
  const { holds } = await api.run('order', 'show', name)
  assert.deepEqual(
    holds.map(({ reason }: { reason: string }) => reason),
    ['the holder has the coin', 'a look at the name'],
  )
})

for (const [when, isFirst] of [
  ['is about to be', false],
  ['was just', true],
] as const)
  test(`who holds an order that ${when} let go holds it, and is not told that it was held already, or signed`, async () => {
    const { orderId, name } = await heldOrder(`held-while-let-go-${isFirst}`)
    const [locked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const releasing = api.db.transaction(async (tx) => {
      await lockHeld(tx, [orderId])
      if (isFirst) await releaseOrder(tx, orderId)
      locked.resolve()
      await go.promise
      if (!isFirst) await releaseOrder(tx, orderId)
    })
    await Promise.race([locked.promise, releasing])
    const holding = api.call('POST', `/orders/${name}/hold`, { reason: 'asked by the police' })
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await waitFor('the hold to wait', async () => (await api.db.query(waiting)).length > 0)
    go.resolve()
    await releasing
    const { status, body } = await holding
    assert.deepEqual([status, body.held, body.note], [200, 'asked by the police', undefined])
    assert.equal((await api.run('order', 'show', name)).held, 'asked by the police')
  })

test('a second hold of a payout counts, whoever began first', async () => {
  const order = { chainId: CHAIN, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(api.db, party, order)
  const payoutId = await addPayout(api.db, { orderId, customerId: party.customerId, status: 'queued' })
  const [began, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const second = api.db.transaction(async (tx) => {
    await tx.query('select now()')
    began.resolve()
    await held.promise
    assert.ok(await holdPayout(tx, payoutId))
    await tx.query(
      `with said as (insert into audit_log (actor, origin, action, target, details)
         values ('Siti', 'cli', 'payout.hold', $1, '{"reason":"asked by the police"}') returning audit_id)
       insert into audit_unsealed (audit_id) select audit_id from said`,
      [payoutId],
    )
  })
  await Promise.race([began.promise, second])
  await api.run('payout', 'hold', payoutId, '--reason', 'a look at the name')
  held.resolve()
  await second
  const { payout } = await api.run('payout', 'show', payoutId)
  assert.deepEqual(
    payout.holds.map(({ reason }: { reason: string }) => reason),
    ['a look at the name', 'asked by the police'],
  )
  const late = await api.cli(['payout', 'release', payoutId, '--held', 'the name', '--reason', 'fine'])
  assert.match(late.stderr, /You have not named all that \S+ is held for/)
})
