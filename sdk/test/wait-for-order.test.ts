import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CoinWaitTimeoutError } from '../src/index.ts'
import { SYSTEM_TIMERS } from '../src/timers.ts'
import { fakeTimers, hangUp, json, order, type Reply, refusal, startFaulty } from './faulty-server.ts'

const REFERENCE = 'order-2026-0001'

async function start(replies: readonly Reply[]) {
  const faulty = await startFaulty(replies)
  after(() => faulty.close())
  return faulty
}

test('waits with growing pauses until the order is final', async () => {
  const { client, seen, delays } = await start([
    ...Array.from({ length: 12 }, () => json(200, order('processing'))),
    json(200, order('completed')),
  ])
  assert.equal((await client.waitForOrder(REFERENCE)).status, 'completed')
  assert.deepEqual(new Set(seen.map(({ url }) => url)), new Set([`/v1/transactions/${REFERENCE}`]))
  assert.deepEqual(delays.slice(0, 3), [375, 562.5, 843.75])
  assert.equal(delays.at(-1), 7_500)
})

test('until is a status or a test; a final status always ends the wait', async () => {
  const story = [json(200, order('payment_pending')), json(200, order('pending')), json(200, order('failed'))]
  const { client } = await start(story)
  assert.equal((await client.waitForOrder(REFERENCE, { until: ['pending'] })).status, 'pending')
  assert.equal((await client.waitForOrder(REFERENCE, { until: ['completed'] })).status, 'failed')
  const other = await start(story)
  assert.equal(
    (await other.client.waitForOrder(REFERENCE, { until: ({ phase }) => phase === 'PENDING' })).status,
    'pending',
  )
})

test('a key without transaction:read follows an order by its direction', async () => {
  const { client, seen } = await start([json(200, order('completed'))])
  await client.waitForOrder(REFERENCE, { direction: 'REDEEM' })
  assert.equal(seen[0]?.url, `/v1/redeems/${REFERENCE}`)
})

test('reads that fail for the moment are part of the wait; Retry-After is kept', async () => {
  const { client, delays } = await start([
    hangUp,
    refusal(503, 'SERVICE_UNAVAILABLE'),
    refusal(429, 'RATE_LIMITED', { 'retry-after': '42' }),
    json(200, order('completed')),
  ])
  assert.equal((await client.waitForOrder(REFERENCE)).status, 'completed')
  assert.deepEqual(delays, [375, 562.5, 42_000])
})

test('an error that waiting cannot change ends the wait', async () => {
  const { client, seen } = await start([refusal(404, 'NOT_FOUND')])
  await assert.rejects(client.waitForOrder(REFERENCE), { code: 'NOT_FOUND' })
  assert.equal(seen.length, 1)
})

test('looks until its time is up, and not only until the next pause would be too long', async () => {
  for (const timeoutMs of [1_000, 5_000, 60_000]) {
    const { client, delays } = await start(Array.from({ length: 40 }, () => json(200, order('processing'))))
    const end = { name: 'CoinWaitTimeoutError' }
    await assert.rejects(client.waitForOrder(REFERENCE, { timeoutMs }), end)
    const waitedMs = delays.reduce((sum, ms) => sum + ms, 0)
    assert.ok(waitedMs > timeoutMs - 250 && waitedMs < timeoutMs, `${waitedMs} of ${timeoutMs}`)
  }
})

test('a clock that is set in between neither ends the wait nor lengthens it', async () => {
  for (const setMs of [3_600_000, -3_600_000]) {
    const { delays, timers } = fakeTimers()
    const now = () => timers.now() + (delays.length > 3 ? setMs : 0)
    const replies = Array.from({ length: 40 }, () => json(200, order('processing')))
    const faulty = await startFaulty(replies, { timers: { ...timers, now, elapsed: timers.now } })
    after(() => faulty.close())
    await assert.rejects(faulty.client.waitForOrder(REFERENCE, { timeoutMs: 60_000 }), { name: 'CoinWaitTimeoutError' })
    const waitedMs = delays.reduce((sum, ms) => sum + ms, 0)
    assert.ok(waitedMs > 59_750 && waitedMs < 60_000, `${waitedMs}`)
  }
})

test('by the system a wait goes by time that no change of the clock moves', (t) => {
  const elapsed = () => SYSTEM_TIMERS.elapsed?.() ?? SYSTEM_TIMERS.now()
  const before = elapsed()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
  assert.ok(elapsed() - before < 1_800_000)
})

test('a Retry-After beyond the end of the wait ends it', async () => {
  const { client, seen } = await start([refusal(429, 'RATE_LIMITED', { 'retry-after': '42' })])
  await assert.rejects(client.waitForOrder(REFERENCE, { timeoutMs: 42_000 }), { name: 'CoinWaitTimeoutError' })
  assert.equal(seen.length, 1)
})

test('gives up after timeoutMs, with the order as last read', async () => {
  const { client, delays } = await start([json(200, order('processing')), refusal(503, 'SERVICE_UNAVAILABLE')])
  const error: unknown = await client.waitForOrder(REFERENCE, { timeoutMs: 5_000 }).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof CoinWaitTimeoutError)
  assert.deepEqual([error.lastOrder?.status, error.retryable, error.referenceId], ['processing', true, REFERENCE])
  assert.ok(delays.reduce((sum, ms) => sum + ms, 0) < 5_000)
})

test('an aborted wait ends with the reason', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const { client } = await start([
    (response) => {
      controller.abort(reason)
      json(200, order('processing'))(response)
    },
  ])
  await assert.rejects(client.waitForOrder(REFERENCE, { signal: controller.signal }), reason)
})
