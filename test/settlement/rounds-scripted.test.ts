// engine: postgres; both in test:long
/** Whole rounds over a scripted chain on which no order waits: what each of them notes, tells and leaves out. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runRound } from '../../src/settlement/round.ts'
import { endMovements, insertMovement, newestMovement } from '../../src/settlement/tables/movements.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { batch, DEPTH, SIGNER, startFollower, THIEF } from './scripted-follower.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

async function begin() {
  const s = await startFollower(db)
  const counted: unknown[][] = []
  const metrics = new Proxy(
    {},
    {
      get:
        (_, name) =>
        (_chain: number, ...rest: unknown[]) =>
          void counted.push([name, ...rest]),
    },
  )
  Object.assign(s.work, { metrics, times: { ...s.work.times, retryMs: 0, rebroadcastMs: 1e9, recheckMs: 1e9 } })
  const stops: unknown[] = []
  Object.assign(s.work.chain, { admin: { pause: async (options: unknown) => void stops.push(options) } })
  return {
    ...s,
    counted,
    stops,
    all: s.work.memory,
    countedOf: (name: string) => counted.filter(([each]) => each === name).map(([, ...rest]) => rest),
    round: () => runRound(s.work),
    async blockAndRound(addition: Parameters<typeof s.chain.mine>[0] = {}) {
      s.chain.mine(addition)
      return await runRound(s.work)
    },
  }
}
type Rounds = Awaited<ReturnType<typeof begin>>
const nonceOf = async (s: Rounds) =>
  (await db.query<{ next: bigint }>('select next_nonce as next from signers where chain_id = $1', [s.chainId]))[0]?.next
const texts = (s: Rounds) => s.logged.map(([level, text]) => `${level}: ${text}`)

test('a signer is registered where the chain is, and a chain that is ahead of the database is told of, once', async () => {
  const s = await begin()
  await s.blockAndRound({ others: [SIGNER, SIGNER] })
  assert.equal(await nonceOf(s), 2n)
  assert.deepEqual(texts(s), ['info: signer registered'])
  await s.blockAndRound()
  assert.deepEqual(texts(s).length, 1)
  await s.blockAndRound({ others: [SIGNER] })
  assert.equal(await nonceOf(s), 2n, 'nothing of it is under way: it is asked about when what it was is final')
  await s.blockAndRound()
  assert.equal(await nonceOf(s), 3n)
  assert.match(texts(s)[1] ?? '', /^error: the chain knows transactions of this signer that the database does not/)
  await db.query('update signers set next_nonce = 9 where chain_id = $1', [s.chainId])
  await s.blockAndRound({ others: [SIGNER] })
  assert.deepEqual([await nonceOf(s), s.logged.length], [9n, 2])
})

test('the usual time between blocks is measured from heads, block by block, and not by those that come twice or go back', async () => {
  const s = await begin()
  const pace = () => {
    const { number, seenAtMs, intervalMs } = s.all.blocks
    return { number, seenAtMs, intervalMs }
  }
  s.clock.nowMs = 10_000
  await s.blockAndRound()
  assert.deepEqual(pace(), { number: 1n, seenAtMs: 10_000, intervalMs: undefined })
  s.clock.nowMs += 4_000
  s.chain.mine()
  await s.blockAndRound()
  assert.deepEqual(pace(), { number: 3n, seenAtMs: 14_000, intervalMs: 2_000 })
  s.clock.nowMs += 500
  await s.round()
  assert.deepEqual(pace(), { number: 3n, seenAtMs: 14_000, intervalMs: 2_000 })
  s.clock.nowMs += 500
  await s.blockAndRound()
  assert.deepEqual(pace(), { number: 4n, seenAtMs: 15_000, intervalMs: 1_800 })
  s.chain.reorganise(2)
  s.clock.nowMs += 7_000
  await s.round()
  assert.deepEqual(pace(), { number: 2n, seenAtMs: 22_000, intervalMs: 1_800 })
  assert.deepEqual(s.all.blocks.lately, [2_000, 1_000])
})

test('batches are counted by status in each round, and what needs a query every five seconds', async () => {
  const s = await begin()
  await s.store(batch(1n), batch(2n), batch(3n))
  assert.equal((await s.blockAndRound({ batches: [batch(1n)] })).waiting, true)
  assert.deepEqual(s.countedOf('inFlight').slice(-2), [
    ['signed', 2],
    ['mined', 1],
  ])
  const numbers = ['oldestPendingSeconds', 'oldestByIntegration', 'oldestUnminedSeconds']
  const counts = () => numbers.map((name) => s.countedOf(name).length)
  assert.deepEqual(counts(), [1, 1, 1])
  s.clock.nowMs += 4_999
  assert.equal((await s.blockAndRound({ batches: [batch(2n), batch(3n)] })).waiting, false)
  assert.deepEqual(counts(), [1, 1, 1])
  s.clock.nowMs += 1
  await s.round()
  assert.deepEqual(counts(), [2, 2, 2])
})

test('what holds the chain is told and published by a round that succeeds, and by one that fails', async () => {
  const s = await begin()
  await s.blockAndRound()
  const published = async () =>
    (await db.query<{ reason: string }>('select reason from settlement_holds where chain_id = $1', [s.chainId]))[0]
      ?.reason
  assert.equal(await published(), 'none')
  s.memory.hasForeignBatch = true
  await s.round()
  assert.deepEqual(
    [await published(), texts(s).at(-1)],
    ['batch-conflict', 'warn: settlement is held; orders stay pending'],
  )
  s.memory.hasForeignBatch = false
  await s.round()
  assert.deepEqual([await published(), texts(s).at(-1)], ['none', 'info: settlement goes on'])
  s.refuses.push('eth_getBlockByNumber')
  s.all.holds.held = { reason: 'paused', details: {} }
  await assert.rejects(s.round(), { name: 'NoQuorumError' })
  assert.equal(texts(s).at(-1), 'warn: settlement is held; orders stay pending')
  s.clock.nowMs += 3_600_000
  await assert.rejects(s.round(), { name: 'NoQuorumError' })
  assert.equal(await published(), 'round-failed')
})

test('nodes that do not answer are counted also by rounds that fail for want of them', async () => {
  const s = await begin()
  await s.blockAndRound()
  const lastSeen = () => s.countedOf('node').at(-1)?.at(-1)
  await waitFor('a node that answers', () => lastSeen() === 0)
  s.refuses.push('eth_getBlockByNumber')
  s.clock.nowMs += 3_600_000
  await assert.rejects(s.round(), { name: 'NoQuorumError' })
  await waitFor('the node to be gone', () => s.countedOf('node').length === 2)
  assert.equal(lastSeen(), undefined)
})

test('a chain that is not registered is settled by nobody', async () => {
  const s = await begin()
  s.chain.mine()
  Object.assign(s.work.chain.config, { chainId: 999_999 })
  await assert.rejects(s.round(), /chain 999999 is not registered/)
})

const SEEN = {
  kind: 'supply',
  details: 'x',
  afterBlock: 1n,
  seenBlock: 2n,
  amountMicro: 1n,
  transactions: [],
  pauses: true,
} as const

test('while something that nobody asked for pauses settlement, it is stopped on chain too', async () => {
  const s = await begin()
  Object.assign(s.work.chain.config, { pauser: { type: 'key' } })
  await s.blockAndRound()
  assert.deepEqual([s.stops, s.all.watch.isPaused], [[], false])
  await db.transaction((tx) => insertMovement(tx, s.chainId, SEEN))
  await s.round()
  assert.deepEqual([s.stops.length, s.all.watch.isPaused], [1, true])
  await db.query('update foreign_movements set ended_at = now() where chain_id = $1', [s.chainId])
  await s.round()
  assert.equal(s.all.watch.isPaused, false)
})

test('whoever calls known what they have seen lets nothing go on that was seen after their look', async () => {
  const s = await begin()
  await s.blockAndRound()
  const see = () => db.transaction((tx) => insertMovement(tx, s.chainId, SEEN))
  const newest = async () => (await newestMovement(db)) ?? 0n
  await see()
  const known = await newest()
  await see()
  assert.deepEqual(await endMovements(db, s.chainId + 1, known), [], 'nor on another chain')
  assert.deepEqual(await endMovements(db, s.chainId, known), [known])
  await s.round()
  assert.equal(s.all.watch.isPaused, true)
  await endMovements(db, s.chainId, await newest())
  await s.round()
  assert.equal(s.all.watch.isPaused, false)
})

test('the chain is watched, and batches of others are looked for, once for each head; limits and lag beside all that', async () => {
  const s = await begin()
  const calls = () => s.chain.asked.filter(([method]) => method === 'eth_call').length
  await s.blockAndRound()
  await waitFor(
    'the limits',
    async () => (await db.query('select from chain_limits where chain_id = $1', [s.chainId])).length === 3,
  )
  await waitFor('the lag', () => s.all.lag.countedAtMs === s.clock.nowMs)
  assert.ok(s.all.watch.looks.length === 1 && s.memory.hasUnread === false)
  await new Promise(setImmediate)
  const before = calls()
  await s.round()
  assert.equal(calls(), before, 'nothing is asked of the contracts at the same head')
  Object.assign(s.memory, { hasUnread: undefined, readOn: undefined })
  await s.round()
  assert.equal(s.memory.hasUnread, false)
  await s.blockAndRound({ outsideMicro: 5n })
  assert.deepEqual(await db.query('select kind from foreign_movements where chain_id = $1', [s.chainId]), [
    { kind: 'supply' },
  ])
})

test('what can never execute is abandoned, and what others made in its place is kept, in that round', async () => {
  const s = await begin()
  await s.store(batch(1n), batch(2n))
  const statuses = async () =>
    (
      await db.query<{ line: string }>(
        `select batch_id || ' ' || status || case when is_foreign then ' foreign' else '' end as line from batches
         where chain_id = $1 order by 1`,
        [s.chainId],
      )
    ).map(({ line }) => line)
  s.chain.mine({ others: [SIGNER] })
  for (let block = 1; block < DEPTH; block += 1) await s.blockAndRound()
  assert.deepEqual(await statuses(), ['1 abandoned', '2 abandoned'])
  assert.deepEqual(s.countedOf('inFlight').slice(-2), [
    ['signed', 0],
    ['mined', 0],
  ])

  const other = await begin()
  await other.store(batch(1n))
  await db.query('update chains set next_batch_id = 2 where chain_id = $1', [other.chainId])
  other.chain.mine({ batches: [{ ...batch(1n, 9n), sender: THIEF }], others: [SIGNER] })
  for (let block = 1; block < DEPTH; block += 1) await other.blockAndRound()
  assert.deepEqual(await db.query('select status, is_foreign from batches where chain_id = $1', [other.chainId]), [
    { status: 'final', is_foreign: true },
  ])
  assert.deepEqual(other.countedOf('inFlight').slice(-2), [
    ['signed', 0],
    ['mined', 0],
  ])
})
