import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OperatorError } from '../errors.ts'
import { CONSENT_LIFETIME_SECONDS, parseConsent } from './consent.ts'

const deadline = '1790000000'

test('a consent is a signature of whole bytes and its deadline, or nothing at all', () => {
  assert.equal(parseConsent({}), undefined)
  assert.deepEqual(parseConsent({ consent: '0xAB', deadline }), { signature: '0xab', deadline: 1_790_000_000n })
  const wrong: [consent: string | undefined, deadline: string | undefined, says: RegExp][] = [
    ['0xab', undefined, /--deadline/],
    [undefined, deadline, /--consent/],
    ['', deadline, /hexadecimal/],
    ['0x', deadline, /hexadecimal/],
    ['0xa', deadline, /hexadecimal/],
    ['0xabc', deadline, /hexadecimal/],
    ['abcd', deadline, /hexadecimal/],
    ['0xgg', deadline, /hexadecimal/],
    ['0xab', '0', /seconds/],
    ['0xab', '01', /seconds/],
    ['0xab', '1e9', /seconds/],
    ['0xab', '1'.repeat(13), /seconds/],
  ]
  for (const [consent, until, says] of wrong) {
    const given = { ...(consent !== undefined && { consent }), ...(until !== undefined && { deadline: until }) }
    assert.throws(
      () => parseConsent(given),
      (error) => error instanceof OperatorError && error.code === 'BAD_REQUEST' && says.test(error.message),
      JSON.stringify(given),
    )
  }
})

test('a new consent is valid for a week', () => {
  assert.equal(CONSENT_LIFETIME_SECONDS, 604_800)
})
