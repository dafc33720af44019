import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { parseJsonObject } from '../http-server/json.ts'
import { fingerprintOf } from './idempotency.ts'

const body = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }))

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}

test('the order of keys does not matter', () => {
  fc.assert(
    fc.property(body, (value) => {
      const other = reversed(value) as Record<string, unknown>
      assert.equal(fingerprintOf('POST', '/v1/mints', value), fingerprintOf('POST', '/v1/mints', other))
    }),
  )
})

test('a different value, path or method is a different request', () => {
  const base = fingerprintOf('POST', '/v1/mints', { a: '1', b: [1, 2] })
  assert.match(base, /^[0-9a-f]{64}$/)
  for (const other of [
    fingerprintOf('POST', '/v1/mints', { a: 1, b: [1, 2] }),
    fingerprintOf('POST', '/v1/mints', { a: '1', b: [2, 1] }),
    fingerprintOf('POST', '/v1/mints', { a: '1' }),
    fingerprintOf('POST', '/v1/redeems', { a: '1', b: [1, 2] }),
    fingerprintOf('PUT', '/v1/mints', { a: '1', b: [1, 2] }),
  ]) {
    assert.notEqual(other, base)
  }
})

test('a body is hashed in its RFC 8785 form, however deep it is', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom(...'abAB1_'), maxLength: 3 }),
  )
  const flat = fc.dictionary(
    name,
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ),
  )
  fc.assert(
    fc.property(fc.oneof(flat, body), (value) => {
      const expected = hash('sha256', `POST /v1/mints\n${canonicalize(value)}`)
      assert.equal(fingerprintOf('POST', '/v1/mints', value), expected)
    }),
  )
  for (const names of [
    ['b', 'a'],
    ['10', '9', 'a'],
    ['10', '9'],
    ['a', 'B', '_'],
  ]) {
    const value = Object.fromEntries(names.map((name) => [name, name]))
    assert.equal(fingerprintOf('POST', '/x', value), hash('sha256', `POST /x\n${canonicalize(value)}`))
  }
  // Hardly ever drawn at random: a name of letters, and under it an object whose own names are not in order.
  const deep = { amount: '1', payee: { name: 'x', account: [{ z: 1, y: null }] }, note: null }
  assert.equal(fingerprintOf('POST', '/x', deep), hash('sha256', `POST /x\n${canonicalize(deep)}`))
  assert.equal(fingerprintOf('POST', '/x', reversed(deep) as typeof deep), fingerprintOf('POST', '/x', deep))
  const odd = { 10: 'a', 9: 'b', '\u{1f600}': 1e21, '\ufb33': -0, toJSON: 'c' }
  assert.equal(fingerprintOf('POST', '/x', odd), hash('sha256', `POST /x\n${canonicalize(odd)}`))
})

test('a number that no double holds stands as it was written, as no other value does', () => {
  const of = (json: string) => fingerprintOf('POST', '/x', parseJsonObject(Buffer.from(json)) ?? {})
  const asWritten = (form: string) => hash('sha256', `POST /x\n${form}`)
  assert.equal(of('{"b": [9007199254740993], "a": 1e-400}'), asWritten('{"a":1e-400,"b":[9007199254740993]}'))
  for (const [number, value] of [
    ['9007199254740993', '{"rounded":"9007199254740993"}'],
    ['9007199254740993', '"9007199254740993"'],
    ['9007199254740993', '9007199254740992'],
    ['9007199254740993', '9007199254740993.0'],
    ['1e-400', '0'],
  ]) {
    assert.notEqual(of(`{"a":${number}}`), of(`{"a":${value}}`), `${number} and ${value}`)
  }
})
