// engine: postgres
/** What two processes must not do at the same time. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { markFinal } from '../../src/settlement/tables/batches.sql.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
})
after(() => db.close())

/** A transaction that has done its work but is not yet committed. */
async function openTransaction<T>(work: (tx: Queryable) => Promise<T>) {
  let commit: () => void = () => {}
  const committing = new Promise<void>((resolve) => {
    commit = resolve
  })
  let worked: (result: T) => void = () => {}
  const result = new Promise<T>((resolve) => {
    worked = resolve
  })
  const ended = db.transaction(async (tx) => {
    worked(await work(tx))
    await committing
  })
  return {
    result: await result,
    async commit() {
      commit()
      await ended
    },
  }
}

const isSomebodyWaiting = async () => {
  const [row] = await db.query<{ waiting: bigint }>('select count(*) as waiting from pg_locks where not granted')
  return (row?.waiting ?? 0n) > 0n
}

test('two payers never claim the same payout, and neither waits for the other', async () => {
  for (const kind of ['one', 'two']) {
    const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: `claimed-${kind}` })
    const redeem = { orderId, customerId: CUSTOMERS.a1, amountMicro: 10_000n }
    await db.transaction((tx) => queuePayouts(tx, [redeem]))
  }
  const claim = (tx: Queryable, limit: number) => claimPayouts(tx, { rail: 'http', limit, claimMs: 60_000 })
  const first = await openTransaction((tx) => claim(tx, 1))
  const second = await db.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = '2s'`)
    return claim(tx, 10)
  })
  await first.commit()
  assert.equal(first.result.length, 1)
  assert.equal(second.length, 1)
  assert.notEqual(first.result[0]?.payoutId, second[0]?.payoutId)
})

test('redeems of one customer that two chains burn at the same time lose nothing of what is left over', async () => {
  const steps = createBatchSteps(db)
  const batches = [1, 2].map((chainId) => ({ chainId, batchId: 1n }))
  await db.query(
    `insert into customer_residuals (customer_id, owed_micro) values ($1, 1000)
     on conflict (customer_id) do update set owed_micro = 1000`,
    [CUSTOMERS.a1],
  )
  for (const batch of batches) {
    const { chainId } = batch
    const redeem = {
      direction: 'REDEEM',
      party: 'a1',
      reference: `burnt-on-${chainId}`,
      amountMicro: 16_000n,
      chainId,
    } as const
    await steps.submit(batch, [await placeOrder(db, redeem)])
    await steps.mine(batch)
  }
  const decide = async (tx: Queryable, index: number) => {
    const batch = batches[index] ?? { chainId: 0, batchId: 0n }
    const orderIds = (await markFinal(tx, batch.chainId, batch.batchId, 1n))?.orderIds ?? []
    await decideBatch(
      tx,
      { ...batch, orderIds, successBitmap: 1n, reasons: new Map() },
      { source: `batch/${batch.chainId}/${batch.batchId}`, effectiveAt: new Date() },
    )
  }
  const first = await openTransaction((tx) => decide(tx, 0))
  const second = db.transaction((tx) => decide(tx, 1))
  await waitFor('the second to wait for the first', isSomebodyWaiting)
  await first.commit()
  await second
  const paid = await db.query<{ amount_sen: bigint }>(
    `select amount_sen from payouts join orders using (order_id) where orders.reference_id like 'burnt-on-%' order by order_id`,
  )
  const owed = await db.query('select owed_micro from customer_residuals where customer_id = $1', [CUSTOMERS.a1])
  // 1,000 + 16,000 + 16,000 micro are 3 sen and 3,000 micro.
  assert.deepEqual([paid.map((row) => row.amount_sen), owed], [[1n, 2n], [{ owed_micro: 3_000n }]])
})

/** A burnt redeem of 16,000 micro, with 1,000 micro left over from before. */
async function burntRedeem(party: 'a1' | 'b1', reference: string) {
  await db.query(
    `insert into customer_residuals (customer_id, owed_micro) values ($1, 1000)
     on conflict (customer_id) do update set owed_micro = 1000`,
    [CUSTOMERS[party]],
  )
  const orderId = await placeOrder(db, { direction: 'REDEEM', party, reference })
  return { orderId, customerId: CUSTOMERS[party], amountMicro: 16_000n }
}

/** Queues a payout in a transaction that stops when it has read what the customer is owed. */
async function openAfterReading(redeem: Parameters<typeof queuePayouts>[1][number]) {
  const read = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const ended = db.transaction((tx) => {
    const query: Queryable['query'] = async (text, params) => {
      const rows = await tx.query(text, params)
      if (text.includes('select customer_id, owed_micro')) {
        read.resolve()
        await goOn.promise
      }
      return rows as never
    }
    return queuePayouts({ query }, [redeem])
  })
  await read.promise
  return {
    async commit() {
      goOn.resolve()
      await ended
    },
  }
}

test('what a customer is owed is not read while another transaction is about to change it', async () => {
  const redeems = [await burntRedeem('a1', 'read-one'), await burntRedeem('a1', 'read-two')] as const
  const first = await openAfterReading(redeems[0])
  const second = db.transaction((tx) => queuePayouts(tx, [redeems[1]]))
  await Promise.race([second, waitFor('the second to wait for the first', isSomebodyWaiting)])
  await first.commit()
  await second
  const owed = await db.query('select owed_micro from customer_residuals where customer_id = $1', [CUSTOMERS.a1])
  assert.deepEqual(owed, [{ owed_micro: 3_000n }])
})

test('payouts of one customer do not wait for those of another', async () => {
  const first = await openAfterReading(await burntRedeem('a1', 'held-up-by-none'))
  const other = await burntRedeem('b1', 'not-held-up')
  const paid = await db.transaction(async (tx) => {
    await tx.query(`set local lock_timeout = '2s'`)
    return queuePayouts(tx, [other])
  })
  assert.deepEqual([...paid.keys()], [other.orderId])
  await first.commit()
})
