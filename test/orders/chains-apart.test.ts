// engine: postgres
/** Batches have the same ids on every chain: an order is shown with that of its own. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findOrder, findShownOrders, listOrders } from '../../src/orders/read/orders.sql.ts'
import { addBatchRow, addSignedLine } from '../support/batch-rows.ts'
import { CHAIN_ID, createOrdersFixture, type OrdersFixture, OTHER_CHAIN_ID } from '../support/orders.ts'

const BATCH = 7n
const txOf = (chainId: number) => `0x${String(chainId).repeat(13).slice(0, 64).padEnd(64, '0')}`

let fixture: OrdersFixture
before(async () => {
  fixture = await createOrdersFixture()
})
after(() => fixture.close())

/** A mint that is signed in the batch of its chain. @returns its reference */
async function signedOn(chainId: number): Promise<string> {
  const body = fixture.mintBody({ chainId, fiatConfirmed: true })
  await fixture.call('mint', body)
  const referenceId = String(body.referenceId)
  const [row] = await fixture.db.query<{ order_id: bigint }>('select order_id from orders where reference_id = $1', [
    referenceId,
  ])
  await addSignedLine(fixture.db, { orderId: row?.order_id ?? 0n, batchId: BATCH })
  return referenceId
}

test('an order is shown with the batch of its own chain, whichever chain has the lower number', async () => {
  const { db, integrationId } = fixture
  const statuses = { [CHAIN_ID]: 'signed', [OTHER_CHAIN_ID]: 'mined' } as const
  const shown: [string, string, string][] = []
  for (const [id, status] of Object.entries(statuses)) {
    const chainId = Number(id)
    const referenceId = await signedOn(chainId)
    await addBatchRow(db, { chainId, batchId: BATCH, status, txHash: txOf(chainId) })
    shown.push([referenceId, status, txOf(chainId)])
  }
  for (const [referenceId, status, txHash] of shown) {
    const found = await findOrder(db, integrationId, referenceId)
    assert.deepEqual([found?.batchStatus, found?.txHash], [status, txHash])
    const [alone] = await findShownOrders(db, [{ integrationId, referenceId }])
    assert.deepEqual([alone?.batchStatus, alone?.txHash], [status, txHash])
  }
  const together = await findShownOrders(
    db,
    shown.map(([referenceId]) => ({ integrationId, referenceId })),
  )
  assert.deepEqual(
    together.map((order) => order?.batchStatus),
    shown.map(([, status]) => status),
  )
  const filters = { direction: undefined, status: undefined, createdAfter: undefined, before: undefined, limit: 10 }
  const { orders } = await listOrders(db, integrationId, filters)
  assert.deepEqual(
    orders.map(({ batchStatus }) => batchStatus),
    ['mined', 'signed'],
  )
})
