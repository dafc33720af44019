// engine: postgres
/** Mints of two chains that are signed at once do not use the same ringgit. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { submitOrders } from '../../src/orders/life/signed.sql.ts'
import { readReserveFacts } from '../../src/reserves/facts.sql.ts'
import { roomOf } from '../../src/reserves/guard.ts'
import { grantMints, ReserveUsedUpError } from '../../src/settlement/form/reserve.ts'
import { insertBatch } from '../../src/settlement/tables/batches.sql.ts'
import type { PendingOrder } from '../../src/settlement/tables/waiting.sql.ts'
import type { Work } from '../../src/settlement/work.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { emptyTables } from '../support/empty-tables.ts'
import { bankSays } from '../support/reserve.ts'
import { placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'

const MICRO = 1_000_000n
const POLICY = { guard: 'hold', maxAgeMs: 36 * 3_600_000 } as const

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'postgres' })
})
after(() => db.close())
beforeEach(async () => {
  await emptyTables(db)
  await seedTwoOfEverything(db)
})

let serial = 0n

/** What settlement does when it stores a signed batch of one mint. */
async function store(tx: Queryable, chainId: number, amountMicro: bigint): Promise<void> {
  serial += 1n
  const batchId = serial
  const reference = `mint-number-${batchId}`
  const orderId = await placeOrder(tx, { direction: 'MINT', party: 'a1', reference, amountMicro, chainId })
  const order = { orderId, direction: 'MINT', amountMicro } as PendingOrder
  await grantMints(tx, { reserve: POLICY } as Work, [order])
  const signed = { signer: '0x51', nonce: batchId, digest: '0xd1', runningHash: '0xd2', txHash: `0x${'a'.repeat(64)}` }
  await insertBatch(tx, { chainId, batchId, ...signed, fencingToken: 1n, orderIds: [orderId] })
  await submitOrders(tx, { chainId, batchId })
}

test('of many that are signed at once, on both chains, as many are granted as the reserve covers, and no more', async () => {
  await bankSays(db, 50n * MICRO)
  const tries = Array.from({ length: 12 }, (_, index) =>
    db
      .transaction((tx) => store(tx, 1 + (index % 2), 8n * MICRO))
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof ReserveUsedUpError) return false
          throw error
        },
      ),
  )
  const granted = (await Promise.all(tries)).filter((each) => each).length
  assert.equal(granted, 6)
  assert.equal(roomOf(await readReserveFacts(db), POLICY).roomMicro, 2n * MICRO)
})

test('whoever grants waits for the one before, and sees what it granted', async () => {
  await bankSays(db, 10n * MICRO)
  const stored = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const first = db.transaction(async (tx) => {
    await store(tx, 1, 10n * MICRO)
    stored.resolve()
    await go.promise
  })
  await stored.promise
  const second = db.transaction((tx) => store(tx, 2, MICRO))
  const outcome = second.then(
    () => 'granted',
    (error: unknown) => (error instanceof ReserveUsedUpError ? 'refused' : 'failed'),
  )
  go.resolve()
  await first
  assert.equal(await outcome, 'refused')
})

test('what was granted and rolled back is there again', async () => {
  await bankSays(db, 10n * MICRO)
  const failing = db.transaction(async (tx) => {
    await store(tx, 1, 10n * MICRO)
    throw new Error('killed')
  })
  await assert.rejects(failing, /killed/)
  await db.transaction((tx) => store(tx, 2, 10n * MICRO))
})
