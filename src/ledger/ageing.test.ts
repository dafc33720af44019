import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ageOf } from './ageing.ts'

const growth = fc.array(
  fc.record({ daysAgo: fc.integer({ min: 0, max: 120 }), amountMicro: fc.bigInt({ min: 0n, max: 1_000n }) }),
  { maxLength: 20 },
)

test('the parts add up to what is open, and no part is more than was added in its days', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -5_000n, max: 5_000n }), growth, (balanceMicro, added) => {
      const { totalMicro, partsMicro } = ageOf(balanceMicro, added)
      assert.equal(totalMicro, balanceMicro)
      assert.equal(
        partsMicro.reduce((total, part) => total + part, 0n),
        balanceMicro,
      )
      const bounds = [0, 1, 7, 30, 90]
      for (const [index, part] of partsMicro.slice(0, 4).entries()) {
        const most = added
          .filter(({ daysAgo }) => daysAgo >= (bounds[index] ?? 0) && daysAgo < (bounds[index + 1] ?? 0))
          .reduce((total, { amountMicro }) => total + amountMicro, 0n)
        const open = balanceMicro < 0n ? -part : part
        assert.ok(open >= 0n && open <= most)
      }
    }),
  )
})

test('the oldest is settled first', () => {
  const added = [
    { daysAgo: 40, amountMicro: 500n },
    { daysAgo: 0, amountMicro: 10n },
    { daysAgo: 1, amountMicro: 20n },
    { daysAgo: 6, amountMicro: 30n },
    { daysAgo: 7, amountMicro: 40n },
    { daysAgo: 89, amountMicro: 60n },
    { daysAgo: 90, amountMicro: 70n },
  ]
  assert.deepEqual(ageOf(5n, added).partsMicro, [5n, 0n, 0n, 0n, 0n])
  assert.deepEqual(ageOf(105n, added).partsMicro, [10n, 50n, 40n, 5n, 0n])
  assert.deepEqual(ageOf(700n, added).partsMicro, [10n, 50n, 40n, 560n, 40n])
})

test('what was overpaid has the age of what overpaid it, with the other sign', () => {
  const paid = [
    { daysAgo: 0, amountMicro: 2n },
    { daysAgo: 8, amountMicro: 10n },
  ]
  assert.deepEqual(ageOf(-5n, paid), { totalMicro: -5n, partsMicro: [-2n, 0n, -3n, 0n, 0n] })
  assert.deepEqual(ageOf(-15n, paid).partsMicro, [-2n, 0n, -10n, 0n, -3n])
})
