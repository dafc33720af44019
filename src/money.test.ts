import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../test/support/any-text.ts'
import { formatAmount, formatSen, parseAmount, parseSen, sayRinggit, saySen } from './money.ts'

const GRAMMAR = /^(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$/
const MAX_MICRO = 10n ** 18n - 1n

test('what is formatted parses back to the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: MAX_MICRO }), (amountMicro) => {
      const text = formatAmount(amountMicro)
      assert.match(text, GRAMMAR)
      assert.doesNotMatch(text, /\.\d*0$/)
      assert.deepEqual(parseAmount(text), { ok: true, amountMicro })
      assert.equal(formatAmount(-amountMicro), `-${text}`)
    }),
  )
})

test('in a sentence thousands are apart, and sen are there', () => {
  const said = [0n, -7_000_000n, 999_500_000n, 1_000_000n * 1_000n, 1_239_560_890_000n, -123_456_789_012_345n]
  assert.deepEqual(said.map(sayRinggit), [
    'RM 0.00',
    'RM -7.00',
    'RM 999.50',
    'RM 1,000.00',
    'RM 1,239,560.89',
    'RM -123,456,789.012345',
  ])
  assert.deepEqual([0n, 99_950n, -5n].map(saySen), ['RM 0.00', 'RM 999.50', 'RM -0.05'])
})

test('nothing at all has no sign', () => {
  assert.deepEqual([formatAmount(0n), formatSen(0n)], ['0', '0.00'])
})

test('trailing zeros change nothing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: MAX_MICRO }), fc.nat(6), (amountMicro, zeros) => {
      const [whole = '', fraction = ''] = formatAmount(amountMicro).split('.')
      const padded = fraction.padEnd(Math.max(fraction.length, zeros), '0')
      const text = padded === '' ? whole : `${whole}.${padded}`
      assert.deepEqual(parseAmount(text), { ok: true, amountMicro })
    }),
  )
})

test('exactly the grammar of the contract is an amount', () => {
  const close = fc.oneof(
    fc.stringMatching(/^-?[0-9]{0,14}\.?[0-9]{0,8}$/),
    fc.stringMatching(/^[-+ 0-9.eE,_x]{0,22}$/),
    anyText(),
  )
  fc.assert(
    fc.property(close, (text) => {
      const parsed = parseAmount(text)
      const unsigned = text.startsWith('-') ? text.slice(1) : text
      if (!GRAMMAR.test(unsigned)) return assert.deepEqual(parsed, { ok: false, code: 'INVALID_AMOUNT' })
      const positive = unsigned === text && /[1-9]/.test(text)
      assert.equal(parsed.ok, positive)
      if (!parsed.ok) assert.equal(parsed.code, 'AMOUNT_NEGATIVE_OR_ZERO')
    }),
    { numRuns: 2_000 },
  )
})

test('nothing but a string is an amount', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      fc.pre(typeof value !== 'string')
      assert.deepEqual(parseAmount(value), { ok: false, code: 'INVALID_AMOUNT' })
    }),
  )
})

test('sen are printed with two decimals and parse back', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }), (amountSen) => {
      const text = formatSen(amountSen)
      assert.match(text, /^(0|[1-9]\d*)\.\d\d$/)
      assert.equal(parseSen(text), amountSen)
      if (amountSen > 0n) assert.equal(formatSen(-amountSen), `-${text}`)
    }),
  )
})

test('ringgit amounts of banks have at most two decimals and nothing but digits', () => {
  for (const [text, amountSen] of [
    ['7', 700n],
    ['7.5', 750n],
    ['0.05', 5n],
    ['999999999999.99', 99999999999999n],
  ] as const) {
    assert.equal(parseSen(text), amountSen)
  }
  const wrong = [
    '',
    '1.',
    '.5',
    '1.234',
    '1.000',
    '01.00',
    '9999999999999.99',
    '+1',
    '-1',
    '1,000.00',
    '1e3',
    ' 1',
    '1 ',
    '٣',
    '99999999999999',
    '1'.repeat(1_000),
  ]
  for (const text of wrong) assert.equal(parseSen(text), undefined, text)
})
