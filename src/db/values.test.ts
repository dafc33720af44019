import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
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

test('every time that PostgreSQL writes is read as the library reads it', () => {
  const whole = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T23:59:59.999Z'),
    noInvalidDate: true,
  })
  const written = fc
    .tuple(whole, fc.stringMatching(/^(|\.\d{1,6})$/), fc.constantFrom('+00', '+00', '+08', '-03', '+05:30'))
    .map(([date, fraction, zone]) => `${date.toISOString().slice(0, 19).replace('T', ' ')}${fraction}${zone}`)
  fc.assert(
    fc.property(written, (text) => {
      assert.deepEqual(decoders[1184]?.(text), pg.types.getTypeParser(1184)(text))
    }),
    { numRuns: 2_000 },
  )
})

test('a time that JavaScript writes in a way that PostgreSQL does not read, or not at all, is one all the same, far off', () => {
  for (const [text, at] of [
    ['infinity', '9999-12-31T23:59:59.999Z'],
    ['290000-01-01 00:00:00+00', '9999-12-31T23:59:59.999Z'],
    ['12026-11-22 13:58:49+00', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31 23:59:59.998765+00', '9999-12-31T23:59:59.998Z'],
    ['-infinity', '0001-01-01T00:00:00.000Z'],
    ['4713-01-01 00:00:00+00 BC', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01 00:00:00.5+00', '0001-01-01T00:00:00.500Z'],
  ] as const)
    assert.deepEqual(decoders[1184]?.(text), new Date(at), text)
  assert.deepEqual(decoders[1185]?.('{infinity,NULL}'), [new Date('9999-12-31T23:59:59.999Z'), null])
})

test('a time of the year 2000 and one below a second are what they say', () => {
  assert.deepEqual(decoders[1184]?.('2000-02-29 23:59:59.98765+00'), new Date('2000-02-29T23:59:59.987Z'))
  assert.deepEqual(decoders[1184]?.('2026-11-22 00:00:00+00'), new Date('2026-11-22T00:00:00.000Z'))
})
