import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../test/support/any-text.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

const position = fc.record(
  {
    createdAt: fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
    orderId: fc.bigInt({ min: 1n, max: 2n ** 63n - 1n }),
  },
  { noNullPrototype: true },
)

test('a cursor gives its position back', () => {
  fc.assert(
    fc.property(position, (place) => assert.deepEqual(decodeCursor('int_1', encodeCursor('int_1', place)), place)),
  )
})

test('a changed cursor is recognised, whichever character was changed', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  fc.assert(
    fc.property(position, fc.nat(33), fc.constantFrom(...alphabet), (place, at, character) => {
      const cursor = encodeCursor('int_1', place)
      const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
      fc.pre(changed !== cursor)
      assert.equal(decodeCursor('int_1', changed), undefined)
    }),
  )
})

test("another integration's cursor and any other text are refused", () => {
  const cursor = encodeCursor('int_1', { createdAt: new Date(5), orderId: 1n })
  assert.equal(decodeCursor('int_2', cursor), undefined)
  for (const text of ['', 'x', cursor.slice(1), `${cursor}A`, `${cursor}=`, ` ${cursor}`, '€'.repeat(34)]) {
    assert.equal(decodeCursor('int_1', text), undefined)
  }
  fc.assert(fc.property(anyText(), (text) => assert.equal(decodeCursor('int_1', text), undefined)))
})
