/** What is minted back is exempt from the reserve, and waits in a queue of its own that no flood of others hides. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { grantMints, ReserveUsedUpError, withinReserve } from '../../src/settlement/form/reserve.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { queueOf, readOldestWaiting, readQueues } from '../../src/settlement/tables/queues.sql.ts'
import type { PendingOrder } from '../../src/settlement/tables/waiting.sql.ts'
import type { Work } from '../../src/settlement/work.ts'
import { isOfHouse } from '../../src/values/house.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { bankSays } from '../support/reserve.ts'

const CHAIN = 1
const ROOM = { mint: 1_000_000n, burn: 7n, transfer: 8n }
const BEGINNING = { from: new Map<string, bigint>(), othersFrom: 0n }

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(async () => {
  await emptyTables(db)
  for (const id of ['int_a', 'int_b']) {
    await db.query(`insert into integrations (integration_id, name) values ($1, 'Test')`, [id])
  }
})

/** As much of a settler's work as the guard needs. */
function workOf(guard: 'off' | 'warn' | 'hold') {
  const told: unknown[] = []
  const work = {
    db,
    otherChainIds: [],
    memory: freshMemory(),
    reserve: { guard, maxAgeMs: 36 * 3_600_000 },
    nowMs: () => 1_000_000,
    chain: { config: { chainId: CHAIN } },
    logger: { error: (fields: unknown) => void told.push(fields) },
  } as unknown as Work
  return { work, told }
}

const order = (
  integrationId: string,
  amountMicro: bigint,
  direction: PendingOrder['direction'] = 'MINT',
): PendingOrder => ({
  orderId: 1n,
  integrationId,
  referenceId: 'reference',
  direction,
  amountMicro,
  walletAddress: `0x${'2'.repeat(40)}`,
  debitAddress: direction === 'MINT' ? null : `0x${'3'.repeat(40)}`,
})
const REFUND = order('refunds', 500_000n)

test('only the orders of the house are refunds', () => {
  assert.deepEqual(
    ['refunds', 'int_a', 'refund', 'refunds2', 'int_refunds', ''].map((integrationId) => isOfHouse({ integrationId })),
    [true, false, false, false, false, false],
  )
})

test('without any statement a refund has room and is granted, and a mint beside it is not', async () => {
  const { work } = workOf('hold')
  assert.deepEqual(await withinReserve(work, ROOM, [REFUND]), ROOM)
  assert.equal(work.memory.form.shortOfReserve, false)
  await db.transaction((tx) =>
    grantMints(tx, work, [REFUND, order('int_a', 5n, 'REDEEM'), order('int_a', 5n, 'TRANSFER')]),
  )
  assert.deepEqual(await withinReserve(work, ROOM, [REFUND, order('int_a', 1n)]), { ...ROOM, mint: 0n })
  assert.equal(work.memory.form.shortOfReserve, true)
  await assert.rejects(
    db.transaction((tx) => grantMints(tx, work, [REFUND, order('int_a', 1n)])),
    ReserveUsedUpError,
  )
  // With the mint gone, nothing is short any more.
  assert.deepEqual(await withinReserve(work, ROOM, [REFUND]), ROOM)
  assert.equal(work.memory.form.shortOfReserve, false)
})

test('a refund takes nothing of what the reserve covers', async () => {
  await bankSays(db, 100n)
  // What nothing explains is no less money at the bank.
  const { work } = workOf('hold')
  const huge = order('refunds', 10n ** 15n)
  assert.deepEqual(await withinReserve(work, ROOM, [huge, order('int_a', 60n), order('int_b', 60n)]), {
    ...ROOM,
    mint: 100n,
  })
  await db.transaction((tx) => grantMints(tx, work, [huge, order('int_a', 60n), order('int_b', 40n)]))
  await assert.rejects(
    db.transaction((tx) => grantMints(tx, work, [huge, order('int_a', 60n), order('int_b', 41n)])),
    ReserveUsedUpError,
  )
})

test('a guard that warns says nothing about refunds; one that is off or missing never looks', async () => {
  const { work, told } = workOf('warn')
  assert.deepEqual(await withinReserve(work, ROOM, [REFUND]), ROOM)
  assert.deepEqual(told, [])
  assert.deepEqual(await withinReserve(work, ROOM, [REFUND, order('int_a', 1n)]), ROOM)
  assert.equal(told.length, 1)
  for (const other of [workOf('off').work, { ...workOf('hold').work, reserve: undefined }]) {
    assert.deepEqual(await withinReserve(other, ROOM, [order('int_a', 1n)]), ROOM)
    await db.transaction((tx) => grantMints(tx, other, [order('int_a', 1n)]))
  }
})

type Waiting = { amountMicro?: bigint; chainId?: number; held?: string | null; direction?: PendingOrder['direction'] }
let serial = 0
async function accept(integrationId: string, count: number, waiting: Waiting = {}): Promise<bigint[]> {
  const { amountMicro = 10n, chainId = CHAIN, held = null, direction = 'MINT' } = waiting
  serial += 1
  const rows = await db.query<{ order_id: bigint }>(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address, wallet_address,
       debit_address, customer_id, key_id, amount_micro)
     select $1, 'reference-' || $2::int || '-' || n, $6, 'pending', $3, 'Test', '0x1', '0x' || repeat('2', 40),
       case $6::text when 'MINT' then null else '0x' || repeat('3', 40) end, 'cus', 'key', $4
     from generate_series(1, $5::int) n returning order_id`,
    [integrationId, serial, chainId, amountMicro, count, direction],
  )
  const orderIds = rows.map(({ order_id: orderId }) => orderId)
  if (held !== null)
    await holdOrders(
      db,
      orderIds.map((orderId) => ({ orderId, reason: held })),
    )
  return orderIds
}

const readIds = async (limit: number, marks = BEGINNING) =>
  (await readQueues(db, CHAIN, { capacity: { mint: 1_000n, burn: 1_000n, transfer: 1_000n }, limit, marks }))
    .filter(isOfHouse)
    .map(({ orderId }) => orderId)

test('refunds are a queue of their own, which gives its part beside floods of others', async () => {
  await accept('int_a', 2_000)
  await accept('int_b', 2_000, { direction: 'REDEEM' })
  const refunds = await accept('refunds', 40)
  assert.deepEqual(await readIds(30), refunds.slice(0, 10))
  const [one] = await readQueues(db, CHAIN, { capacity: ROOM, limit: 3, marks: BEGINNING }).then((found) =>
    found.filter(isOfHouse),
  )
  assert.deepEqual([one?.orderId, one && queueOf(one)], [refunds[0], 'refunds MINT'])
  const marks = { from: new Map([['refunds MINT', refunds[5] ?? 0n]]), othersFrom: 0n }
  assert.deepEqual(await readIds(6, marks), refunds.slice(5, 7))
})

test('refunds of another chain, above what a bucket holds, and held ones stay where they are', async () => {
  await accept('refunds', 1, { chainId: 2 })
  await accept('refunds', 1, { amountMicro: 1_001n })
  await accept('refunds', 1, { held: 'by_operator' })
  const [waits = 0n] = await accept('refunds', 1, { amountMicro: 1_000n })
  assert.deepEqual(await readIds(10), [waits])
})

test('how long the oldest refund waits is told beside the other queues, whatever its size', async () => {
  const [refund] = await accept('refunds', 2, { amountMicro: 10n ** 12n })
  const [mint] = await accept('int_a', 2)
  const oldest = await readOldestWaiting(db, CHAIN)
  assert.deepEqual(
    oldest.map(({ orderId, integrationId }) => [orderId, integrationId]),
    [
      [refund, 'refunds'],
      [mint, 'int_a'],
    ],
  )
})
