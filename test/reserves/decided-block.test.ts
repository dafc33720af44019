// engine: postgres; both in test:long
/** Up to which block of a chain the books have everything: no supply of a later block is stated beside them. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { readDecidedBlock } from '../../src/reserves/proofs.sql.ts'
import { addBatchRow } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { seedTwoOfEverything } from '../support/two-of-everything.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
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
