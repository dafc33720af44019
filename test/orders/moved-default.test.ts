// engine: postgres; both in test:long
/** A request that names no chain, about a reference that was used while another chain was the default. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { orderTag } from '../../src/values/order-tag.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import {
  CHAIN_ID,
  createOrdersFixture,
  MICRO,
  newReference,
  type OrdersFixture,
  OTHER_CHAIN_ID,
} from '../support/orders.ts'

type Body = Record<string, unknown>

let fixture: OrdersFixture
before(async () => {
  fixture = await createOrdersFixture()
})
after(() => fixture.close())
afterEach(async () => {
  fixture.configure([CHAIN_ID, OTHER_CHAIN_ID])
  fixture.moveDefault(CHAIN_ID)
  fixture.accepted.length = 0
  await fixture.db.query('delete from chain_limits')
})

/** Everything that a POST was told of its order. */
async function post(operation: 'mint' | 'redeem' | 'transfer', body: Body) {
  const { answer, code } = await fixture.attempt(operation, body)
  if (answer === undefined) return { code }
  const { status, chainId, network } = JSON.parse(answer.body)
  return { status, chainId, network }
}

/** A batch that this database did not make has settled a mint of 100 to the named wallet under this reference. */
async function settleElsewhere(chainId: number, referenceId: string): Promise<void> {
  const batchId = someBatchId()
  await addBatchRow(fixture.db, { chainId, batchId, status: 'final', isForeign: true, orderIds: [] })
  await fixture.db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, amount_micro, succeeded)
     values ($1, $2, 0, $3, 'MINT', $4, $5, true)`,
    [chainId, batchId, orderTag(fixture.integrationId, referenceId), fixture.walletAddress, 100n * MICRO],
  )
}

const on = (chainId: number, status: string) => ({ status, chainId, network: `Test chain ${chainId}` })

test('a mint is confirmed on the chain on which it was recorded', async () => {
  const body = fixture.mintBody()
  assert.deepEqual(await post('mint', body), on(CHAIN_ID, 'payment_pending'))
  fixture.moveDefault(OTHER_CHAIN_ID)
  assert.deepEqual(await post('mint', { ...body, fiatConfirmed: true }), on(CHAIN_ID, 'pending'))
  assert.deepEqual(fixture.accepted, [CHAIN_ID])
  assert.deepEqual(await post('mint', fixture.mintBody()), on(OTHER_CHAIN_ID, 'payment_pending'))
})

test('and is held there to the limits of that chain', async () => {
  const body = fixture.mintBody({ amountMyr: '100' })
  await post('mint', body)
  fixture.moveDefault(OTHER_CHAIN_ID)
  const limit = (chainId: number, capacityMicro: bigint) =>
    fixture.db.query(
      `insert into chain_limits (chain_id, direction, capacity_micro, read_at) values ($1, 'MINT', $2, now())
       on conflict (chain_id, direction) do update set capacity_micro = $2, read_at = now()`,
      [chainId, capacityMicro],
    )
  await limit(CHAIN_ID, 99n * MICRO)
  await limit(OTHER_CHAIN_ID, 1_000n * MICRO)
  assert.deepEqual(await post('mint', { ...body, fiatConfirmed: true }), { code: 'POLICY_REJECTED' })
})

test('one that names another chain than the recorded one has other details, as before', async () => {
  const body = fixture.mintBody()
  await post('mint', body)
  const named = { ...body, fiatConfirmed: true, chainId: OTHER_CHAIN_ID }
  assert.deepEqual(await post('mint', named), on(CHAIN_ID, 'payment_pending'))
})

test('a redeem that is posted again is the same redeem; with another chain named it is not', async () => {
  const body = fixture.redeemBody()
  assert.deepEqual(await post('redeem', body), on(CHAIN_ID, 'pending'))
  fixture.moveDefault(OTHER_CHAIN_ID)
  assert.deepEqual(await post('redeem', body), on(CHAIN_ID, 'pending'))
  assert.deepEqual(await post('redeem', { ...body, chainId: OTHER_CHAIN_ID }), { code: 'IDEMPOTENCY_CONFLICT' })
})

test('where its chain is configured no longer, a mint is not confirmed and says why; what only repeats is answered as before', async () => {
  const [mint, redeem, transfer] = [fixture.mintBody(), fixture.redeemBody(), fixture.transferBody()]
  await post('mint', mint)
  await post('redeem', redeem)
  await post('transfer', transfer)
  fixture.accepted.length = 0
  fixture.moveDefault(OTHER_CHAIN_ID)
  fixture.configure([OTHER_CHAIN_ID])
  const { code, meta } = await fixture.attempt('mint', { ...mint, fiatConfirmed: true })
  assert.deepEqual(
    { code, meta },
    { code: 'INVALID_CHAIN_ID', meta: { chainId: CHAIN_ID, supportedChainIds: [OTHER_CHAIN_ID] } },
  )
  assert.deepEqual(await post('mint', mint), on(CHAIN_ID, 'payment_pending'))
  assert.deepEqual(await post('redeem', redeem), on(CHAIN_ID, 'pending'))
  assert.deepEqual(await post('transfer', transfer), on(CHAIN_ID, 'pending'))
  assert.deepEqual(await post('redeem', { ...redeem, amountCoin: '101' }), { code: 'IDEMPOTENCY_CONFLICT' })
  assert.deepEqual(fixture.accepted, [])
})

for (const [own, other] of [
  [CHAIN_ID, OTHER_CHAIN_ID],
  [OTHER_CHAIN_ID, CHAIN_ID],
] as const) {
  test(`what another history has settled on chain ${own} is recorded there, and on no other`, async () => {
    const referenceId = newReference()
    const body = fixture.mintBody({ referenceId, fiatConfirmed: true })
    await settleElsewhere(own, referenceId)
    fixture.moveDefault(other)
    assert.deepEqual(await post('mint', { ...body, chainId: other }), { code: 'IDEMPOTENCY_CONFLICT' })
    assert.deepEqual(await post('mint', body), on(own, 'pending'))
  })
}
