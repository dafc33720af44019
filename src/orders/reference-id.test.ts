import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../test/support/any-text.ts'
import { isReferenceId } from './reference-id.ts'

const ALLOWED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-'
const reference = fc.string({ unit: fc.constantFrom(...ALLOWED), minLength: 8, maxLength: 100 })

test('exactly the texts of the contract are references', () => {
  fc.assert(fc.property(reference, (text) => assert.equal(isReferenceId(text), true)))
  fc.assert(
    fc.property(reference, fc.nat(100), anyText({ minLength: 1, maxLength: 1 }), (text, at, odd) => {
      const changed = text.slice(0, at) + odd + text.slice(at)
      const isFine = changed.length <= 100 && [...odd].every((character) => ALLOWED.includes(character))
      assert.equal(isReferenceId(changed), isFine)
    }),
  )
})

test('the length is 8 to 100; a line break at the end is one character too many', () => {
  for (const [length, fine] of [
    [0, false],
    [7, false],
    [8, true],
    [100, true],
    [101, false],
    [100_000, false],
  ] as const) {
    assert.equal(isReferenceId('x'.repeat(length)), fine)
  }
  assert.equal(isReferenceId('reference\n'), false)
  for (const value of [undefined, null, 12345678, ['reference'], { length: 9 }]) {
    assert.equal(isReferenceId(value), false)
  }
})
