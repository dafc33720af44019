import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { endToEndIdOf, isEndToEndId } from './end-to-end-id.ts'

const id = fc.string({ minLength: 1, maxLength: 100 }).filter((text) => !text.includes('\u0000'))
const attempts = fc.record({ integrationId: id, referenceId: id, attempt: fc.integer({ min: 1, max: 1_000 }) })

test('an id is 12 characters of base 36 and follows from the attempt alone', () => {
  fc.assert(
    fc.property(attempts, (attempt) => {
      const made = endToEndIdOf(attempt)
      assert.match(made, /^[0-9A-Z]{12}$/)
      assert.ok(isEndToEndId(made))
      assert.equal(endToEndIdOf({ ...attempt }), made)
    }),
  )
})

test('it never changes: a restored database must make the id that the bank knows', () => {
  const order = { integrationId: 'int_5f0c', referenceId: 'redeem-000001' }
  assert.equal(endToEndIdOf({ ...order, attempt: 1 }), 'PYQUOQ5DVLYI')
  assert.equal(endToEndIdOf({ ...order, attempt: 2 }), 'FNTHGPZ88KOV')
})

test('different attempts have different ids, wherever their parts divide', () => {
  fc.assert(
    fc.property(attempts, attempts, (one, other) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other))
      assert.notEqual(endToEndIdOf(one), endToEndIdOf(other))
    }),
  )
  const cuts = [
    { integrationId: 'a', referenceId: 'b1', attempt: 1 },
    { integrationId: 'ab', referenceId: '1', attempt: 1 },
    { integrationId: 'a', referenceId: 'b', attempt: 11 },
    { integrationId: 'a', referenceId: 'b1', attempt: 11 },
  ]
  assert.equal(new Set(cuts.map(endToEndIdOf)).size, cuts.length)
})

test('100,000 ids differ, and use their whole range', () => {
  const ids = Array.from({ length: 100_000 }, (_, n) =>
    endToEndIdOf({ integrationId: 'i', referenceId: `r${n}`, attempt: 1 }),
  )
  assert.equal(new Set(ids).size, ids.length)
  for (let place = 0; place < 12; place += 1) assert.equal(new Set(ids.map((one) => one[place])).size, 36)
})

test('parts that would give two attempts one id are refused', () => {
  for (const attempt of [0, -1, 1.5, Number.NaN, 2 ** 60]) {
    assert.throws(() => endToEndIdOf({ integrationId: 'i', referenceId: 'r', attempt }), RangeError)
  }
  assert.throws(() => endToEndIdOf({ integrationId: 'i\u0000r', referenceId: 'r', attempt: 1 }), RangeError)
  assert.throws(() => endToEndIdOf({ integrationId: 'i', referenceId: 'r\u00001', attempt: 1 }), RangeError)
})
