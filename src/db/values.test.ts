import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodeArray, decoders, encodeParam } from './values.ts'

test('arrays of any text survive encoding and decoding', () => {
  const element = fc.option(fc.string({ unit: 'grapheme' }), { nil: null })
  fc.assert(
    fc.property(fc.array(element), (values) => {
      assert.deepEqual(
        decodeArray(encodeParam(values) ?? '', (text) => text),
        values,
      )
    }),
  )
})

test('arrays of 64-bit integers survive encoding and decoding', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (values) => {
      assert.deepEqual(decoders[1016]?.(encodeParam(values) ?? ''), values)
    }),
  )
})

test('an unquoted NULL is null, a quoted one is a word', () => {
  assert.deepEqual(
    decodeArray('{NULL,"NULL",a}', (text) => text),
    [null, 'NULL', 'a'],
  )
})

test('scalars become PostgreSQL input text', () => {
  assert.equal(encodeParam(null), null)
  assert.equal(encodeParam(5n), '5')
  assert.equal(encodeParam(true), 'true')
  assert.equal(encodeParam(new Date(0)), '1970-01-01T00:00:00.000Z')
})
