// engine: postgres; both in test:long
/** A replay is the first answer, byte for byte, however far its order has gone since. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { firstAnswerOf } from '../../src/orders/accept/first-answer.ts'
import { createBatchSteps } from '../life/batch-steps.ts'
import { existingOrder } from '../support/decisions.ts'
import { CHAIN_ID, createOrdersFixture, type Operation, type OrdersFixture } from '../support/orders.ts'

let fixture: OrdersFixture
before(async () => {
  fixture = await createOrdersFixture()
})
after(() => fixture.close())

type Post = [
  operation: Operation,
  body: Record<string, unknown>,
  options: { idempotencyKey: string; referenceId?: string },
]

let posts = 0
let batches = 0n
const keyed = (more: object = {}) => {
  posts += 1
  return { idempotencyKey: `post-${posts}`, ...more }
}

async function orderOf(referenceId: unknown): Promise<bigint> {
  const [row] = await fixture.db.query<{ order_id: bigint }>('select order_id from orders where reference_id = $1', [
    String(referenceId),
  ])
  assert.ok(row)
  return row.order_id
}

/** Takes an order through a batch to its end. */
async function settle(referenceId: unknown, outcome: 'succeeded' | 'failed'): Promise<void> {
  const steps = createBatchSteps(fixture.db)
  batches += 1n
  const name = { chainId: CHAIN_ID, batchId: batches }
  await steps.submit(name, [await orderOf(referenceId)])
  await steps.mine(name)
  await steps.finalise(name, { succeeded: outcome === 'succeeded' ? [0] : [] })
}

async function statusOf(referenceId: unknown): Promise<unknown> {
  const [row] = await fixture.db.query('select status from orders where reference_id = $1', [String(referenceId)])
  return row?.status
}

/**
 * Posts in turn, moves the order on, then posts everything again: every key gets its first answer, and there is never a
 * second order.
 */
async function checkReplays(list: readonly Post[], referenceId: unknown, moveOn: () => Promise<unknown>, ends: string) {
  const first: { status: number; body: string }[] = []
  for (const [operation, body, options] of list) {
    const { replay, ...answer } = await fixture.call(operation, body, options)
    assert.equal(replay, false)
    first.push(answer)
  }
  const again = async () => {
    for (const [place, [operation, body, options]] of list.entries()) {
      assert.deepEqual(await fixture.call(operation, body, options), { ...first[place], replay: true })
      const { code } = await fixture.attempt(operation, { ...body, more: 1 }, options)
      assert.equal(code, 'IDEMPOTENCY_CONFLICT')
    }
  }
  await again()
  await moveOn()
  assert.equal(await statusOf(referenceId), ends)
  await again()
  assert.equal((await fixture.db.query('select from orders where reference_id = $1', [String(referenceId)])).length, 1)
  return first
}

for (const [ending, ends] of [
  ['succeeded', 'completed'],
  ['failed', 'failed'],
] as const) {
  test(`a mint that waited and was confirmed, then ${ends}`, async () => {
    const waiting = fixture.mintBody({ amountMyr: '12.340000' })
    const confirmed = { ...waiting, fiatConfirmed: true }
    const list: Post[] = [
      ['mint', waiting, keyed()],
      ['mint', waiting, keyed()],
      ['mint', { ...waiting, amountMyr: '5' }, keyed()],
      ['mint', confirmed, keyed()],
      ['mint', confirmed, keyed()],
    ]
    const answers = await checkReplays(list, waiting.referenceId, () => settle(waiting.referenceId, ending), ends)
    const statuses = answers.map(({ body }) => JSON.parse(body).status)
    assert.deepEqual(statuses, ['payment_pending', 'payment_pending', 'payment_pending', 'pending', 'pending'])
  })

  for (const [operation, body] of [
    ['mint', () => fixture.mintBody({ fiatConfirmed: true })],
    ['transfer', () => fixture.transferBody({ amountCoin: '0.000001' })],
    ['redeem', () => fixture.redeemBody({ bankReference: 'a "reference"' })],
  ] as const) {
    test(`a ${operation} posted twice, then ${ends}`, async () => {
      const request = body()
      const list: Post[] = [
        [operation, request, keyed()],
        [operation, request, keyed()],
      ]
      const end = operation === 'redeem' && ends === 'completed' ? 'processing' : ends
      const answers = await checkReplays(list, request.referenceId, () => settle(request.referenceId, ending), end)
      assert.deepEqual(
        answers.map(({ body: text }) => JSON.parse(text).phase),
        ['ORDER_CREATED', 'ORDER_CREATED'],
      )
    })
  }
}

test('a mint that was cancelled, twice', async () => {
  const waiting = fixture.mintBody()
  const referenceId = String(waiting.referenceId)
  const list: Post[] = [
    ['mint', waiting, keyed()],
    ['cancelMint', {}, keyed({ referenceId })],
    ['cancelMint', {}, keyed({ referenceId })],
  ]
  await checkReplays(list, referenceId, async () => {}, 'cancelled')
})

test('the answer to the POST that created an order is not stored; others are', async () => {
  const waiting = fixture.mintBody()
  const [created, confirmed] = [keyed(), keyed()]
  await fixture.call('mint', waiting, created)
  await fixture.call('mint', { ...waiting, fiatConfirmed: true }, confirmed)
  const rows = await fixture.db.query(
    `select idempotency_key as key from remembered_answers where idempotency_key = any ($1)`,
    [[created.idempotencyKey, confirmed.idempotencyKey]],
  )
  assert.deepEqual(rows, [{ key: confirmed.idempotencyKey }])
})

test('a body that is no longer accepted still answers what it was answered', async () => {
  const body = fixture.mintBody()
  const options = keyed()
  const { status, body: text } = await fixture.call('mint', body, options)
  // The rules of a field can become stricter; the fingerprint still says that it is the same request.
  const [row] = await fixture.db.query<{ hex: string }>(
    `select encode(fingerprint, 'hex') as hex from idempotency_keys where idempotency_key = $1`,
    [options.idempotencyKey],
  )
  const answer = await fixture.callAs(row?.hex ?? '', 'mint', { ...body, walletAddress: 'no longer one' }, options)
  assert.deepEqual(answer, { status, body: text, replay: true })
})

test('the bytes of a first answer: whoever changes them breaks the replays of orders that exist', () => {
  const order = existingOrder({
    referenceId: 'golden-reference',
    direction: 'REDEEM',
    status: 'completed',
    network: 'Chain "7"',
    amountMicro: 1_234_500_000n,
    feeMicro: 500_000n,
    txHash: `0x${'ab'.repeat(32)}`,
    blockNumber: 17n,
    createdAt: new Date('2026-03-04T05:06:07.008Z'),
    updatedAt: new Date('2026-03-04T06:06:07.008Z'),
  })
  const bodyOf = (status: string, phase: string) =>
    `{"ok":true,"referenceId":"golden-reference","status":"${status}","phase":"${phase}","direction":"REDEEM",` +
    `"chainId":${order.chainId},"network":"Chain \\"7\\"","tokenAddress":"${order.tokenAddress}","walletAddress":"${order.walletAddress}",` +
    '"amounts":{"myr":"1234.5","coin":"1234.5","feeMyr":"0.5","amountRaw":"1234500000","decimals":6},' +
    '"blockchain":{"txHash":null,"blockNumber":null},' +
    '"timestamps":{"createdAt":"2026-03-04T05:06:07.008Z","updatedAt":null}}'
  assert.deepEqual(firstAnswerOf(order, 'pending'), { status: 201, body: bodyOf('pending', 'ORDER_CREATED') })
  assert.deepEqual(firstAnswerOf(order, 'payment_pending'), {
    status: 201,
    body: bodyOf('payment_pending', 'PAYMENT_PENDING'),
  })
})
