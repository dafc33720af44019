import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RoundedNumber } from './exact-number.ts'
import { parseJsonObject } from './json.ts'

const parse = (text: string) => parseJsonObject(Buffer.from(text))

test('an object parses to what JSON.parse makes of it', () => {
  const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }))
  fc.assert(
    fc.property(object, fc.constantFrom(0, 2), (value, indent) => {
      const text = JSON.stringify(value, null, indent)
      assert.deepEqual(parse(text), JSON.parse(text))
    }),
  )
})

test('a duplicate key is found wherever it is', () => {
  const path = fc.array(fc.constantFrom('array', 'object'), { maxLength: 10 })
  fc.assert(
    fc.property(path, fc.string({ unit: 'grapheme' }), (outer, key) => {
      const wrap = (text: string) =>
        `{"top":${outer.reduce((inner, kind) => (kind === 'array' ? `[0,${inner}]` : `{"k":${inner}}`), text)}}`
      const name = JSON.stringify(key)
      assert.notEqual(parse(wrap(`{${name}:1,"other-${key.length}x":2}`)) ?? key.startsWith('other'), undefined)
      assert.equal(parse(wrap(`{${name}:1,"between":{${name}:1},${name}:2}`)), undefined)
    }),
  )
})

test('the same key in different objects is no duplicate', () => {
  assert.deepEqual(parse('{"a":{"a":[{"a":1},{"a":2}]},"b":{"a":1}}'), { a: { a: [{ a: 1 }, { a: 2 }] }, b: { a: 1 } })
})

test('32 levels, whether of objects or arrays', () => {
  const nest = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  assert.notEqual(parse(nest(32)), undefined)
  assert.equal(parse(nest(33)), undefined)
  assert.equal(parse(nest(30_000)), undefined)
  assert.equal(parse('{"a":'.repeat(10_000)), undefined)
})

test('a text of more parts than there can be in a partner’s body is not looked at', () => {
  const most = 64 * 1024
  // The difference from what is that long would be shown at length.
  const isObject = (inner: string) => parse(`{"a":[${inner}],"b":"${'x'.repeat(10)}" }`) !== undefined
  assert.ok(isObject(`${'0,'.repeat(most - 1)}0`))
  for (const part of ['0,', '[],', '{},']) assert.ok(!isObject(`${part.repeat(most)}0`), part)
  const [name, content] = ['statement.xml', 'x'.repeat(1_000_000)]
  assert.deepEqual(parse(JSON.stringify({ name, content }, null, 2)), { name, content })
})

test('a __proto__ key is a key like any other', () => {
  const value = parse('{"__proto__":{"admin":true}}')
  assert.deepEqual(Object.keys(value ?? {}), ['__proto__'])
  assert.equal((value as { admin?: unknown }).admin, undefined)
  assert.equal(parse('{"__proto__":1,"__proto__":2}'), undefined)
})

test('arbitrary bytes never throw, and never become anything but an object', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const value = parseJsonObject(bytes)
      assert.ok(value === undefined || (typeof value === 'object' && !Array.isArray(value)))
    }),
  )
})

test('what is one level deep and written without blanks is judged as every other text', () => {
  const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.double(), fc.integer(), fc.boolean(), fc.constant(null))
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), value), (object) => {
      const text = JSON.stringify(object)
      assert.deepEqual(parse(text), JSON.parse(text))
      assert.deepEqual(parse(text), parse(text.replaceAll(/^\{/g, '{ ')))
    }),
  )
  const refused = [
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":1}',
    '{"a":1e999}',
    '{"a":"\\ud800"}',
    '{"\\ud800":1}',
    '[1]',
    '"a"',
    '1',
    '{"a":1,}',
  ]
  for (const text of refused) assert.equal(parse(text), undefined, text)
  assert.deepEqual(parse('{"2":1,"1":2}'), { 1: 2, 2: 1 })
  assert.deepEqual(Object.keys(parse('{"__proto__":1}') ?? {}), ['__proto__'])
  assert.equal(parse('{"__proto__":1,"__proto__":1}'), undefined)
})

test('a number that a double would round is kept as it was written, and no other is touched', () => {
  const kept = [
    '1',
    '-0',
    '0.1',
    '1.0',
    '1e2',
    '100E-2',
    '9007199254740992',
    '123456789012345680000',
    '1e21',
    '5e-324',
    '0e99999',
    '1e308',
  ]
  for (const text of kept) assert.deepEqual(parse(`{ "a": [${text}] }`), { a: [Number(text)] }, text)
  const rounded = [
    '9007199254740993',
    '31337.00000000000000000001',
    '0.1000000000000000055',
    '1e-400',
    '-1234567890123456789',
    '0.30000000000000004001',
  ]
  for (const text of rounded)
    assert.deepEqual(parse(`{"a":{"b":[${text}]}}`), { a: { b: [new RoundedNumber(text)] } }, text)
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      assert.deepEqual(parse(`{ "a": ${JSON.stringify(value)} }`), { a: JSON.parse(JSON.stringify(value)) })
    }),
  )
})

test('a body of any allowed size is read at once, however its numbers are written', () => {
  // More than any body has, so that a regular expression that tries each of these zeros anew does not end: with a body's 60,000 one took a
  // minute, in which nobody was served.
  const zeros = '0'.repeat(3_000_000)
  const numbers = [`1.${zeros}1`, `0.${zeros}1`, `1.${zeros}`, `${zeros}1`, `1${zeros}1`, `0.1${zeros}1e-9`]
  const many = `1.${'0'.repeat(2_000)}1,`.repeat(30).slice(0, -1)
  for (const text of [...numbers, many]) {
    parse(`{"a":[${text}]}`)
  }
  assert.deepEqual(parse(`{"a":1.${zeros}1}`), { a: new RoundedNumber(`1.${zeros}1`) })
  assert.deepEqual(parse(`{"a":1.${zeros}}`), { a: 1 })
})
