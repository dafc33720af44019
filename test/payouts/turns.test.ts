/** Integrations take turns at a rail: a backlog of one neither keeps the others waiting nor makes claims dearer. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import type { ClaimOptions } from '../../src/payouts/claims.sql.ts'
import { findFromBefore } from '../../src/payouts/from-before.sql.ts'
import { clearFromBefore } from '../../src/payouts/from-before.ts'
import { silent } from '../settlement/fixture.ts'
import { claimPayouts, roomFor } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

const INTEGRATIONS = ['int_a', 'int_b', 'int_c'] as const

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await db.query(`insert into integrations (integration_id, name) select unnest($1::text[]), 'Test'`, [
    [...INTEGRATIONS],
  ])
  await db.query(
    `insert into customers (customer_id, integration_id, account_type, verification_status, verified_at, verification_level, country_code,
       is_resident, monthly_cap_micro)
     select 'cus_' || i, i, 'RETAIL', 'VERIFIED', now(), 'x', 'MY', true, 1 from unnest($1::text[]) i`,
    [[...INTEGRATIONS]],
  )
})
beforeEach(async () => {
  await withoutGuards(db, async (tx) => {
    for (const table of ['payouts', 'orders']) await tx.query(`delete from ${table}`)
  })
  await db.query('vacuum analyze payouts')
})
after(() => db.close())

let rounds = 0

/** Payouts that have waited for so many minutes, each a second less than the one before. */
async function queue(integrationId: string, count: number, minutes: number, timesAsked = 0): Promise<void> {
  rounds += 1
  await withoutGuards(db, (tx) =>
    tx.query(
      `with burnt as (
         insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address, debit_address,
           customer_id, key_id, amount_micro, batch_id, batch_index, tx_hash, block_number)
         select $1, 'reference-' || $5::int || '-' || n, 'REDEEM', 'processing', 1, 'Test', '0x1', '0x' || repeat('2', 40), '0x' || repeat('3', 40),
           'cus_' || $1, 'key', 10000, 1, 1, sha256('1'), 1 from generate_series(1, $2::int) n returning *)
       insert into payouts (payout_id, order_id, integration_id, customer_id, amount_sen, status, end_to_end_id, burn, next_attempt_at, times_asked)
       select 'po_' || order_id, order_id, integration_id, customer_id, 1, 'queued', 'E' || order_id, '1/1/' || order_id,
         now() - $3::int * interval '1 minute' + order_id * interval '1 millisecond', $4::int from burnt`,
      [integrationId, count, minutes, timesAsked, rounds],
    ),
  )
}

const CLAIM = { rail: 'test', limit: 10, claimMs: 60_000 }

/** How many of each integration are claimed. */
async function claim(options: Partial<ClaimOptions> = {}): Promise<Record<string, number>> {
  const claimed = await claimPayouts(db, { ...CLAIM, ...options })
  const ofEach = Map.groupBy(claimed, ({ integrationId }) => integrationId)
  return Object.fromEntries([...ofEach].map(([id, own]) => [id, own.length]).toSorted())
}

test('whose payouts have waited for less is not asked for after all of another integration', async () => {
  await queue('int_a', 300, 60)
  await queue('int_b', 7, 1)
  await queue('int_c', 1, 1)
  assert.deepEqual(await claim(), { int_a: 5, int_b: 4, int_c: 1 })
  assert.deepEqual(await claim(), { int_a: 7, int_b: 3 })
  assert.deepEqual(await claim(), { int_a: 10 })
})

test('of each integration the oldest come first, and what it has under way counts as its turns', async () => {
  await queue('int_a', 5, 60)
  await queue('int_a', 5, 90)
  await queue('int_b', 5, 1)
  const [first] = await claimPayouts(db, { ...CLAIM, limit: 1 })
  const [oldest] = await db.query<{ id: string }>(
    'select payout_id as id from payouts order by next_attempt_at limit 1',
  )
  assert.equal(first?.payoutId, oldest?.id)
  assert.deepEqual(await claim({ limit: 4, open: new Map([['int_a', 100]]) }), { int_b: 4 })
  assert.deepEqual(await claim({ limit: 4, open: new Map([['int_b', 100]]) }), { int_a: 4 })
  assert.deepEqual(await claim({ limit: 4, open: new Map([['int_b', 2]]) }), { int_a: 3, int_b: 1 })
})

test('of those that a rail was asked about before, so many are claimed as may be, and no fewer of the others', async () => {
  await queue('int_a', 50, 60, 1)
  await queue('int_b', 50, 60, 1)
  await queue('int_c', 20, 1)
  assert.deepEqual(await claim({ askedBefore: 4 }), { int_a: 2, int_b: 2, int_c: 6 })
  assert.deepEqual(await claim({ askedBefore: 0 }), { int_c: 10 })
})

test('what a lost history may have had is looked for among what is claimed next', async () => {
  await queue('int_a', 300, 60)
  await queue('int_b', 3, 1)
  await withoutGuards(db, (tx) => tx.query(`update payouts set made_on = 'before' where integration_id = 'int_b'`))
  const found = await findFromBefore(db, { ...roomFor(10), rail: 'test', mayAsk: true })
  assert.equal(found.length, 3)
  assert.deepEqual(await claim(), { int_a: 10 })
  assert.deepEqual(await claim({ fromBefore: found.map(({ payoutId }) => payoutId) }), { int_a: 7, int_b: 3 })
})

test('that is so whatever of an integration waits longer, which is asked about again and for which there is no room', async () => {
  await queue('int_a', 20, 90, 1)
  await queue('int_a', 5, 60)
  await queue('int_b', 300, 30)
  await withoutGuards(db, (tx) => tx.query(`update payouts set made_on = 'before' where integration_id = 'int_a'`))
  const found = await findFromBefore(db, { ...roomFor(10), rail: 'test', mayAsk: true, askedBefore: 0 })
  const fromBefore = found.map(({ payoutId }) => payoutId)
  assert.deepEqual(await claim({ askedBefore: 0, fromBefore }), { int_a: 5, int_b: 5 })
})

test('what waits for a fence keeps nothing behind it waiting', async () => {
  await queue('int_a', 100, 60)
  await withoutGuards(db, async (tx) => {
    await tx.query(`update payouts set made_on = 'before'`)
    await tx.query(
      `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, fenced_on) values (1, '0x1', '0x2', '0x3', 'before')`,
    )
  })
  await queue('int_a', 5, 1)
  const looks: number[] = []
  for (let look = 0; look < 3; look += 1) {
    const fromBefore = await clearFromBefore({ db, rail: { name: 'test' } as never, logger: silent }, roomFor(10))
    looks.push((await claimPayouts(db, { ...CLAIM, fromBefore })).length)
  }
  assert.deepEqual(looks, [5, 0, 0])
})

/** How many pages a claim looks at, and by which indexes it finds payouts. */
async function lookAt(run: (on: Queryable) => Promise<unknown>): Promise<{ pages: number; indexes: string[] }> {
  const seen = { pages: 0, indexes: [] as string[] }
  const undone = new Error('undone')
  await db
    .transaction(async (tx) => {
      await run({
        async query(text, params) {
          const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
            `explain (analyze, buffers, format json) ${text}`,
            params,
          )
          const plan = row?.['QUERY PLAN'][0].Plan
          seen.pages += (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
          seen.indexes = [...JSON.stringify(plan).matchAll(/"Index Name":"(payouts_[a-z_]+)"/g)].map(
            ([, name = '']) => name,
          )
          return []
        },
      })
      throw undone
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error
    })
  return { ...seen, indexes: [...new Set(seen.indexes)].toSorted() }
}

test('a claim looks at no more, whatever waits of one integration', async () => {
  const looks: ((on: Queryable) => Promise<unknown>)[] = [
    (on) => claimPayouts(on, CLAIM),
    (on) => findFromBefore(on, { ...roomFor(10), rail: 'test', mayAsk: true }),
  ]
  await queue('int_a', 100, 60)
  await queue('int_b', 10, 1)
  const before = []
  for (const look of looks) before.push(await lookAt(look))
  await queue('int_a', 3_000, 50)
  // What nobody may ask for yet.
  await queue('int_c', 3_000, 50)
  await withoutGuards(db, (tx) => tx.query(`update payouts set burn = null where integration_id = 'int_c'`))
  await db.query('vacuum analyze payouts')
  for (const [place, look] of looks.entries()) {
    const { pages, indexes } = await lookAt(look)
    assert.deepEqual(indexes, ['payouts_due', 'payouts_pkey'])
    assert.ok(pages < (before[place]?.pages ?? 0) + 200, `${before[place]?.pages} pages, then ${pages}`)
  }
})
