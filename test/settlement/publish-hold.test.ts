/** What other processes are told of a chain's hold, and when: what is told late or wrongly misleads whoever looks. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import type { Memory } from '../../src/settlement/memory.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { publishHold } from '../../src/settlement/publish-hold.ts'
import { isHeldOtherwise, writeHold } from '../../src/settlement/tables/holds.sql.ts'
import type { Work } from '../../src/settlement/work.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { changesOf } from './changes.ts'
import { silent } from './fixture.ts'

const A = 31_337
const B = 31_338

let db: TestDatabase
let work: Work
let memory: Memory
let nowMs: number
let counted: unknown[][]

before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

beforeEach(async () => {
  await db.query('delete from settlement_holds')
  await writeHold(db, B, { reason: 'paused', details: 'of another chain', blocked: ['burn-limit'] })
  memory = freshMemory()
  memory.follow.hasUnread = false
  nowMs = 1_000_000
  counted = []
  const lease = await acquireLease(db, `settlement:${A}`, 'this', 600_000)
  const held = (...values: unknown[]) => void counted.push(values)
  work = {
    db,
    otherChainIds: [],
    lease,
    memory,
    logger: silent,
    metrics: { ...noMetrics, held },
    nowMs: () => nowMs,
    chain: { config: { chainId: A } },
  } as unknown as Work
})

const hold = (reason: Memory['holds']['held']['reason'], details = {}) => {
  memory.holds.held = { reason, details }
}

/** What is published of the chain, and who says so (the fencing of the write is the lease's). */
async function published() {
  const [row] = await db.query<{ reason: string; details: string | null; blocked: string[] }>(
    'select reason, details, blocked from settlement_holds where chain_id = $1',
    [A],
  )
  return row
}

/** Takes back what was published, so that a new publication shows. */
const unpublish = () => db.query('delete from settlement_holds where chain_id = $1', [A])

test('a hold is published with its details and the buckets that hold their orders, and counted', async () => {
  hold('gas-price', { baseFeePerGas: '9' })
  memory.form.blocked = new Set(['transfer', 'burn', 'mint'])
  await publishHold(work)
  const blocked = ['burn-limit', 'mint-limit', 'transfer-limit']
  assert.deepEqual(await published(), { reason: 'gas-price', details: '{"baseFeePerGas":"9"}', blocked })
  assert.deepEqual(counted, [[A, 'gas-price', blocked]])
  hold('none')
  memory.form.blocked = new Set()
  await publishHold(work)
  assert.deepEqual(await published(), { reason: 'none', details: null, blocked: [] })
})

test('an unchanged hold is published again after half a minute, a changed one at once', async () => {
  hold('paused')
  await publishHold(work)
  await unpublish()
  nowMs += 29_999
  await publishHold(work)
  assert.equal(await published(), undefined)
  nowMs += 1
  await publishHold(work)
  assert.equal((await published())?.reason, 'paused')
  hold('gas-price')
  await publishHold(work)
  assert.equal((await published())?.reason, 'gas-price')
  memory.form.blocked = new Set(['burn'])
  await publishHold(work)
  assert.deepEqual((await published())?.blocked, ['burn-limit'])
})

test('what could not be written is written by the next round', async () => {
  const { lease } = work
  work.lease = { ...lease, token: lease.token + 1n }
  hold('paused')
  await publishHold(work)
  assert.equal(await published(), undefined)
  work.lease = lease
  await publishHold(work)
  assert.equal((await published())?.reason, 'paused')
})

test('rounds that fail are told of after five seconds of failures without a success between', async () => {
  hold('none')
  const fail = async (afterMs: number) => {
    nowMs += afterMs
    await publishHold(work, new Error('no quorum'))
    return (await published())?.reason
  }
  assert.equal(await fail(0), undefined, 'one failure says nothing')
  assert.equal(await fail(4_999), undefined)
  await publishHold(work)
  assert.equal((await published())?.reason, 'none')
  assert.equal(await fail(1), 'none')
  assert.equal(await fail(4_999), 'none')
  assert.equal(await fail(1), 'round-failed')
  assert.equal((await published())?.details, '{"error":"no quorum"}')
  assert.deepEqual(counted.at(-1), [A, 'round-failed', []])
  await publishHold(work)
  assert.equal((await published())?.reason, 'none')
  await publishHold(work, 'not an error')
  nowMs += 5_000
  await publishHold(work, 'not an error')
  assert.equal((await published())?.details, '{"error":"unknown"}')
})

test('nothing is said to be well before the batches of the chain are known, nor by a round that failed', async () => {
  memory.follow.hasUnread = undefined
  hold('none')
  await publishHold(work)
  assert.deepEqual(counted, [], 'after a restore people wait for this')
  hold('paused')
  await publishHold(work)
  assert.equal(await published(), undefined)
  assert.deepEqual(counted, [[A, 'paused', []]], 'the metrics are told of a hold all the same')
  hold('chain-behind')
  await publishHold(work)
  assert.equal((await published())?.reason, 'chain-behind')
  await unpublish()
  memory.follow.hasUnread = false
  hold('paused')
  await publishHold(work, new Error('once'))
  assert.equal(await published(), undefined)
  hold('chain-mismatch')
  await publishHold(work, new Error('once'))
  assert.equal((await published())?.reason, 'chain-mismatch')
})

test('a hold that goes on keeps since when; another reason, or the end, begins anew', async () => {
  const LONG_AGO = '2026-01-01T00:00:00.000Z'
  await writeHold(db, A, { reason: 'paused', details: 'one', blocked: ['mint-limit'] })
  await db.query('update settlement_holds set since = $1, seen_at = $1', [LONG_AGO])
  const same = await changesOf(db, (tx) => writeHold(tx, A, { reason: 'paused', details: 'two', blocked: [] }))
  assert.deepEqual(same.changes, [
    `settlement_holds ${A}: blocked 0=mint-limit → , details one → two, seen_at ${LONG_AGO} → now`,
  ])
  const other = await changesOf(db, (tx) =>
    writeHold(tx, A, { reason: 'gas-price', details: null, blocked: ['mint-limit'] }),
  )
  assert.deepEqual(other.changes, [
    `settlement_holds ${A}: details one → null, reason paused → gas-price, seen_at ${LONG_AGO} → now, since ${LONG_AGO} → now`,
  ])
})

test('of long details the beginning is kept', async () => {
  await writeHold(db, A, { reason: 'paused', details: `begin${'.'.repeat(600)}`, blocked: [] })
  const details = (await published())?.details ?? ''
  assert.deepEqual([details.length, details.slice(0, 6)], [500, 'begin.'])
})

test('a chain is known to go on, or to be held for other reasons, by what its settler has said within a minute', async () => {
  const ask = (reasons: readonly string[]) => isHeldOtherwise(db, A, reasons)
  assert.equal(await ask(['chain-behind']), false, 'another chain has said so, this one nothing')
  await writeHold(db, A, { reason: 'paused', details: null, blocked: [] })
  await db.query(`update settlement_holds set seen_at = now() - interval '2 minutes' where chain_id = $1`, [B])
  assert.equal(await ask(['chain-behind']), true)
  assert.equal(await ask(['chain-behind', 'paused']), false)
  const age = (seconds: number) =>
    db.query(`update settlement_holds set seen_at = now() - $2 * interval '1 second' where chain_id = $1`, [A, seconds])
  await age(50)
  assert.equal(await ask(['chain-behind']), true)
  await age(61)
  assert.equal(await ask(['chain-behind']), false)
})

test('what was said while the clock of the database was ahead is not believed', async () => {
  const believedAt = async (ahead: string) => {
    await writeHold(db, A, { reason: 'none', details: null, blocked: [] })
    await db.query('update settlement_holds set seen_at = now() + $1::interval where chain_id = $2', [ahead, A])
    return await isHeldOtherwise(db, A, ['chain-behind'])
  }
  assert.deepEqual([await believedAt('30 seconds'), await believedAt('2 minutes')], [true, false])
})
