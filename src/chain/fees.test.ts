import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bumpedFees, initialFees, loweredFees, outbiddingFees } from './fees.ts'

const caps = (maxFeePerGasWei: bigint, maxPriorityFeePerGasWei = maxFeePerGasWei) => ({
  maxFeePerGasWei,
  maxPriorityFeePerGasWei,
})
const wei = fc.bigInt({ min: 0n, max: 10n ** 12n })

test('a first attempt never offers more than the cap, and never less than the base fee', () => {
  fc.assert(
    fc.property(wei, wei, wei, (base, tip, cap) => {
      const fees = initialFees(base, tip, caps(cap))
      assert.equal(fees === undefined, base > cap)
      if (fees === undefined) return
      assert.ok(fees.maxFeePerGas <= cap && fees.maxFeePerGas >= base)
      assert.ok(fees.maxPriorityFeePerGas <= fees.maxFeePerGas)
    }),
  )
})

test('a replacement offers at least 12.5 % more in both fields, within the cap, or is not made', () => {
  fc.assert(
    fc.property(wei, wei, wei, wei, wei, (base, tip, marketBase, marketTip, cap) => {
      const previous = initialFees(base, tip, caps(cap))
      if (previous === undefined) return
      const fees = bumpedFees(previous, initialFees(marketBase, marketTip, caps(cap)), cap)
      if (fees === undefined) return
      assert.ok(fees.maxFeePerGas * 1000n >= previous.maxFeePerGas * 1125n && fees.maxFeePerGas > previous.maxFeePerGas)
      assert.ok(fees.maxPriorityFeePerGas * 1000n >= previous.maxPriorityFeePerGas * 1125n)
      assert.ok(fees.maxPriorityFeePerGas > previous.maxPriorityFeePerGas)
      assert.ok(fees.maxFeePerGas <= cap && fees.maxPriorityFeePerGas <= fees.maxFeePerGas)
    }),
  )
})

test('a replacement offers 12.5 % more, rounded up, at least one wei, and what the market asks for where that is more', () => {
  const same = (fee: bigint) => ({ maxFeePerGas: fee, maxPriorityFeePerGas: fee })
  const bumped = (fee: bigint) => bumpedFees(same(fee), undefined, 10_000n)
  const raised = new Map([
    [0n, 1n],
    [1n, 2n],
    [8n, 9n],
    [100n, 113n],
    [1_000n, 1_125n],
  ])
  for (const [fee, to] of raised) assert.deepEqual(bumped(fee), same(to))
  const market = { maxFeePerGas: 500n, maxPriorityFeePerGas: 200n }
  assert.deepEqual(bumpedFees(same(100n), market, 10_000n), market)
  assert.deepEqual(bumpedFees(same(100n), market, 300n), { maxFeePerGas: 300n, maxPriorityFeePerGas: 200n })
  assert.deepEqual(bumpedFees(same(400n), market, 10_000n), { maxFeePerGas: 500n, maxPriorityFeePerGas: 450n })
})

test('at the cap there is no replacement', () => {
  assert.equal(bumpedFees({ maxFeePerGas: 95n, maxPriorityFeePerGas: 1n }, undefined, 100n), undefined)
})

test('at the cap the tip alone may be raised, as far as the cap', () => {
  const from = (maxPriorityFeePerGas: bigint) => outbiddingFees({ maxFeePerGas: 95n, maxPriorityFeePerGas }, 100n)
  assert.deepEqual(from(8n), { maxFeePerGas: 100n, maxPriorityFeePerGas: 9n })
  assert.deepEqual(from(88n), { maxFeePerGas: 100n, maxPriorityFeePerGas: 99n })
  assert.equal(from(89n), undefined)
})

test('what was too dear is offered for an eighth more than the base fee, and the tip, if that is a tenth less', () => {
  const market = { maxFeePerGas: 1_000n, maxPriorityFeePerGas: 10n }
  const from = (maxFeePerGas: bigint) => loweredFees({ maxFeePerGas, maxPriorityFeePerGas: 99n }, 71n, market)
  assert.deepEqual(from(100n), { maxFeePerGas: 89n, maxPriorityFeePerGas: 10n })
  assert.deepEqual(from(99n), { maxFeePerGas: 89n, maxPriorityFeePerGas: 10n })
  assert.equal(from(98n), undefined)
})

test('a suggested tip counts up to its own cap, and raises no price beyond it', () => {
  assert.deepEqual(initialFees(10n, 10_000n, caps(500n, 50n)), { maxFeePerGas: 70n, maxPriorityFeePerGas: 50n })
  assert.deepEqual(initialFees(10n, 49n, caps(500n, 50n)), { maxFeePerGas: 69n, maxPriorityFeePerGas: 49n })
})
