import assert from 'node:assert/strict'
import { test } from 'node:test'
import { REFUNDS, REMINTS } from '../../values/house.ts'
import { orderTag } from '../../values/order-tag.ts'
import type { SettledTag } from '../tables/foreign.sql.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { judge } from './settled-tags.ts'

const [A, B] = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'] as const
const CHAIN = 31_337
const TRANSFER: PendingOrder = {
  orderId: 1n,
  integrationId: 'int_1',
  referenceId: 'ref',
  direction: 'TRANSFER',
  walletAddress: A,
  debitAddress: B,
  amountMicro: 5n,
}
const settled = (changes: Partial<SettledTag> = {}): SettledTag => ({
  chainId: CHAIN,
  tag: orderTag('int_1', 'ref'),
  direction: 'TRANSFER',
  walletAddress: A,
  debitAddress: B,
  amountMicro: 5n,
  batchId: 7n,
  index: 3,
  orderId: null,
  notOfOrderId: null,
  succeeded: true,
  isForeign: true,
  digest: '0xd1',
  successBitmap: 8n,
  settledAt: new Date(0),
  ...changes,
})
const shown = (orders: PendingOrder[], tags: SettledTag[]) =>
  judge(CHAIN, orders, tags).map((verdict) => `${verdict.order.orderId} ${'takes' in verdict ? 'takes' : 'conflict'}`)

test('an order takes the outcome of what was settled under its tag with all its details', () => {
  assert.deepEqual(judge(CHAIN, [TRANSFER], [settled()]), [{ order: TRANSFER, takes: settled() }])
  const lower = settled({ walletAddress: A.toLowerCase() as typeof A })
  assert.deepEqual(shown([TRANSFER], [lower]), ['1 takes'])
})

test('an order with another tag, integration or reference is not affected', () => {
  assert.deepEqual(judge(CHAIN, [TRANSFER], []), [])
  assert.deepEqual(judge(CHAIN, [{ ...TRANSFER, referenceId: 'other' }], [settled()]), [])
  assert.deepEqual(judge(CHAIN, [{ ...TRANSFER, integrationId: 'int_2' }], [settled()]), [])
})

test('a different detail, a second instruction, or one that an order has taken is a conflict of that order alone', () => {
  const others: Partial<SettledTag>[] = [
    { chainId: 1 },
    { direction: 'MINT' },
    { amountMicro: 4n },
    { walletAddress: B },
    { debitAddress: A },
    { debitAddress: null },
    { orderId: 99n },
  ]
  const neighbour = { ...TRANSFER, orderId: 2n, referenceId: 'other' }
  for (const other of others) assert.deepEqual(shown([TRANSFER, neighbour], [settled(other)]), ['1 conflict'])
  assert.deepEqual(shown([TRANSFER], [settled(), settled({ batchId: 8n })]), ['1 conflict'])
  assert.deepEqual(shown([TRANSFER, { ...TRANSFER, orderId: 2n }], [settled()]), ['1 takes', '2 conflict'])
})

test('what an operator has said not to be of an order is left out for that order, and for no other', () => {
  assert.deepEqual(shown([TRANSFER], [settled({ notOfOrderId: 1n })]), [])
  assert.deepEqual(shown([TRANSFER], [settled({ notOfOrderId: 2n })]), ['1 takes'])
  assert.deepEqual(shown([TRANSFER], [settled({ notOfOrderId: 1n, amountMicro: 4n }), settled()]), ['1 takes'])
})

test('a refund takes what was minted back under the tag of its redeem, but not what people have said to be none of the redeem', () => {
  const mint = { direction: 'MINT', debitAddress: null } as const
  const refund: PendingOrder = { ...TRANSFER, ...mint, integrationId: REFUNDS, referenceId: 'po_1', orderId: 2n }
  const redeem = { orderId: 1n, tag: orderTag('int_1', 'ref'), amountMicro: 5n, leastMicro: 5n, lostTag: undefined }
  const judged = (notOfOrderId: bigint | null) =>
    judge(CHAIN, [refund], [settled({ ...mint, notOfOrderId })], new Map([[2n, redeem]])).map((each) => 'takes' in each)
  assert.deepEqual(judged(null), [true])
  assert.deepEqual(judged(2n), [], 'of the refund itself')
  assert.deepEqual(judged(1n), [], 'its holder got neither coin nor ringgit for the burn')
  assert.deepEqual(judged(3n), [true])
})

test('what was minted again for a lost order is taken for the order itself, and the other way round, whichever try it was', () => {
  const mint: PendingOrder = { ...TRANSFER, direction: 'MINT', debitAddress: null }
  const remints = ['', '/2'].map((number) => ({
    ...mint,
    integrationId: REMINTS,
    referenceId: `${orderTag(mint.integrationId, mint.referenceId)}${number}`,
  }))
  for (const minted of [mint, ...remints]) {
    const tag = orderTag(minted.integrationId, minted.referenceId)
    const again = settled({ tag, direction: 'MINT', debitAddress: null })
    for (const order of [mint, ...remints]) assert.deepEqual(shown([order], [again]), ['1 takes'])
  }
})

test('whoever mints again what was lost takes what has failed under the tag try by try, what has moved coin whatever failed before, and mints where nothing is left', () => {
  const name = orderTag('int_1', 'ref')
  const [first, second, third] = ['', '/2', '/3'].map(
    (number, index): PendingOrder => ({
      ...TRANSFER,
      direction: 'MINT',
      debitAddress: null,
      orderId: BigInt(index + 1),
      integrationId: REMINTS,
      referenceId: `${name}${number}`,
    }),
  ) as [PendingOrder, PendingOrder, PendingOrder]
  const tried = (changes: Partial<SettledTag>) => settled({ direction: 'MINT', debitAddress: null, ...changes })
  const [failed, again] = [{ index: 1 }, { index: 2 }].map((place) => tried({ ...place, succeeded: false }))
  const [one, other] = [failed as SettledTag, again as SettledTag]
  assert.deepEqual(judge(CHAIN, [first], [one, other]), [{ order: first, takes: one }])
  const told = { ...one, orderId: 1n }
  assert.deepEqual(judge(CHAIN, [second], [told, other]), [{ order: second, takes: other }])
  assert.deepEqual(judge(CHAIN, [third], [told, { ...other, orderId: 2n }]), [])
  const moved = tried({ index: 3 })
  assert.deepEqual(judge(CHAIN, [first], [one, moved]), [{ order: first, takes: moved }])
  assert.deepEqual(judge(CHAIN, [second], [told, moved]), [{ order: second, takes: moved }])
  for (const other of [{ orderId: 99n }, { amountMicro: 4n }])
    assert.deepEqual(shown([second], [told, { ...moved, ...other }]), ['2 conflict'])
  assert.deepEqual(shown([first], [moved, { ...moved, index: 4 }]), ['1 conflict'], 'both moved coin')
  assert.deepEqual(shown([first], [{ ...one, amountMicro: 4n }]), ['1 conflict'])
  assert.deepEqual(shown([{ ...first, integrationId: 'int_1', referenceId: 'ref' }], [told]), ['1 conflict'])
})
