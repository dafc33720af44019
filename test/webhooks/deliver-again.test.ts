// engine: postgres; both in test:long
/** The events of one order, scheduled again: whose, which first, and when. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { createWebhookAdmin } from '../../src/webhooks/admin.ts'
import { deliverAgain } from '../../src/webhooks/queue/deliver-again.sql.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { CHAIN_ID, newReference, startTestApi, type TestApi } from '../support/api.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
let api: TestApi
let referenceId: string
before(async () => {
  db = await createTestDatabase()
  api = await startTestApi({ db })
  const secrets = createSecretBox(new Uint8Array(32))
  const send = () => Promise.reject(new Error('nothing is sent'))
  const admin = createWebhookAdmin({ db, secrets, send, allowLoopback: true })
  const { integrationId } = api
  await admin.add(db, { integrationId, url: 'http://127.0.0.1:9/all' })
  await admin.add(db, { integrationId, url: 'http://127.0.0.1:9/completed', eventTypes: ['mint.completed'] })
  const disabled = await admin.add(db, { integrationId, url: 'http://127.0.0.1:9/disabled' })
  await admin.disable(db, disabled.endpointId, 'a test')
  const customerId = await api.makeCustomer()
  const walletAddress = `0x${'22'.repeat(20)}`
  for (const reference of [newReference(), newReference()]) {
    const body = { referenceId: reference, customerId, walletAddress, amountMyr: '10', fiatConfirmed: true }
    assert.equal((await api.post('/v1/mints', body)).status, 201)
    referenceId = reference
  }
  const orders = await db.query<{ order_id: bigint }>('select order_id from orders order by order_id')
  const [steps, batch] = [createBatchSteps(db), { chainId: CHAIN_ID, batchId: 1n }]
  await steps.submit(
    batch,
    orders.map((row) => row.order_id),
  )
  await steps.mine(batch)
  await steps.finalise(batch, { succeeded: [0, 1] })
})
after(async () => {
  await api.close()
  await db.close()
})

/** What is due, after everything was delivered: path of the endpoint, type, and how long from now. */
async function dueAfter(
  again: Partial<Parameters<typeof deliverAgain>[1]>,
): Promise<{ scheduled: number; due: unknown[] }> {
  await db.query(`update deliveries set status = 'delivered', attempts = 3`)
  const given = { integrationId: api.integrationId, referenceId, gapMs: 0, newestFirst: false, ...again }
  return await db.transaction(async (tx) => {
    const scheduled = await deliverAgain(tx, given)
    const due = await tx.query<{ path: string; type: string; in_ms: number; attempts: number }>(
      `select split_part(w.url, '/', 4) as path, e.type, d.attempts,
         (extract(epoch from d.next_attempt_at - now()) * 1000)::float8 as in_ms
       from deliveries d join events e on e.event_id = d.event_id join webhook_endpoints w on w.endpoint_id = d.endpoint_id
       where d.status = 'due' order by in_ms, path, e.event_seq`,
    )
    return { scheduled, due: due.map((row) => `${row.path} ${row.type} ${row.in_ms} ${row.attempts}`) }
  })
}

test('all of one order at once, to each enabled endpoint that is subscribed', async () => {
  const due = ['all mint.pending 0 0', 'all mint.completed 0 0', 'completed mint.completed 0 0']
  assert.deepEqual(await dueAfter({}), { scheduled: 3, due })
})

test('the newest first, and each older one later', async () => {
  const due = ['all mint.completed 0 0', 'completed mint.completed 0 0', 'all mint.pending 7000 0']
  assert.deepEqual(await dueAfter({ newestFirst: true, gapMs: 7_000 }), { scheduled: 3, due })
})

test('to an endpoint that came later, as of now', async () => {
  await db.transaction(async (tx) => {
    await tx.query('delete from deliveries')
    const again = { integrationId: api.integrationId, referenceId, gapMs: 0, newestFirst: false }
    assert.equal(await deliverAgain(tx, again), 3)
    const rows = await tx.query('select scheduled_from = now() and created_at = now() as is_fresh from deliveries')
    assert.deepEqual(
      rows,
      Array.from({ length: 3 }, () => ({ is_fresh: true })),
    )
  })
})

test('nothing of an order that is somebody else’s, or nobody’s', async () => {
  const nothing = { scheduled: 0, due: [] }
  assert.deepEqual(await dueAfter({ integrationId: await api.makeIntegration() }), nothing)
  assert.deepEqual(await dueAfter({ referenceId: 'no-such-order' }), nothing)
})
