// engine: postgres; both in test:long
/** Up to which block of a chain the books have everything: no supply of a later block is stated beside them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { readExpectedSupply } from '../../src/operator/reconcile/findings.sql.ts'
import type { BatchStatus } from '../../src/orders/order.ts'
import { readDecidedBlock } from '../../src/reserves/proofs.sql.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { seedTwoOfEverything } from '../support/two-of-everything.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
})
after(() => db.close())
beforeEach(async () => {
  await emptyTables(db)
  await seedTwoOfEverything(db)
  await db.query('delete from batches')
  await db.query('update chains set observed_block = 100')
})

const mined = (chainId: number, batchId: bigint, minedBlock: bigint) =>
  addBatchRow(db, { chainId, batchId, status: 'mined', minedBlock })

test('the books have what the settler has looked at, and nothing of a chain that none has', async () => {
  assert.equal(await readDecidedBlock(db, 1), 100n)
  assert.equal(await readDecidedBlock(db, 99), undefined)
})

test('they have nothing of the first block with a batch that is mined and not final, whatever other chains have', async () => {
  await addBatchRow(db, { chainId: 1, batchId: 1n, status: 'final', minedBlock: 3n })
  await addBatchRow(db, { chainId: 1, batchId: 4n, status: 'signed' })
  await mined(2, 1n, 5n)
  assert.equal(await readDecidedBlock(db, 1), 100n)
  await mined(1, 3n, 95n)
  await mined(1, 2n, 90n)
  assert.equal(await readDecidedBlock(db, 1), 89n)
  assert.equal(await readDecidedBlock(db, 2), 4n)
  await db.query('update chains set observed_block = 50 where chain_id = 1')
  assert.equal(await readDecidedBlock(db, 1), 50n)
})

test('batches execute in their order: one that is not found below one that is may be in any block from the one before it on', async () => {
  const final = (batchId: bigint, minedBlock: bigint) =>
    addBatchRow(db, { chainId: 1, batchId, status: 'final', minedBlock })
  await final(1n, 60n)
  await final(2n, 70n)
  await addBatchRow(db, { chainId: 1, batchId: 3n, status: 'signed' })
  await addBatchRow(db, { chainId: 2, batchId: 1n, status: 'signed' })
  const both = async () => [await readDecidedBlock(db, 1), (await readExpectedSupply(db, 1))?.block]
  assert.deepEqual(await both(), [100n, 100n], 'it may be in none')
  await mined(1, 4n, 90n)
  await addBatchRow(db, { chainId: 1, batchId: 5n, status: 'signed' })
  assert.deepEqual(await both(), [69n, 69n])
  await db.query('delete from batches where batch_id = 4')
  await final(4n, 90n)
  assert.deepEqual(await both(), [69n, 69n])
  assert.equal(await readDecidedBlock(db, 2), 100n)
  await db.query('delete from batches where batch_id < 3 and chain_id = 1')
  assert.deepEqual(await both(), [0n, 0n])
})

test('the one before it is of its chain and has a place, mined or final; one that waits above it was not found', async () => {
  const add = (batchId: bigint, status: BatchStatus, minedBlock = 0n, chainId = 1) =>
    addBatchRow(db, { chainId, batchId, status, minedBlock })
  await add(1n, 'final', 50n)
  await add(2n, 'abandoned')
  await add(2n, 'final', 80n, 2)
  await add(3n, 'signed')
  await add(4n, 'signed')
  assert.equal(await readDecidedBlock(db, 1), 100n)
  await add(5n, 'final', 90n)
  assert.equal(await readDecidedBlock(db, 1), 49n)
  await db.query('delete from batches where chain_id = 1 and batch_id = 2')
  await add(2n, 'mined', 60n)
  assert.equal(await readDecidedBlock(db, 1), 59n)
})
