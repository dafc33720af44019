// engine: postgres; both in test:long
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import Stripe from 'stripe'
import { createIntegration } from '../../src/integrations/integrations.sql.ts'
import { WebhookError } from '../../src/webhooks/errors.ts'
import { followEvents } from '../../src/webhooks/listen.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { startOperator, TOKEN } from '../operator/fixture.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { startGuarded } from '../support/guarded-process.ts'
import { testConnections } from '../support/needs-connections.ts'
import { freePort } from '../support/ports.ts'
import { waitFor } from '../support/wait-for.ts'
import { mintEvent, startFixture } from './fixture.ts'
import { startReceiver } from './http-receiver.ts'

const CLI = path.join(import.meta.dirname, '../../src/operator/cli.ts')
const stripe = new Stripe('sk_test_unused')
/** What an event calls its `createdAt`, a while before it is stored. */
const HAPPENED_AT = new Date(Date.now() - 60_000)
const never = new AbortController().signal

test('follows events from now on, each exactly once, through any chain of cursors', async () => {
  const { db, integrationId, append } = await startFixture()
  const other = await createIntegration(db, { name: 'Other' })
  const before = await append(3)
  let { events, next } = await followEvents(db, { integrationId, signal: never })
  assert.deepEqual(events, [])

  const seen: string[] = []
  const appended: string[] = []
  const writing = (async () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const batches = await Promise.all([append(2), append(1), append(3)])
      appended.push(...batches.flat())
      await announce(db, [mintEvent(other.integrationId, 'order-of-another')])
    }
  })()
  await waitFor('all events', async () => {
    ;({ events, next } = await followEvents(db, { integrationId, after: next, signal: never, waitMs: 0 }))
    // While any transaction on the server is older than an event, nobody can tell yet that the event was before.
    seen.push(...events.map(({ eventId }) => eventId).filter((eventId) => !before.includes(eventId)))
    return seen.length >= 120
  })
  await writing
  assert.deepEqual(seen.toSorted(), appended.toSorted())
  assert.deepEqual((await followEvents(db, { integrationId, after: next, signal: never, waitMs: 0 })).events, [])
})

test('waits until something happens, or until it is told to stop', async () => {
  const { db, integrationId, append } = await startFixture()
  const { next } = await followEvents(db, { integrationId, signal: never })
  const waiting = followEvents(db, { integrationId, after: next, signal: never })
  const [eventId] = await append(1)
  const answer = await waiting
  assert.deepEqual(
    answer.events.map((event) => event.eventId),
    [eventId],
  )
  assert.equal(JSON.parse(answer.events[0]?.payload ?? '').id, eventId)
  const stop = new AbortController()
  const stopped = followEvents(db, { integrationId, after: answer.next, signal: stop.signal, waitMs: 60_000 })
  stop.abort()
  assert.deepEqual((await stopped).events, [])
})

test('refuses unknown integrations and foreign cursors', async () => {
  const { db, integrationId } = await startFixture()
  const refused = (code: string) => (error: unknown) => error instanceof WebhookError && error.code === code
  await assert.rejects(followEvents(db, { integrationId: 'int_none', signal: never }), refused('NOT_FOUND'))
  for (const cursor of ['', '1', '-1-2', '1-2', '1-2-3-4', '1-x', '9'.repeat(30)]) {
    await assert.rejects(
      followEvents(db, { integrationId, after: cursor, signal: never }),
      refused('BAD_REQUEST'),
      cursor,
    )
  }
})

testConnections('an event whose transaction commits late is not missed', async () => {
  const { db, integrationId, append } = await startFixture()
  let { next } = await followEvents(db, { integrationId, signal: never })
  const late = mintEvent(integrationId, 'order-committed-late')
  const appended = Promise.withResolvers<void>()
  const commit = Promise.withResolvers<void>()
  const transaction = db.transaction(async (tx) => {
    await announce(tx, [late])
    appended.resolve()
    await commit.promise
  })
  await appended.promise
  const [early] = await append(1)
  const seen: string[] = []
  const look = async () => {
    const answer = await followEvents(db, { integrationId, after: next, signal: never, waitMs: 0 })
    next = answer.next
    seen.push(...answer.events.map(({ eventId }) => eventId))
    return seen.length
  }
  await look()
  commit.resolve()
  await transaction
  await waitFor('both events', async () => (await look()) >= 2)
  assert.deepEqual(seen.toSorted(), [early, late.eventId].toSorted())
})

async function startListening(args: string[]) {
  const operator = await startOperator()
  const { integrationId } = await createIntegration(operator.db, { name: 'Acme' })
  const env = { ...childEnvironment(), OPERATOR_URL: operator.url, OPERATOR_TOKEN: TOKEN }
  const command = ['webhook', 'listen', '--integration', integrationId, ...args]
  const listener = await startGuarded(process.execPath, [CLI, ...command], { env })
  after(async () => {
    await listener.end('SIGKILL')
    await operator.close()
  })
  await waitFor('the listener', () => /whsec_|Listening|"listening"/.test(listener.output()))
  const append = (...references: string[]) =>
    announce(
      operator.db,
      references.map((reference) => ({ ...mintEvent(integrationId, reference), happenedAt: HAPPENED_AT })),
    )
  return { operator, integrationId, listener, append }
}

test('webhook listen forwards events, signed with the secret of the session, and shows the answer', async () => {
  let status = 200
  const own = await startReceiver((response) => response.writeHead(status).end('thanks\u001B[2J'))
  after(() => own.close())
  const { listener, append, integrationId } = await startListening(['--forward-to', own.url, '--json'])
  const lines = () =>
    listener
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const [{ secret, ...first }] = lines()
  assert.deepEqual(first, { listening: integrationId, forwardTo: own.url })

  await append('order-0001')
  await waitFor('the first', () => lines().length === 2)
  status = 500
  await append('order-0002')
  await waitFor('the second', () => lines().length === 3)
  const [, acknowledged, refused] = lines()
  assert.equal(acknowledged.event.data.referenceId, 'order-0001')
  assert.deepEqual(
    { ...acknowledged.forwarded, durationMs: 0 },
    { status: 200, error: null, durationMs: 0, answer: 'thanks?[2J' },
  )
  assert.deepEqual([refused.event.data.referenceId, refused.forwarded.error], ['order-0002', 'http_500'])
  for (const { body, headers } of own.received) {
    stripe.webhooks.constructEvent(body, headers['x-coin-signature'] as string, secret, 300)
  }
  assert.equal(own.received.length, 2)
})

test('webhook listen prints text for people too, continues when nobody answers, and says what is wrong', async () => {
  const { listener, append, operator, integrationId } = await startListening([
    '--forward-to',
    `http://127.0.0.1:${await freePort()}/`,
  ])
  await append('order-0001')
  await waitFor('the event', () => /→/.test(listener.output()))
  assert.match(listener.output(), /^The secret of this session, for your receiver: whsec_\S{44}$/m)
  assert.match(
    listener.output(),
    /mint\.completed {2}order-0001 {2}100\.5 {2}evt_[0-9a-f]{32}\n {2}→ connection_failed: ECONNREFUSED \(/,
  )
  assert.ok(listener.output().includes(`${HAPPENED_AT.toISOString()}  mint.completed`), listener.output())

  const wrong = await operator.cli(['webhook', 'listen', '--integration', 'int_none'])
  assert.deepEqual([wrong.code, wrong.stderr], [1, 'There is no integration int_none.\n'])
  const noUrl = await operator.cli([
    'webhook',
    'listen',
    '--integration',
    integrationId,
    '--forward-to',
    'localhost:3000',
  ])
  assert.equal(noUrl.code, 1)
  assert.match(noUrl.stderr, /Give --forward-to an http or https URL/)
})

test('a cursor is taken however many transactions the database has seen', async () => {
  const operator = await startOperator()
  after(() => operator.close())
  const { integrationId } = await createIntegration(operator.db, { name: 'Acme' })
  await announce(operator.db, [mintEvent(integrationId, 'order-0001')])
  // Of a history of its own, so that it is looked back from.
  const cursor = `${'9'.repeat(18)}-${2n ** 63n - 1n}-${Date.now()}`
  const query = new URLSearchParams({ integrationId, after: cursor })
  const { body } = await operator.call('GET', `/webhooks/events?${query}`)
  assert.equal(body.events?.length, 1, JSON.stringify(body))
})

test('rotate --activate lets the next secret sign', async () => {
  const operator = await startOperator()
  after(() => operator.close())
  const { integrationId } = await createIntegration(operator.db, { name: 'Acme' })
  const { endpointId } = await operator.run(
    'webhook',
    'add',
    '--integration',
    integrationId,
    '--url',
    'http://127.0.0.1:1/',
  )
  assert.match((await operator.run('webhook', 'rotate', endpointId)).secret, /^whsec_/)
  assert.equal((await operator.run('webhook', 'rotate', endpointId, '--activate')).endpoint.rotating, false)
})
