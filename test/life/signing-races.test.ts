// engine: postgres
/** Signing an order against whatever else may happen to it: whoever is first wins, and the other one sees it. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { rejectOrder } from '../../src/orders/life/outcome.ts'
import { adoptOrder, OrdersMovedError, submitOrders } from '../../src/orders/life/signed.sql.ts'
import { decideBatch } from '../../src/payouts/decide-batch.ts'
import { insertBatch } from '../../src/settlement/tables/batches.sql.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { placeOrder, readState, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
})
after(() => db.close())

let reference = ''
let orderId = 0n
let unpaidId = 0n
let theirs = { chainId: 1, batchId: 0n }
beforeEach(async () => {
  theirs = { chainId: 1, batchId: someBatchId() }
  reference = `race-${theirs.batchId}`
  orderId = await placeOrder(db, { direction: 'TRANSFER', party: 'a1', reference })
  unpaidId = await placeOrder(db, {
    direction: 'MINT',
    party: 'a1',
    reference: `${reference}-unpaid`,
    state: 'paymentPending',
  })
  await addBatchRow(db, { ...theirs, status: 'final', orderIds: [], isForeign: true })
})

type Step = (tx: Queryable) => Promise<'done' | 'refused'>

const refusedWhenMoved = async (work: Promise<unknown>) =>
  await work.then(
    () => 'done' as const,
    (error: unknown) => {
      if (error instanceof OrdersMovedError) return 'refused' as const
      throw error
    },
  )

/** Settles the order as part of a batch of others, as settlement does when it finds its tag there. */
const adopt = (id: () => bigint): Step => {
  return (tx) =>
    refusedWhenMoved(
      (async () => {
        await adoptOrder(tx, theirs, id(), 0)
        const outcome = { ...theirs, orderIds: [id()], successBitmap: 1n, reasons: new Map() }
        await decideBatch(tx, outcome, { source: `batch/${theirs.batchId}`, effectiveAt: new Date() })
      })(),
    )
}

const STEPS = {
  sign: (tx) => {
    const batch = { chainId: 1, batchId: someBatchId() }
    const signed = { signer: '0x51', nonce: batch.batchId, digest: '0xd1', runningHash: '0xd2', txHash: '0x1' }
    return refusedWhenMoved(
      (async () => {
        await insertBatch(tx, { ...batch, ...signed, fencingToken: 1n, orderIds: [orderId] })
        await submitOrders(tx, batch)
      })(),
    )
  },
  hold: async (tx) => ((await holdOrders(tx, [{ orderId, reason: 'x' }])).length === 1 ? 'done' : 'refused'),
  reject: async (tx) => ((await rejectOrder(tx, orderId)) ? 'done' : 'refused'),
  adopt: adopt(() => orderId),
  adoptUnpaid: adopt(() => unpaidId),
  cancel: async (tx) => {
    const text = `update orders set status = 'cancelled' where order_id = $1 and status = 'payment_pending' returning order_id`
    return (await tx.query(text, [unpaidId])).length === 1 ? 'done' : 'refused'
  },
} as const satisfies Record<string, Step>
type StepName = keyof typeof STEPS

class Undone extends Error {}

/** In a transaction of its own, which is undone when the step is refused. */
async function take(name: StepName, whenDone?: () => Promise<void>): Promise<'done' | 'refused'> {
  try {
    return await db.transaction(async (tx) => {
      const result = await STEPS[name](tx)
      await whenDone?.()
      if (result === 'refused') throw new Undone()
      return result
    })
  } catch (error) {
    if (error instanceof Undone) return 'refused'
    throw error
  }
}

async function isSomebodyWaiting(): Promise<boolean> {
  const [row] = await db.query<{ waiting: bigint }>('select count(*) as waiting from pg_locks where not granted')
  return row?.waiting !== 0n
}

const STATUS_AFTER: Readonly<Record<StepName, string>> = {
  sign: 'processing SUBMITTED',
  hold: 'pending ORDER_CREATED',
  reject: 'failed FAILED',
  adopt: 'completed COMPLETED',
  adoptUnpaid: 'completed COMPLETED',
  cancel: 'cancelled FAILED',
}

const RACES: readonly (readonly [first: StepName, second: StepName, also?: 'done'])[] = [
  ['sign', 'sign'],
  ['sign', 'hold'],
  ['hold', 'sign'],
  ['sign', 'reject'],
  ['reject', 'sign'],
  ['sign', 'adopt'],
  ['adopt', 'sign'],
  ['adopt', 'reject'],
  ['reject', 'adopt'],
  ['adopt', 'hold'],
  // What others have settled is settled, held or not.
  ['hold', 'adopt', 'done'],
  ['adopt', 'adopt'],
  ['cancel', 'adoptUnpaid'],
  ['adoptUnpaid', 'cancel'],
]

for (const [first, second, also = 'refused'] of RACES) {
  test(`${first}, and before it has committed ${second}: the latter waits, and is ${also}`, async () => {
    let later: Promise<string> | undefined
    const result = await take(first, async () => {
      later = take(second)
      await waitFor('the second to wait', isSomebodyWaiting)
    })
    assert.deepEqual([result, await later], ['done', also])
    const state = await readState(db)
    const name = `order a/${first.endsWith('Unpaid') || first === 'cancel' ? `${reference}-unpaid` : reference} chain 1`
    const expected = STATUS_AFTER[also === 'done' ? second : first]
    assert.ok(state[name]?.startsWith(expected), `${state[name]}, not ${expected}`)
    const [lines] = await db.query<{ lines: bigint }>(
      'select count(*) as lines from signed_orders where order_id = $1',
      [orderId],
    )
    assert.equal(lines?.lines, expected.startsWith('processing') ? 1n : 0n)
  })
}
