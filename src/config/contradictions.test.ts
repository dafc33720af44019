import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load, problemsOf } from '../../test/support/settings.ts'

const LONGEST = 'x'.repeat(500)

test('settings that cannot both be meant are refused, and say which', () => {
  const says = (env: Record<string, string>, words: RegExp) => assert.match(problemsOf(env).join(' '), words)
  says({ PORT: '4001' }, /^PORT and OPERATOR_PORT are the same/)
  says({ PORT: '5000', OPERATOR_PORT: '5000', HOST: '0.0.0.0' }, /^PORT and OPERATOR_PORT are the same/)
  says({ MINT_FLOOR: '10.000001', MINT_CEILING: '10' }, /^MINT_FLOOR is above MINT_CEILING/)
  says({ MINT_FLOOR: '10.000001', MINT_DAY_CAP: '10' }, /^MINT_FLOOR is above MINT_DAY_CAP/)
  for (const meant of [
    { PORT: '0', OPERATOR_PORT: '0' },
    { PORT: '5000', OPERATOR_PORT: '5000', OPERATOR_HOST: '127.0.0.2' },
    { MINT_FLOOR: '10', MINT_CEILING: '10', MINT_DAY_CAP: '10' },
    // No mints at all, for a while.
    { MINT_CEILING: '0' },
    { MINT_DAY_CAP: '0' },
  ]) {
    assert.deepEqual(problemsOf(meant), [], JSON.stringify(meant))
  }
})

test('an OPERATOR_TOKEN that no request may carry is refused, and so is an origin with a path', () => {
  assert.equal(load({ OPERATOR_TOKEN: LONGEST }).operatorToken, LONGEST)
  assert.match(problemsOf({ OPERATOR_TOKEN: `${LONGEST}x` }).join(' '), /^OPERATOR_TOKEN must be 32 to 500 printable/)
  for (const name of ['PUBLIC_ORIGIN', 'CONSOLE_ORIGIN']) {
    assert.match(problemsOf({ [name]: 'https://a.example/path' }).join(' '), new RegExp(`^${name} must be .* path`))
    assert.deepEqual(problemsOf({ [name]: 'https://a.example/' }), [])
  }
})
