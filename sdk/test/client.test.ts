import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { inspect } from 'node:util'
import { createClient } from '../src/index.ts'
import { API_KEY, hangUp, json, refusal, startFaulty } from './faulty-server.ts'

const SECRET = API_KEY.split('_')[3] ?? ''

test('the key goes to the API and nowhere else', async () => {
  const { client, seen, close } = await startFaulty(
    [json(200, { ok: true }), json(200, { ok: true }), hangUp, refusal(401, 'UNAUTHORIZED')],
    {
      maxRetries: 0,
    },
  )
  after(close)
  await client.config()
  await client.health()
  assert.equal(seen[0]?.headers.authorization, `Bearer ${API_KEY}`)
  assert.equal(seen[1]?.headers.authorization, undefined)
  const errors = [await client.config().catch((error) => error), await client.config().catch((error) => error)]
  for (const thing of [client, ...errors]) {
    const shown = inspect(thing, { depth: 20, showHidden: true }) + JSON.stringify(thing) + String(thing?.stack)
    assert.ok(!shown.includes(SECRET))
  }
})

test('no answer is taken from a cache, on the way or in the runtime', async () => {
  const statuses = ['processing', 'completed', 'completed']
  const replies = statuses.map((status) => json(200, { ok: true, referenceId: 'order-2026-0001', status }))
  // As the `fetch` of some frameworks on servers, which keeps what it was not told to ask for.
  const kept = new Map<string, Promise<Response>>()
  const keeping = (async (url: string, init: RequestInit) => {
    if (init.cache === 'no-store') return await fetch(url, init)
    const first = kept.get(url) ?? fetch(url, init)
    kept.set(url, first)
    return (await first).clone()
  }) as typeof fetch
  const { client, seen, close } = await startFaulty(replies, { fetch: keeping })
  after(close)
  assert.equal((await client.waitForOrder('order-2026-0001', { timeoutMs: 10_000 })).status, 'completed')
  assert.equal(seen[0]?.headers['cache-control'], 'no-cache', 'who keeps it asks first whether it is so')
})

test('a runtime that knows no caches is told of none: some refuse to be', async () => {
  const { cache } = Object.getOwnPropertyDescriptors(Request.prototype)
  const { client, close } = await startFaulty([json(200, { ok: true })], {
    fetch: async (url, init) => {
      assert.ok(init !== undefined && !('cache' in init))
      return await fetch(url, init)
    },
  })
  const known = globalThis.Request
  after(() => {
    close()
    Object.defineProperty(known.prototype, 'cache', cache)
    globalThis.Request = known
  })
  Reflect.deleteProperty(known.prototype, 'cache')
  await client.health({ maxRetries: 0 })
  // As in jsdom, to which tests give a `fetch` of their own.
  Reflect.deleteProperty(globalThis, 'Request')
  await client.health({ maxRetries: 0 })
})

test('paths are encoded; an identifier cannot become another path', async () => {
  const { client, seen, close } = await startFaulty([json(200, { ok: true, transactions: [], nextCursor: null })])
  after(close)
  await client.customers.get('a/b?c#d %')
  await client.balances.get('0xabc', { chainId: 31337 })
  await client.transactions.list({
    status: 'completed',
    createdAfter: '2026-01-01T00:00:00+08:00',
    limit: 5,
    cursor: undefined,
  })
  await client.events.list({ types: ['mint.completed', 'mint.failed'], cursor: 'a+b', limit: 5 })
  assert.deepEqual(
    seen.map(({ url }) => url),
    [
      '/v1/customers/a%2Fb%3Fc%23d%20%25',
      '/v1/balances/0xabc?chainId=31337',
      '/v1/transactions?status=completed&createdAfter=2026-01-01T00%3A00%3A00%2B08%3A00&limit=5',
      '/v1/events?cursor=a%2Bb&limit=5&types=mint.completed%2Cmint.failed',
    ],
  )
})

test('an argument that can never be right is a rejection, and nothing is sent', async () => {
  const { client, seen, close } = await startFaulty([json(200, { ok: true })])
  after(close)
  const calls: ((id: string) => Promise<unknown>)[] = [
    (id) => client.mints.get(id),
    (id) => client.mints.cancel(id),
    (id) => client.redeems.get(id),
    (id) => client.transfers.get(id),
    (id) => client.transactions.get(id),
    (id) => client.balances.get(id),
    (id) => client.customers.get(id),
    (id) => client.corporates.get(id),
    (id) => client.waitForOrder(id),
    () => client.events.list({ types: [] }),
  ]
  for (const call of calls) {
    for (const id of ['', '.', '..', 'half a \ud83d', undefined as unknown as string]) {
      // Given the promise and not the call: what is thrown instead of it fails the test.
      await assert.rejects(call(id), TypeError)
    }
  }
  assert.deepEqual(seen, [])
})

test('options that cannot be right are refused at once, without showing the key', () => {
  const good = { baseUrl: 'https://api.example', apiKey: API_KEY }
  for (const baseUrl of [
    'https://api.example/',
    'https://api.example/v1',
    'https://api.example/v1/',
    'http://127.0.0.1:4000',
    'http://localhost:4000/v1',
  ]) {
    createClient({ ...good, baseUrl })
  }
  createClient({ ...good, baseUrl: 'http://api.internal', allowHttp: true })
  const bad = [
    ...[
      '',
      'api.example',
      'ftp://api.example',
      'http://api.example',
      'https://u:p@api.example',
      'https://api.example/?x=1',
    ].map((baseUrl) => ({ ...good, baseUrl })),
    ...['', `${API_KEY}\n`, ` ${API_KEY}`, API_KEY.slice(0, -1), 'Bearer x'].map((apiKey) => ({ ...good, apiKey })),
    ...[-1, 1.5, 21, Number.NaN].map((maxRetries) => ({ ...good, maxRetries })),
    ...[0, -1, 600_001].map((timeoutMs) => ({ ...good, timeoutMs })),
  ]
  for (const options of bad) {
    assert.throws(
      () => createClient(options),
      (error) => error instanceof TypeError && !error.message.includes(SECRET.slice(0, 20)),
      JSON.stringify(options),
    )
  }
})

test('an idempotency key that the API would refuse is refused before it is sent', async () => {
  const { client, seen, close } = await startFaulty([json(200, { ok: true })])
  after(close)
  for (const idempotencyKey of ['', ' x', 'ключ', 'a\nb', 'x'.repeat(256)]) {
    await assert.rejects(client.mints.cancel('order-2026-0001', { idempotencyKey }), TypeError)
  }
  await client.mints.cancel('order-2026-0001', { idempotencyKey: 'x'.repeat(255) })
  assert.equal(seen.length, 1)
})

test('a walk that broke off goes on from the cursor of its last page, and asks for the largest pages', async () => {
  const page = (referenceId: string, nextCursor: string | null) =>
    json(200, { ok: true, transactions: [{ referenceId }], nextCursor })
  const { client, seen, close } = await startFaulty([
    page('order-0001', 'a'),
    refusal(401, 'UNAUTHORIZED'),
    page('order-0002', 'b'),
    page('order-0003', null),
    page('order-0004', null),
  ])
  after(close)
  let cursor: string | undefined
  const read: string[] = []
  const walk = async () => {
    for await (const { transactions, nextCursor } of client.transactions.pages({ status: 'failed', cursor })) {
      read.push(...transactions.map(({ referenceId }) => referenceId))
      cursor = nextCursor ?? undefined
    }
  }
  await assert.rejects(walk(), { code: 'UNAUTHORIZED' })
  await walk()
  for await (const { referenceId } of client.transactions.all({ limit: 7 })) read.push(referenceId)
  assert.deepEqual(read, ['order-0001', 'order-0002', 'order-0003', 'order-0004'])
  assert.deepEqual(
    seen.map(({ url }) => url.replace('/v1/transactions?', '')),
    [
      'status=failed&limit=100',
      'status=failed&cursor=a&limit=100',
      'status=failed&cursor=a&limit=100',
      'status=failed&cursor=b&limit=100',
      'limit=7',
    ],
  )
})

test('a list that leads in a circle ends', async () => {
  const { client, close } = await startFaulty([json(200, { ok: true, transactions: [{}], nextCursor: 'again' })])
  after(close)
  await assert.rejects(async () => {
    for await (const _order of client.transactions.all());
  }, /same page/)
})

test('events that lead in a circle end, and the next page is asked for when the one before was dealt with', async () => {
  const page = (nextCursor: string, hasMore: boolean) => json(200, { ok: true, events: [], nextCursor, hasMore })
  const { client, seen, close } = await startFaulty([page('a', true), page('b', true), page('b', true)])
  after(close)
  const cursors: string[] = []
  await assert.rejects(async () => {
    for await (const { nextCursor } of client.events.pages({ since: '2026-01-01' })) {
      cursors.push(nextCursor)
      assert.equal(seen.length, cursors.length)
    }
  }, /same page/)
  assert.deepEqual(cursors, ['a', 'b', 'b'])
  assert.deepEqual(
    seen.map(({ url }) => url),
    ['since=2026-01-01&limit=100', 'since=2026-01-01&limit=100&cursor=a', 'since=2026-01-01&limit=100&cursor=b'].map(
      (query) => `/v1/events?${query}`,
    ),
  )
})
