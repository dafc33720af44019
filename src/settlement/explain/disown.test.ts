import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SettledTag } from '../tables/foreign.sql.ts'
import { type ConflictingOrder, disown } from './disown.ts'

const [A, B] = ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8', '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'] as const
const ORDER: ConflictingOrder = {
  chainId: 31_337,
  orderId: 1n,
  integrationId: 'int_1',
  referenceId: 'ref',
  direction: 'MINT',
  walletAddress: A,
  debitAddress: null,
  amountMicro: 5n,
  wasSigned: false,
  hasEnded: false,
}
const OWN: SettledTag = {
  chainId: 31_337,
  tag: '0x0011223344556677',
  direction: 'MINT',
  walletAddress: A,
  debitAddress: null,
  amountMicro: 5n,
  batchId: 7n,
  index: 0,
  orderId: null,
  notOfOrderId: null,
  succeeded: true,
  isForeign: true,
  digest: '0xd1',
  successBitmap: 1n,
  settledAt: new Date(0),
}
const at = (index: number, changes: Partial<SettledTag> = {}): SettledTag => ({ ...OWN, ...changes, index })
const said = (order: ConflictingOrder, settled: readonly SettledTag[], ...indexes: number[]) => {
  const result = disown(order, settled, ({ index }) => indexes.includes(index))
  return 'refused' in result ? result.refused : result.next
}
const SIGNED = { ...ORDER, wasSigned: true }

test('what moved coin under the tag of an order that was never signed here is its own, whatever the details', () => {
  assert.equal(said(ORDER, [at(0, { amountMicro: 4n })], 0), 'would_settle_twice')
  assert.equal(said(ORDER, [at(0, { walletAddress: B })], 0), 'would_settle_twice')
  assert.equal(said(ORDER, [at(0, { succeeded: false, amountMicro: 4n })], 0), 'settles')
  assert.equal(said(ORDER, [at(0, { orderId: 9n })], 0), 'settles')
})

test('an order that was signed here is released from what others made of its tag, but not from its own', () => {
  assert.equal(said(SIGNED, [at(0, { walletAddress: B })], 0), 'settles')
  assert.equal(said(SIGNED, [at(0, { amountMicro: 4n })], 0), 'settles')
  assert.equal(said(SIGNED, [at(0), at(1)], 0, 1), 'would_settle_twice')
})

test('of several, the one that is left and equal in everything is taken', () => {
  for (const order of [ORDER, SIGNED]) {
    assert.equal(said(order, [at(0), at(1)], 0), 'takes_outcome')
    assert.equal(said(order, [at(0), at(1, { chainId: 1 })], 0), 'would_settle_twice')
    assert.equal(said(order, [at(0), at(1), at(2)], 0), 'waits')
    assert.equal(said(order, [at(0), at(1, { succeeded: false })], 0), 'would_settle_twice')
    assert.equal(said(order, [at(0), at(1, { succeeded: false })], 1), 'takes_outcome')
  }
  assert.equal(said(SIGNED, [at(0, { walletAddress: B }), at(1, { amountMicro: 6n })], 0), 'waits')
})

test('an order that had ended stays so, whatever is said, until everything that moved coin for it has been spoken about', () => {
  const ended = { ...ORDER, hasEnded: true }
  assert.equal(said(ended, [at(0)], 0), 'stays_ended')
  assert.equal(said(ended, [at(0), at(1)], 0), 'waits')
  assert.equal(said(ended, [at(0), at(1, { succeeded: false })], 0), 'stays_ended')
  assert.equal(said(ended, [at(0), at(1, { orderId: 9n })], 0), 'stays_ended')
  assert.equal(said(ended, [at(0), at(1, { amountMicro: 6n })], 0), 'stays_ended')
  assert.equal(said(ended, [at(0, { notOfOrderId: 1n })], 0), 'none_chosen')
  const own = at(0, { succeeded: false, orderId: 1n })
  assert.equal(said(ended, [own, at(1)], 0), 'none_chosen', 'it has that outcome')
  assert.equal(said(ended, [own, at(1)], 1), 'stays_ended')
})

test('nothing is said twice, nor about nothing', () => {
  assert.equal(said(ORDER, [at(0)], 3), 'none_chosen')
  assert.equal(said(SIGNED, [at(0, { walletAddress: B, notOfOrderId: 1n })], 0), 'none_chosen')
  assert.equal(said(SIGNED, [at(0, { walletAddress: B, notOfOrderId: 1n }), at(1)], 1), 'would_settle_twice')
})

test('whatever is said in whichever order, nothing that moved coin as the order asks is ever followed by settling it again', () => {
  const instruction = fc.record({
    succeeded: fc.boolean(),
    walletAddress: fc.constantFrom(A, B),
    amountMicro: fc.constantFrom(4n, 5n),
    orderId: fc.constantFrom(null, null, 9n),
  })
  fc.assert(
    fc.property(
      fc.array(instruction, { maxLength: 5 }),
      fc.array(fc.subarray([0, 1, 2, 3, 4]), { maxLength: 5 }),
      fc.boolean(),
      (made, words, wasSigned) => {
        const order = { ...ORDER, wasSigned }
        let settled = made.map((each, index) => at(index, each))
        for (const indexes of words) {
          const result = disown(order, settled, ({ index }) => indexes.includes(index))
          if ('refused' in result) continue
          settled = settled.map((each) => (result.chosen.includes(each) ? { ...each, notOfOrderId: 1n } : each))
          const own = settled.filter(
            (each) =>
              each.succeeded &&
              each.orderId === null &&
              (!wasSigned || (each.walletAddress === A && each.amountMicro === 5n)),
          )
          if (result.next === 'settles') assert.deepEqual(own, [])
          if (result.next !== 'takes_outcome') continue
          const left = settled.find(({ notOfOrderId }) => notOfOrderId === null)
          assert.ok(left?.succeeded || own.length === 0)
        }
      },
    ),
    { numRuns: 2_000 },
  )
})
