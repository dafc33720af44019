// engine: postgres
/** Reconciliation by itself: when it is due, by one process, and what it tells. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { checkPartWhenDue, createHourlyReconciliation, reconcileWhenDue } from '../../src/operator/reconcile/hourly.ts'
import { readNewestRun } from '../../src/operator/reconcile/runs.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { type ChainDouble, chainDouble } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout, emptyDatabase } from './world.ts'

let db: TestDatabase
let chain: ChainDouble
let lines: { level: number; kind?: string; subject?: string; msg: string }[]
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(async () => {
  await emptyDatabase(db)
  await addChain(db, 1, 100n)
  chain = chainDouble(1)
  lines = []
})

const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
const depsOf = (holder: string) => ({ db, chains: [chain.chain], secrets: TEST_SECRETS, logger, holder })
const age = (minutes: number) =>
  db.query("update reconcile_runs set finished_at = now() - $1 * interval '1 minute'", [minutes])
const gauges = async () => {
  const metrics = createMetrics()
  metrics.showReconciliation(() => readNewestRun(db))
  const text = await metrics.registry.metrics()
  return Object.fromEntries(
    [...text.matchAll(/^(reconcile_\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  )
}

test('it runs at once, then an hour after the last, whoever made that', async () => {
  assert.equal((await reconcileWhenDue(depsOf('one')))?.ok, true)
  assert.equal(await reconcileWhenDue(depsOf('one')), undefined)
  assert.equal(await reconcileWhenDue(depsOf('other')), undefined)
  await age(59)
  assert.equal(await reconcileWhenDue(depsOf('other')), undefined)
  await age(60)
  assert.equal((await reconcileWhenDue(depsOf('other')))?.ok, true)
  assert.deepEqual(
    lines.map(({ level, msg }) => [level, msg]),
    [
      [30, 'the books agree'],
      [30, 'the books agree'],
    ],
  )
})

test('before the first run its age is that of the process: nobody at all compares the books, and that is to be heard', async () => {
  assert.ok(((await gauges()).reconcile_age_seconds ?? 0) > 0)
})

test('a run that was made while the clock was ahead keeps nobody from running until then', async () => {
  await reconcileWhenDue(depsOf('one'))
  await age(-59)
  assert.equal(await reconcileWhenDue(depsOf('one')), undefined)
  await age(-24 * 60)
  assert.ok(((await gauges()).reconcile_age_seconds ?? 0) > 86_000)
  assert.equal((await reconcileWhenDue(depsOf('one')))?.ok, true)
  assert.ok(((await gauges()).reconcile_age_seconds ?? 86_000) < 3_600)
})

test('while one is at it no other begins, and whoever waited looks again', async () => {
  await acquireLease(db, 'reconcile', 'one', 60_000)
  assert.equal(await reconcileWhenDue(depsOf('other')), undefined)
  const both = await Promise.all([reconcileWhenDue(depsOf('one')), reconcileWhenDue(depsOf('one'))])
  assert.ok(both.some((result) => result !== undefined))
})

test('between runs a part is read each minute, by one process, and what it finds is told at once', async () => {
  const party = await addParty(db)
  const nextMinute = () => db.query("update reconcile_cursors set position = position - 60000 where what = 'part'")
  await reconcileWhenDue(depsOf('one'))
  assert.equal(await checkPartWhenDue(depsOf('one')), undefined)
  await addOrder(db, party, { chainId: 1, direction: 'MINT', amountMicro: 1_000_000n, state: 'completed' })
  assert.equal(await checkPartWhenDue(depsOf('one')), undefined)
  assert.equal(await checkPartWhenDue(depsOf('other')), undefined)
  await nextMinute()
  await acquireLease(db, 'reconcile', 'one', 60_000)
  assert.equal(await checkPartWhenDue(depsOf('other')), undefined)
  lines = []
  const kinds = (await checkPartWhenDue(depsOf('one')))?.differences.map(({ kind }) => kind)
  assert.ok(kinds?.includes('books'))
  assert.ok(lines.some(({ level, kind }) => level === 60 && kind === 'books'))
  await nextMinute()
  assert.equal(await checkPartWhenDue(depsOf('one')), undefined)
})

test('differences are told: fatal where money or its record is wrong, error where somebody must act', async () => {
  chain.state.supplyMicro = 5n
  const party = await addParty(db)
  const order = { chainId: 1, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  for (const status of ['rejected', 'rejected', 'returned']) {
    await addPayout(db, { orderId: await addOrder(db, party, order), customerId: party.customerId, status })
  }
  await reconcileWhenDue(depsOf('one'))
  const told = lines.map(({ level, kind, msg }) => `${level} ${kind} ${msg}`).sort()
  assert.deepEqual(
    [...new Set(told)],
    [
      '50 payout_rejected the books differ',
      '50 payout_returned the books differ',
      '60 books the books differ',
      '60 supply the books differ',
      '60 withdrawal_usage the books differ',
    ],
  )
  assert.ok(lines.every(({ subject }) => subject !== undefined))
  const shown = await gauges()
  assert.equal(shown['reconcile_differences{kind="supply"}'], 1)
  assert.equal(shown['reconcile_differences{kind="payout_rejected"}'], 2)
  assert.ok((shown.reconcile_age_seconds ?? -1) >= 0 && (shown.reconcile_duration_seconds ?? -1) >= 0)
  chain.state.supplyMicro = 0n
  await age(61)
  assert.ok(((await gauges()).reconcile_age_seconds ?? 0) > 3_600)
  await reconcileWhenDue(depsOf('one'))
  assert.equal((await gauges())['reconcile_differences{kind="supply"}'], undefined)
})

test('a run that fails is tried again, counts as none, and does not keep others from it', async () => {
  const supply = chain.chain.admin.supply
  let failures = 1
  chain.chain.admin.supply = (block) => {
    failures -= 1
    return failures >= 0 ? Promise.reject(new Error('a defect')) : supply(block)
  }
  const hourly = createHourlyReconciliation({ ...depsOf('one'), pollMs: 60_000 })
  hourly.start()
  await waitFor('a run', async () => (await readNewestRun(db)) !== undefined)
  await hourly.stop()
  assert.deepEqual(
    lines.map(({ level }) => level),
    [50, 30],
  )
  assert.ok((await acquireLease(db, 'reconcile', 'other', 1_000)) !== undefined)
})
