import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAmount, parseAmount } from '../../src/money.ts'
import { fromMicro, toMicro } from './amounts.ts'

test('there and back gives the same amount, and the same as the service gets', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 999_999_999_999_999_999n }), (micro) => {
      const text = fromMicro(micro)
      assert.equal(toMicro(text), micro)
      assert.equal(text, formatAmount(micro))
      assert.deepEqual(parseAmount(text), { ok: true, amountMicro: micro })
      assert.equal(fromMicro(-micro), `-${text}`)
      assert.equal(toMicro(`-${text}`), -micro)
    }),
  )
})

test('neither padding nor size matters', () => {
  assert.equal(toMicro('1000'), toMicro('1000.00'))
  assert.equal(toMicro('0.000001'), 1n)
  assert.equal(toMicro('9'.repeat(40)), BigInt('9'.repeat(40)) * 1_000_000n)
  assert.equal(fromMicro(0n), '0')
})

test('anything else is refused', () => {
  for (const bad of [
    '',
    '.5',
    '5.',
    '01',
    '+1',
    '1e3',
    '1,000',
    ' 1',
    '1\n',
    '0.0000001',
    '1_000',
    '9'.repeat(61),
    1,
    1n,
    null,
  ]) {
    assert.throws(() => toMicro(bad as string), TypeError, String(bad))
  }
  for (const bad of [1, '1', undefined]) assert.throws(() => fromMicro(bad as unknown as bigint), TypeError)
})
