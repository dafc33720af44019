/** GET /v1/events: what webhooks carry, read. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { tellAhead } from '../../src/events/ahead.ts'
import { bodyOf } from '../../src/events/event.ts'
import { FEED_START, feedPositionAt, readFeed } from '../../src/events/feed.sql.ts'
import { decodeCursor, encodeCursor } from '../../src/values/cursor.ts'
import { announce } from '../../src/webhooks/queue/announce.sql.ts'
import { assertRefused, startTestApi, type TestApi } from '../support/api.ts'
import { testConnections } from '../support/needs-connections.ts'
import { waitFor } from '../support/wait-for.ts'
import { mintEvent } from '../webhooks/fixture.ts'

let api: TestApi
before(async () => {
  api = await startTestApi()
})
after(() => api.close())

type Page = { events: { id: string; type: string; createdAt: string }[]; nextCursor: string; hasMore: boolean }

async function read(query: Record<string, string | number>, key?: string): Promise<Page> {
  const parameters = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const answer = await api.get(`/v1/events?${new URLSearchParams(parameters)}`, key === undefined ? {} : { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Page
}

/** Nobody is shown what another transaction, open anywhere on the server, may still come before. */
const allVisible = () =>
  waitFor('older transactions to end', async () => {
    const [row] = await api.db.query<{ visible: boolean }>(
      'select coalesce(bool_and(transaction_id < pg_snapshot_xmin(pg_current_snapshot())), true) as visible from events',
    )
    return row?.visible
  })

const idsOf = ({ events }: Page) => events.map(({ id }) => id)

/** A new partner with events, each in a transaction of its own, as if it had happened the given number of days ago. */
async function partnerWith(...events: [status: string, daysAgo: number][]) {
  const integrationId = await api.makeIntegration()
  const made = events.map(([status], n) => mintEvent(integrationId, `order-${n}-of-this-test`, status))
  for (const [n, event] of made.entries()) {
    await announce(api.db, [event])
    const [, daysAgo = 0] = events[n] ?? []
    if (daysAgo === 0) continue
    await api.db.query(
      `update events set created_at = at, happened_at = at from (select now() - $2 * interval '1 day' as at) a where event_id = $1`,
      [event.eventId, daysAgo],
    )
  }
  await allVisible()
  return { integrationId, key: await api.makeKey({ integrationId }), ids: made.map(({ eventId }) => eventId), made }
}

test('oldest first, page by page, the bytes of the webhooks, and nobody else’s', async () => {
  const other = await partnerWith(['completed', 0])
  const { key, ids, made } = await partnerWith(...Array.from({ length: 7 }, (): [string, number] => ['completed', 0]))
  await partnerWith(['completed', 0])
  const seen: string[] = []
  let page = await read({ limit: 3 }, key)
  for (const hasMore of [true, true, false]) {
    assert.equal(page.hasMore, hasMore)
    seen.push(...idsOf(page))
    page = await read({ limit: 3, cursor: page.nextCursor }, key)
  }
  assert.deepEqual(seen, ids)
  assert.deepEqual([page.events, page.hasMore], [[], false])
  const { text } = await api.get('/v1/events', { key })
  assert.ok(text.includes(`[${made.map(bodyOf).join(',')}]`))
  assert.deepEqual(idsOf(await read({}, other.key)), other.ids)
})

test('a full page that is the last one says so, and goes on with what happens then', async () => {
  const { key, integrationId, ids } = await partnerWith(
    ...Array.from({ length: 4 }, (): [string, number] => ['completed', 0]),
  )
  const first = await read({ limit: 2 }, key)
  const last = await read({ limit: 2, cursor: first.nextCursor }, key)
  assert.deepEqual([first.hasMore, last.hasMore, [...idsOf(first), ...idsOf(last)]], [true, false, ids])
  const later = mintEvent(integrationId, 'an-order-after-a-full-page')
  await announce(api.db, [later])
  await allVisible()
  const next = await read({ limit: 1, cursor: last.nextCursor }, key)
  assert.deepEqual([next.hasMore, idsOf(next)], [false, [later.eventId]])
  assert.deepEqual((await read({ types: 'mint.failed', limit: 1 }, key)).hasMore, false)
})

test('without a limit a page has as many as the document says', async () => {
  const count = 51
  const { key, ids } = await partnerWith(...Array.from({ length: count }, (): [string, number] => ['completed', 0]))
  for (const [query, length] of [
    [{}, 50],
    [{ limit: 100 }, count],
  ] as const) {
    const page = await read(query, key)
    assert.deepEqual([idsOf(page), page.hasMore], [ids.slice(0, length), length < count])
  }
})

test('a cursor that has come to the end goes on with what happens then', async () => {
  const { key, integrationId, ids } = await partnerWith(['completed', 0])
  const first = await read({}, key)
  assert.deepEqual(idsOf(first), ids)
  const later = mintEvent(integrationId, 'an-order-after-it')
  await announce(api.db, [later])
  await allVisible()
  const second = await read({ cursor: first.nextCursor }, key)
  assert.deepEqual(idsOf(second), [later.eventId])
  assert.deepEqual(idsOf(await read({ cursor: second.nextCursor }, key)), [])
  assert.deepEqual(idsOf(await read({ cursor: first.nextCursor }, key)), [later.eventId], 'a cursor can be used again')
})

test('a page that ends within the newest transaction of all is not shown again', async () => {
  const { key, integrationId } = await partnerWith()
  const together = ['first', 'second', 'third'].map((name) => mintEvent(integrationId, `the-${name}-of-a-batch`))
  await announce(api.db, together)
  await allVisible()
  const page = await read({ limit: 2 }, key)
  const last = await read({ limit: 2, cursor: page.nextCursor }, key)
  assert.deepEqual([...idsOf(page), ...idsOf(last)].sort(), together.map(({ eventId }) => eventId).sort())
  assert.deepEqual([last.hasMore, idsOf(await read({ cursor: last.nextCursor }, key))], [false, []])
})

test('a cursor of a history that was lost with a restore begins a day back, and goes on from there', async () => {
  const { key, integrationId, ids } = await partnerWith(['completed', 3], ['completed', 0], ['completed', 0])
  const [row] = await api.db.query<{ next: bigint }>(
    'select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as next',
  )
  const lost = encodeCursor('events', integrationId, [(row?.next ?? 0n) + 1_000n, 7n, BigInt(Date.now())])
  const page = await read({ cursor: lost, limit: 1 }, key)
  assert.deepEqual([idsOf(page), page.hasMore], [ids.slice(1, 2), true])
  const rest = await read({ cursor: page.nextCursor }, key)
  assert.deepEqual(idsOf(rest), ids.slice(2))
  assert.deepEqual(idsOf(await read({ cursor: rest.nextCursor }, key)), [])
})

test('a cursor of a lost history of which the numbers were given again since begins where it was, or a day back', async () => {
  const { key, integrationId, ids } = await partnerWith(['completed', 5], ['completed', 3], ['completed', 0])
  const newest = await read({}, key)
  const place = decodeCursor('events', integrationId, newest.nextCursor)
  assert.ok(place)
  const [transactionId, sequence] = place
  const [row] = await api.db.query<{ created: Date }>('select created_at as created from events where event_id = $1', [
    ids[1] ?? null,
  ])
  // Where the lost history had got to, the newest event was the second.
  const marked = (mark: bigint) => encodeCursor('events', integrationId, [transactionId, sequence, mark])
  const lost = await read({ cursor: marked(BigInt(row?.created.getTime() ?? 0)) }, key)
  assert.deepEqual(idsOf(lost), ids.slice(1))
  assert.deepEqual(idsOf(await read({ cursor: lost.nextCursor }, key)), [])
  // The newest event was one that is lost, just now.
  assert.deepEqual(idsOf(await read({ cursor: marked(BigInt(Date.now() + 5)) }, key)), ids.slice(2))
  // There was none.
  assert.deepEqual(idsOf(await read({ cursor: marked(0n) }, key)), ids)
})

test('a position from `since` is of this history, also where nothing at all has happened after what is left out', async () => {
  const { integrationId } = await partnerWith()
  await announce(api.db, [mintEvent(integrationId, 'the-newest-of-all')])
  const { transactionId } = await feedPositionAt(api.db, integrationId, new Date(Date.now() + 86_400_000))
  const [row] = await api.db.query<{ newest: bigint }>(
    'select transaction_id::text::bigint as newest from events where integration_id = $1',
    [integrationId],
  )
  assert.equal(transactionId, row?.newest, 'one ahead of all transactions would be taken for one of a lost history')
})

test('events that a dump has brought from a server with higher numbers are shown to nobody, also not by `since`, and that is said', async () => {
  const { key, ids } = await partnerWith(['completed', 3], ['completed', 2])
  const told = async () => {
    const said: string[] = []
    await tellAhead({ db: api.db, logger: { fatal: (line) => said.push(line), warn: (_, line) => said.push(line) } })
    return said.map((line) => line.split(':')[0])
  }
  assert.deepEqual(await told(), [])
  const ahead = `set transaction_id = (transaction_id::text::bigint + $2)::text::xid8 where event_id = any ($1::text[])`
  const since = new Date(Date.now() - 10 * 86_400_000).toISOString()
  await api.db.query(`update events ${ahead}`, [ids, 1_000_000n])
  try {
    assert.deepEqual([idsOf(await read({}, key)), idsOf(await read({ since }, key))], [[], []])
    assert.match((await told()).join(), /^partners are not shown events that a dump has brought/)
  } finally {
    // Or all that follows would wait for what is ahead.
    await api.db.query(`update events ${ahead}`, [ids, -1_000_000n])
  }
  assert.deepEqual(idsOf(await read({ since }, key)), ids)
  assert.deepEqual(await told(), [])
})

test('types names which events are read, and since from when', async () => {
  const { key, ids } = await partnerWith(
    ['pending', 9],
    ['completed', 8],
    ['failed', 5],
    ['pending', 2],
    ['completed', 1],
  )
  const of = async (query: Record<string, string>) => idsOf(await read(query, key)).map((id) => ids.indexOf(id))
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  assert.deepEqual(await of({ types: 'mint.completed' }), [1, 4])
  assert.deepEqual(await of({ types: 'mint.failed,mint.pending' }), [0, 2, 3])
  assert.deepEqual(await of({ types: 'redeem.completed' }), [])
  assert.deepEqual(await of({ since: daysAgo(6) }), [2, 3, 4])
  assert.deepEqual(await of({ since: daysAgo(1.5) }), [4])
  assert.deepEqual(await of({ since: daysAgo(0) }), [])
  assert.deepEqual(await of({ since: daysAgo(100) }), [0, 1, 2, 3, 4])
  assert.deepEqual(await of({ since: '9999-12-31T23:59:59.9999Z' }), [])
  assert.deepEqual(await of({ since: daysAgo(6), types: 'mint.pending' }), [3])
})

test('since counts by the time that events show, whatever clock the database had', async () => {
  const { key, ids } = await partnerWith(['pending', 3], ['completed', 3], ['failed', 3], ['pending', 3])
  const at = new Date(Date.now() - 86_400_000)
  const shift = async (place: number, storedMinutes: number, shownMs: number) =>
    api.db.query(
      `update events set created_at = $2::timestamptz + $3 * interval '1 minute', happened_at = $2::timestamptz + $4 * interval '1 millisecond'
       where event_id = $1`,
      [ids[place] ?? null, at, storedMinutes, shownMs],
    )
  await shift(0, 0, -1)
  await shift(1, -8, 0)
  // Set back: what follows is stored under earlier times than what was before it.
  await shift(2, 9, 1)
  await shift(3, -9, 2)
  const from = async (since: string) => idsOf(await read({ since }, key)).map((id) => ids.indexOf(id))
  assert.deepEqual(await from(at.toISOString()), [1, 2, 3])
  assert.deepEqual(await from(at.toISOString().replace('Z', '1Z')), [2, 3])
})

test('what was left out by its type is not looked at again', async () => {
  const { key, integrationId } = await partnerWith(['pending', 0])
  const { nextCursor } = await read({ types: 'mint.completed' }, key)
  assert.deepEqual(idsOf(await read({ cursor: nextCursor }, key)), [])
  const later = mintEvent(integrationId, 'an-order-after-it')
  await announce(api.db, [later])
  await allVisible()
  assert.deepEqual(idsOf(await read({ cursor: nextCursor }, key)), [later.eventId])
})

test('a wrong parameter is named, and a key without the scope reads nothing', async () => {
  const { key } = await partnerWith()
  const foreign = (await read({}, (await partnerWith()).key)).nextCursor
  const list = await api.get('/v1/transactions?limit=1')
  const cases: [field: string, query: string][] = [
    ['types', 'types='],
    ['types', 'types=mint.done'],
    ['types', 'types=mint.completed,'],
    ['types', 'types=mint.completed&types=mint.failed'],
    ['since', 'since=yesterday'],
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['cursor', 'cursor=x'],
    ['cursor', `cursor=${foreign}`],
  ]
  for (const [field, query] of cases) {
    assert.deepEqual(assertRefused(await api.get(`/v1/events?${query}`, { key }), 400, 'BAD_REQUEST'), { field }, query)
  }
  assert.equal(list.status, 200)
  const weak = await api.makeKey({ scopes: ['mint:create', 'balance:read'] })
  assertRefused(await api.get('/v1/events', { key: weak }), 403, 'SCOPE_DENIED')
})

test('a cursor of the list of orders is none of events', async () => {
  const customerId = await api.makeCustomer()
  const walletAddress = await api.makeWallet(customerId)
  for (let n = 0; n < 2; n += 1) {
    const body = { referenceId: `two-orders-${n}`, amountMyr: '5', walletAddress, customerId, fiatConfirmed: true }
    assert.equal((await api.post('/v1/mints', body)).status, 201)
  }
  const { nextCursor } = (await api.get('/v1/transactions?limit=1')).body
  assertRefused(await api.get(`/v1/events?cursor=${nextCursor}`), 400, 'BAD_REQUEST')
  const { nextCursor: ofEvents } = await read({ limit: 1 })
  assertRefused(await api.get(`/v1/transactions?cursor=${ofEvents}`), 400, 'BAD_REQUEST')
})

testConnections('an event that is committed late is not missed', async () => {
  const { key, integrationId } = await partnerWith()
  const late = mintEvent(integrationId, 'an-order-committed-late')
  const early = mintEvent(integrationId, 'an-order-committed-early')
  const [appended, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const transaction = api.db.transaction(async (tx) => {
    await announce(tx, [late])
    appended.resolve()
    await commit.promise
  })
  await appended.promise
  await announce(api.db, [early])
  const before = await read({}, key)
  assert.deepEqual(idsOf(before), [], 'what comes after an open transaction waits for it')
  commit.resolve()
  await transaction
  await allVisible()
  assert.deepEqual(idsOf(await read({ cursor: before.nextCursor }, key)), [late.eventId, early.eventId])
})

const literalOf = (value: unknown) => {
  if (value === null) return 'null'
  if (value instanceof Date) return `'${value.toISOString()}'`
  return Array.isArray(value) ? `'{${value}}'` : `'${value}'`
}

/** How many rows the plan for all calls of what is read takes from the events. */
async function eventsReadBy(run: (on: Queryable) => Promise<unknown>): Promise<number> {
  let explained = ''
  await run({
    async query(text, params = []) {
      const values = params.map(literalOf)
      explained += await api.db.transaction(async (tx) => {
        await tx.query('set local plan_cache_mode = force_generic_plan')
        await tx.query(`prepare for_its_plan as ${text}`)
        const plan = await tx.query(`explain (analyze, timing off) execute for_its_plan (${values})`)
        await tx.query('deallocate for_its_plan')
        return plan.map((row) => row['QUERY PLAN']).join('\n')
      })
      return await api.db.query(text, params)
    },
  })
  const scans = explained.matchAll(/ on events_\w+ .*actual rows=([\d.]+) loops=(\d+)/g)
  return [...scans].reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0)
}

test('a page that is full has looked at no more than it shows, with `types` or `since` or without', async () => {
  const { integrationId } = await partnerWith(...Array.from({ length: 30 }, (): [string, number] => ['completed', 0]))
  const whole = { after: FEED_START, types: null, since: null, limit: 5 }
  for (const filter of [{}, { types: ['mint.completed'] as const }, { since: new Date(0) }]) {
    const read = await eventsReadBy((on) => readFeed(on, integrationId, { ...whole, ...filter, mostLookedAt: 20 }))
    assert.ok(read > 5 && read < 12, `${read} of events, ${JSON.stringify(filter)}`)
  }
})

test('whoever asks for a rare type is told in parts, each event once, and reads no more for one page than others', async () => {
  const kinds = Array.from({ length: 11 }, (_, n): [string, number] => [n % 5 === 4 ? 'failed' : 'completed', 0])
  const { integrationId, ids } = await partnerWith(...kinds)
  const wanted = ids.filter((_, n) => n % 5 === 4)
  const pages: [number, boolean][] = []
  const found: string[] = []
  let after: Parameters<typeof readFeed>[2]['after'] = FEED_START
  for (let isEnd = false; !isEnd; ) {
    const reading = { after, types: ['mint.failed'] as const, since: null, limit: 1, mostLookedAt: 3 }
    const page = await readFeed(api.db, integrationId, reading)
    pages.push([page.events.length, page.isEnd])
    found.push(...page.events.map(({ eventId }) => eventId))
    after = page.next
    isEnd = page.isEnd
    assert.ok(pages.length < 9)
  }
  assert.deepEqual(found, wanted)
  assert.deepEqual(pages, [
    [0, false],
    [1, false],
    [0, false],
    [1, true],
  ])
})
