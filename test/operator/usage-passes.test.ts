// engine: postgres
/** Counters of usage against orders that were added up before: nothing is invented while orders go on, and what was changed is found. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Param } from '../../src/db/database.ts'
import { checkUsage, checkUsagePart } from '../../src/operator/reconcile/usage.ts'
import type { Direction } from '../../src/orders/order.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { addChain, addOrder, addParty, emptyDatabase, type Party } from './world.ts'

const AT_ONCE = 3
const OLD = 12
const RUNS_OF_A_PASS = Math.ceil(OLD / AT_ONCE)

let db: TestDatabase
let parties: [Party, Party]
let start: Date
let day: string
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(async () => {
  await emptyDatabase(db)
  parties = [await addParty(db), await addParty(db)]
  await addChain(db, 1, 100n)
  const [now] = await db.query<{ start: Date; day: string }>(
    `select m at time zone 'UTC' as start, m::date as day from date_trunc('month', now() at time zone 'UTC') m`,
  )
  assert.ok(now)
  ;({ start, day } = now)
})

/** What differs, without names of sums: `MINT 5 3` where 5 is recorded and orders come to 3. */
async function check(): Promise<{ counters: string[]; sums: string[] }> {
  const { counters, sums } = await checkUsage(db, { atOnce: AT_ONCE, again: AT_ONCE, youngMs: 0 })
  const said = (found: typeof counters) =>
    found.map(({ direction, recordedMicro, ordersMicro }) => `${direction} ${recordedMicro} ${ordersMicro}`)
  return { counters: said(counters), sums: said(sums) }
}
const agrees = async () => assert.deepEqual(await check(), { counters: [], sums: [] })
const past = (text: string, params: readonly Param[]) => withoutGuards(db, (tx) => tx.query(text, params))

const COUNTERS = {
  MINT: ['mint_usage', 'key_id', 'day'],
  TRANSFER: ['transfer_usage', 'key_id', 'day'],
  REDEEM: ['withdrawal_usage', 'customer_id', 'month'],
} as const

async function count(direction: Direction, { keyId, customerId }: Party, micro: bigint): Promise<void> {
  const [table, owner, period] = COUNTERS[direction]
  await db.query(
    `insert into ${table} as u (${owner}, ${period}, committed_micro, cap_micro) values ($1, $2::date, greatest($3, 0), 1000000000)
     on conflict (${owner}, ${period}) do update set committed_micro = u.committed_micro + $3`,
    [direction === 'REDEEM' ? customerId : keyId, day, micro],
  )
}

type State = 'paymentPending' | 'created' | 'completed' | 'failed'

/** An order of the first day of this month, counted as the service counts it. */
async function order(direction: Direction, state: State, micro: bigint, party = parties[0], createdAt = start) {
  const orderId = await addOrder(db, party, { chainId: 1, direction, state, amountMicro: micro, createdAt })
  if (direction === 'MINT' && state !== 'paymentPending') await confirm(orderId, party)
  if (state !== 'failed' && state !== 'paymentPending') await count(direction, party, micro)
  return orderId
}
const confirm = (orderId: bigint, { keyId }: Party) =>
  past('update orders set mint_cap_key_id = $2, mint_cap_day = $3::date where order_id = $1', [orderId, keyId, day])

async function turn(orderId: bigint, state: 'pending' | 'completed' | 'failed'): Promise<void> {
  await past(
    `update orders set status = $2, batch_id = case when $2 = 'pending' then null else 7 end,
       batch_index = case when $2 = 'pending' then null else 0 end, block_number = case when $2 = 'pending' then null else 9 end,
       tx_hash = case when $2 = 'pending' then null else sha256('1') end, failure_reason = case $2 when 'failed' then 'declined' end
     where order_id = $1`,
    [orderId, state],
  )
}

/** Twelve old orders that have ended, of both parties, gone through by a pass. */
async function twelve(): Promise<bigint[]> {
  const ids: bigint[] = []
  for (let n = 0; n < OLD; n += 1) {
    const direction = (['MINT', 'REDEEM', 'TRANSFER'] as const)[n % 3] ?? 'MINT'
    ids.push(await order(direction, 'completed', 10n ** BigInt(n % 6), parties[n % 2]))
  }
  await agrees()
  return ids
}

/** The first run that finds something, counted from one. */
async function firstFound(): Promise<{ run: number; found: Awaited<ReturnType<typeof check>> }> {
  for (let run = 1; run <= 2 * RUNS_OF_A_PASS + 1; run += 1) {
    const found = await check()
    if (found.counters.length + found.sums.length > 0) return { run, found }
  }
  return { run: Number.POSITIVE_INFINITY, found: { counters: [], sums: [] } }
}

test('orders that end, fail, are confirmed or come between two runs are never a difference', async () => {
  const lastMonth = new Date(start.getTime() - 1_000)
  const [one, other] = parties
  const early = await order('MINT', 'paymentPending', 7n, one, lastMonth)
  await order('TRANSFER', 'failed', 900n)
  await agrees()
  const open: { orderId: bigint; direction: Direction; party: Party; micro: bigint }[] = []
  for (let n = 0; n < 12; n += 1) {
    const direction = (['MINT', 'REDEEM', 'TRANSFER'] as const)[n % 3] ?? 'MINT'
    const party = parties[n % 2] ?? one
    const micro = 10n + BigInt(n)
    open.push({ orderId: await order(direction, 'created', micro, party), direction, party, micro })
    await order(direction, n % 4 === 0 ? 'failed' : 'completed', 1_000n, party)
    if (n % 5 === 4) await agrees()
  }
  const unpaid = await order('MINT', 'paymentPending', 70_000n, other)
  await agrees()
  for (const [place, { orderId, direction, party, micro }] of open.entries()) {
    const fails = place % 3 === 1
    await turn(orderId, fails ? 'failed' : 'completed')
    if (fails) await count(direction, party, -micro)
    if (place % 4 === 0) await agrees()
  }
  for (const [orderId, party, micro] of [
    [unpaid, other, 70_000n],
    [early, one, 7n],
  ] as const) {
    await turn(orderId, 'pending')
    await confirm(orderId, party)
    await count('MINT', party, micro)
    await agrees()
    await turn(orderId, 'completed')
    await agrees()
  }
  for (let run = 0; run < 20; run += 1) await agrees()
})

test('an open order is read in each run until it has ended, and then no more', async () => {
  await twelve()
  const orderId = await order('TRANSFER', 'created', 44n)
  const listed = () =>
    db.query('select pass_no from reconcile_open join reconcile_passes using (pass_no) where is_complete')
  await agrees()
  const [passNo, ...others] = await listed()
  assert.deepEqual([passNo === undefined, others], [false, []])
  await turn(orderId, 'completed')
  await agrees()
  assert.deepEqual(await listed(), [])
  const [same] = await db.query('select pass_no from reconcile_passes where is_complete')
  assert.deepEqual(same, passNo, 'not because everything was read again')
})

test('a counter that is off is found by the next run', async () => {
  await twelve()
  for (const direction of ['MINT', 'TRANSFER', 'REDEEM'] as const) {
    await count(direction, parties[1], 5n)
    const { counters } = await check()
    assert.equal(counters.length, 1, direction)
    assert.match(counters[0] ?? '', new RegExp(`^${direction} `))
    await count(direction, parties[1], -5n)
    await agrees()
  }
})

test('an ended order whose amount was changed is found when it is read again, and stays named until it is put right', async () => {
  const ids = await twelve()
  for (const place of [0, 5, OLD - 1]) {
    const orderId = ids[place] ?? 0n
    await past('update orders set amount_micro = amount_micro + 3 where order_id = $1', [orderId])
    const { run, found } = await firstFound()
    assert.ok(run <= 2 * RUNS_OF_A_PASS, `order ${place} was found in run ${run}`)
    assert.equal(found.sums.length, 1)
    for (let again = 0; again < 3; again += 1) assert.deepEqual((await check()).sums, found.sums)
    await past('update orders set amount_micro = amount_micro - 3 where order_id = $1', [orderId])
    for (let again = 0; again < 2 * RUNS_OF_A_PASS; again += 1) await check()
    await agrees()
  }
})

test('orders are read again between runs, and what they tell is news once', async () => {
  const ids = await twelve()
  const part = () => checkUsagePart(db, { again: AT_ONCE })
  await past('update orders set amount_micro = amount_micro + 3 where order_id = $1', [ids[7] ?? 0n])
  let parts = 1
  while (parts <= 2 * RUNS_OF_A_PASS && !(await part())) parts += 1
  assert.ok(parts <= 2 * RUNS_OF_A_PASS, `${parts} parts`)
  assert.equal((await check()).sums.length, 1)
  for (let again = 0; again < 2 * RUNS_OF_A_PASS; again += 1) assert.equal(await part(), false)
  assert.equal((await check()).sums.length, 1)
})

test('an order that was changed together with its counter is found at once, one that was removed when its turn comes', async () => {
  const ids = await twelve()
  await past('delete from orders where order_id = $1', [ids[4] ?? 0n])
  const { run, found } = await firstFound()
  assert.ok(run <= 2 * RUNS_OF_A_PASS)
  assert.deepEqual(
    found.sums.map((line) => line.split(' ')[0]),
    ['REDEEM'],
  )
  await past('update orders set amount_micro = amount_micro + 3 where order_id = $1', [ids[2] ?? 0n])
  await count('TRANSFER', parties[0], 3n)
  assert.deepEqual((await check()).counters, ['TRANSFER 203 200'])
})

test('sums that were changed are found at once by the counters or, where those were changed too, when the orders are read again', async () => {
  await twelve()
  const raise = (micro: bigint) =>
    db.query(
      `update reconcile_usage set amount_micro = amount_micro + $1
       where direction = 'TRANSFER' and owner = $2 and pass_no in (select pass_no from reconcile_passes where is_complete)`,
      [micro, parties[0].keyId],
    )
  await raise(5n)
  assert.equal((await check()).counters.length, 1)
  await raise(-5n)
  await agrees()
  await raise(5n)
  await count('TRANSFER', parties[0], 5n)
  const { run, found } = await firstFound()
  assert.ok(run <= 2 * RUNS_OF_A_PASS)
  assert.equal(found.sums.length + found.counters.length, 1)
})

test('an order that was struck from the open ones, or a pass that was moved on, is found', async () => {
  await twelve()
  await order('TRANSFER', 'created', 44n)
  await agrees()
  await db.query('delete from reconcile_open')
  assert.deepEqual((await firstFound()).found.counters.length, 1)
  await db.query('delete from reconcile_passes')
  await agrees()
  await order('TRANSFER', 'completed', 45n)
  await db.query('update reconcile_passes set through_order_id = through_order_id + 1 where is_complete')
  assert.ok((await firstFound()).run <= 2 * RUNS_OF_A_PASS + 1)
})

test('a pass of an earlier month is forgotten', async () => {
  await twelve()
  await db.query("update reconcile_passes set month = month - interval '1 month'")
  await agrees()
  const left = await db.query<{ passes: bigint }>('select count(distinct pass_no) as passes from reconcile_usage')
  assert.ok((left[0]?.passes ?? 9n) <= 2n)
})

test('several at the same time do not count twice', async () => {
  await twelve()
  for (let round = 0; round < 4; round += 1) {
    await order('REDEEM', 'completed', 5n)
    await Promise.all(Array.from({ length: 4 }, agrees))
  }
})

test('an order is passed only when no lower number can come any more', async () => {
  await addOrder(db, parties[0], {
    chainId: 1,
    direction: 'TRANSFER',
    state: 'completed',
    amountMicro: 5n,
    createdAt: new Date(),
  })
  await count('TRANSFER', parties[0], 5n)
  const { counters } = await checkUsage(db)
  assert.ok(counters.every(({ direction }) => direction === 'TRANSFER'))
  const [pass] = await db.query<{ sums: bigint }>('select count(*) as sums from reconcile_usage')
  assert.equal(pass?.sums, 0n)
})

test('a clock of the database that is set back invents nothing: what was old enough once is read again to its end', async () => {
  for (let n = 0; n < 2 * AT_ONCE; n += 1) await order('REDEEM', 'completed', 5n, parties[0], new Date())
  const options = { atOnce: AT_ONCE, again: 4 * AT_ONCE }
  await checkUsage(db, { ...options, youngMs: 0 })
  // As an hour earlier.
  for (let round = 0; round < 3; round += 1)
    assert.deepEqual(await checkUsage(db, { ...options, youngMs: 3_600_000 }), { counters: [], sums: [] })
})
