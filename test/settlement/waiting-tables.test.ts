/**
 * Orders that wait for a batch: every statement over two chains with equal batch ids, nonces, signers and transaction hashes: what it
 * returns, and which columns of which rows it changes. A statement with a missing condition changes one row too many.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { requeueOrders } from '../../src/orders/life/signed.sql.ts'
import { abandonFrom, markMined } from '../../src/settlement/tables/batches.sql.ts'
import { type Marks, readQueues } from '../../src/settlement/tables/queues.sql.ts'
import {
  countOversized,
  readOldestByIntegration,
  readOldestUnminedSeconds,
  readUnminedTotals,
} from '../../src/settlement/tables/waiting.sql.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { changesOf } from './changes.ts'
import { wallet } from './fixture.ts'
import { attemptsOf, plantedDatabase } from './shadow.ts'

const A = 31_337
const B = 31_338

let db: TestDatabase
before(async () => {
  db = await plantedDatabase([B, A])
})
after(() => db.close())

const place = { blockNumber: 101n, blockHash: '0xb101', txHash: attemptsOf(5n)[1] }
const CAPACITY = { mint: 100n, burn: 5_000n, transfer: 5_000n }
const BEGINNING: Marks = { from: new Map(), othersFrom: 0n }
const pending = { capacity: CAPACITY, limit: 100, marks: BEGINNING }
const amounts = async (filter: Parameters<typeof readQueues>[2]) =>
  (await readQueues(db, A, filter)).map(({ direction, amountMicro }) => `${direction} ${amountMicro}`)

test('waiting orders come in the sequence of their acceptance, as far as a bucket can ever hold them', async () => {
  assert.deepEqual(await amounts(pending), ['MINT 10', 'TRANSFER 20', 'REDEEM 30', 'TRANSFER 5000', 'MINT 70'])
  assert.deepEqual(await amounts({ ...pending, capacity: { ...CAPACITY, transfer: 4_999n } }), [
    'MINT 10',
    'TRANSFER 20',
    'REDEEM 30',
    'MINT 70',
  ])
  assert.deepEqual(await amounts({ ...pending, capacity: { ...CAPACITY, mint: 4_000n } }), [
    'MINT 10',
    'TRANSFER 20',
    'REDEEM 30',
    'MINT 4000',
    'TRANSFER 5000',
    'MINT 70',
  ])
  assert.deepEqual(await amounts({ ...pending, capacity: { ...CAPACITY, burn: 29n } }), [
    'MINT 10',
    'TRANSFER 20',
    'TRANSFER 5000',
    'MINT 70',
  ])
  const [first, second, ...others] = await readQueues(db, A, pending)
  const fromOrderId = second?.orderId ?? 0n
  assert.ok((first?.orderId ?? 0n) < fromOrderId)
  const marks = { ...BEGINNING, othersFrom: fromOrderId }
  assert.deepEqual(await readQueues(db, A, { ...pending, marks }), [second, ...others])
  // A row that was written again is stored behind the others, and no index brings the sequence with it.
  const { result } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    for (const scan of ['indexscan', 'indexonlyscan', 'bitmapscan']) await tx.query(`set local enable_${scan} = off`)
    await tx.query(`update orders set updated_at = now() where chain_id = ${A} and amount_micro in (10, 20)`)
    return await readQueues(tx, A, pending)
  })
  assert.deepEqual(
    result.map(({ amountMicro }) => amountMicro),
    [10n, 20n, 30n, 5_000n, 70n],
  )
  const [mint, transfer] = await readQueues(db, A, pending)
  assert.deepEqual([mint?.walletAddress, mint?.debitAddress], [wallet(1), null])
  assert.deepEqual([transfer?.walletAddress, transfer?.debitAddress], [wallet(1), wallet(2)])
})

test('an order of an abandoned batch waits again, at its place; one whose tag is in conflict does not', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await abandonFrom(tx, A, 6n)
    await requeueOrders(tx, { chainId: A, batchId: 6n })
    await tx.query(`insert into tag_conflicts (order_id, chain_id, tag)
      select order_id, chain_id, '0x1' from orders where amount_micro in (20, 30) and chain_id = ${A}`)
    const rows = await readQueues(tx, A, { ...pending, capacity: { mint: 200n, burn: 200n, transfer: 200n } })
    return rows.map(({ direction, amountMicro }) => `${direction} ${amountMicro}`)
  })
  assert.deepEqual(result, ['MINT 106', 'TRANSFER 106', 'MINT 10', 'MINT 70'])
})

test('orders that no bucket can ever hold are counted, each by its own bucket', async () => {
  assert.equal(await countOversized(db, A, { mint: 4_000n, burn: 6_000n, transfer: 6_000n }), 0)
  assert.equal(await countOversized(db, A, { mint: 3_999n, burn: 6_000n, transfer: 6_000n }), 1)
  assert.equal(await countOversized(db, A, { mint: 4_000n, burn: 4_999n, transfer: 4_999n }), 2)
  assert.equal(await countOversized(db, A, { mint: 4_000n, burn: 5_999n, transfer: 5_000n }), 1)
  const all = await readQueues(db, A, { ...pending, capacity: { mint: 9_999n, burn: 9_999n, transfer: 9_999n } })
  assert.equal(await countOversized(db, A, { mint: 0n, burn: 0n, transfer: 0n }), all.length, 'only those that wait')
})

const WAITS = `status = 'pending' and order_id not in (select order_id from signed_orders)`

test('the oldest waiting order counts from when it last moved, else from its acceptance', async () => {
  const ageMs = async (chainId: number, change: string) =>
    (
      await changesOf(db, async (tx) => {
        await dropGuards(tx)
        await tx.query(`update orders set created_at = now() where chain_id = ${chainId}`)
        await tx.query(change)
        const { oldest, byIntegration } = await readOldestByIntegration(tx, chainId)
        assert.ok(oldest === 0 ? byIntegration.size === 0 : byIntegration.size > 0)
        return oldest * 1_000
      })
    ).result
  const hour = 3_600_000
  const first = `order_id = (select min(order_id) from orders where chain_id = ${A} and ${WAITS})`
  const near = (found: number | undefined, wanted: number) =>
    assert.ok(Math.abs((found ?? 0) - wanted) < 100, String(found))
  near(await ageMs(A, `update orders set created_at = now() - interval '1 hour' where ${first}`), hour)
  near(await ageMs(A, `update orders set updated_at = now() - interval '2 hours' where ${first}`), 2 * hour)
  assert.equal(
    await ageMs(
      A,
      `insert into signed_orders (order_id, batch_id, batch_index) select order_id, 1, 0 from orders where chain_id = ${A} and status = 'pending'
         on conflict do nothing`,
    ),
    0,
  )
})

test('what waits longest is told by integration and for batches, of one chain', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await tx.query(
      `update orders set created_at = now() - interval '1 hour' where chain_id = ${A} and status = 'pending'`,
    )
    const [first] = await tx.query<{ integration_id: string }>(
      `update orders set updated_at = now() - interval '2 hours' where order_id =
         (select min(order_id) from orders where chain_id = ${A} and ${WAITS}) returning integration_id`,
    )
    await tx.query(`update batches set created_at = now() - interval '3 hours' where chain_id = ${A} and batch_id = 6`)
    await tx.query(
      `update batches set created_at = now() - interval '4 hours' where chain_id = ${A} and batch_id in (1, 3, 7)`,
    )
    await tx.query(`update batches set created_at = now() where chain_id = ${A} and batch_id = 5`)
    const ages = await readOldestByIntegration(tx, A)
    return { first: first?.integration_id ?? '', ages, unmined: await readOldestUnminedSeconds(tx, A) }
  })
  const hours = [...result.ages.byIntegration].map(([integration, seconds]) => [
    integration === result.first,
    Math.round(seconds / 3_600),
  ])
  assert.deepEqual(hours, [
    [true, 2],
    [false, 1],
  ])
  assert.equal(Math.round(result.unmined / 3_600), 3)
  assert.equal(await readOldestUnminedSeconds(db, 1), 0)
})

test('an order that was confirmed just now hides no other that has waited for long', async () => {
  const { result } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await tx.query(
      `update orders set created_at = now() - interval '1 hour' where chain_id = ${A} and status = 'pending'`,
    )
    await tx.query(
      `update orders set updated_at = now() where order_id =
         (select min(order_id) from orders where chain_id = ${A} and ${WAITS})`,
    )
    return await readOldestByIntegration(tx, A)
  })
  assert.equal(Math.round(result.oldest / 3_600), 1)
})

test('what signed batches will take is summed by bucket: of one chain, of nothing mined', async () => {
  assert.deepEqual(await readUnminedTotals(db, A), { mint: 105n + 106n, burn: 0n, transfer: 105n + 106n })
  const { result } = await changesOf(db, async (tx) => {
    await dropGuards(tx)
    await tx.query(
      `update orders set direction = 'REDEEM' where chain_id = $1 and direction = 'TRANSFER'
         and order_id in (select order_id from signed_orders where batch_id = 6)`,
      [A],
    )
    await markMined(tx, A, { batchId: 5n, ...place })
    return await readUnminedTotals(tx, A)
  })
  assert.deepEqual(result, { mint: 106n, burn: 106n, transfer: 0n })
  assert.deepEqual(await readUnminedTotals(db, 1), { mint: 0n, burn: 0n, transfer: 0n })
})
