import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../test/support/any-text.ts'
import { retryDelayMs, stepOf } from './payout.ts'

test('an unknown answer is asked for again, sooner or later, for ever', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.string(), (timesAsked, reason) => {
      const step = stepOf({ result: 'unknown', reason }, timesAsked)
      assert.equal(step.kind, 'ask again')
      const delayMs = retryDelayMs(timesAsked)
      assert.ok(delayMs >= 1_000 && delayMs <= 300_000)
      assert.ok(retryDelayMs(timesAsked + 1) >= delayMs)
    }),
  )
})

test('the pause doubles from a second up to five minutes', () => {
  const seconds = (timesAsked: number) => retryDelayMs(timesAsked) / 1_000
  assert.deepEqual([0, 1, 2, 3, 4, 8, 9, 10, 11, 2 ** 31 - 1].map(seconds), [1, 1, 2, 4, 8, 128, 256, 300, 300, 300])
})

test('only the rail decides: accepted and refused end the asking, however often it was asked', () => {
  assert.deepEqual(stepOf({ result: 'accepted', railReference: 'R1' }, 9), { kind: 'sent', railReference: 'R1' })
  assert.deepEqual(stepOf({ result: 'refused', reason: 'closed' }, 1), { kind: 'rejected', reason: 'closed' })
})

test('of an account number in a rail’s words the last four digits are kept, and a date stays one', () => {
  for (const [words, kept] of [
    ['account 80019283746551 closed on 20261120', 'account …6551 closed on 20261120'],
    ['80019283746551', '…6551'],
    ['duplicate of PAY800192837465 (AC04)', 'duplicate of PAY800192837465 (AC04)'],
  ] as const) {
    assert.deepEqual(stepOf({ result: 'refused', reason: words }, 1), { kind: 'rejected', reason: kept })
  }
})

test('an account number at the place where the words are cut leaves no more than its last four digits', () => {
  for (const before of [486, 490, 492, 495, 499]) {
    const reason = `${'x'.repeat(before)} 80019283746551 is closed`
    const step = stepOf({ result: 'refused', reason }, 1)
    assert.ok(step.kind === 'rejected' && step.reason.length <= 500)
    assert.doesNotMatch(step.reason, /8\d/, `cut after ${before}`)
  }
})

test('what a rail says is kept within bounds', () => {
  const step = stepOf({ result: 'refused', reason: 'x'.repeat(10_000) }, 1)
  assert.equal(step.kind === 'rejected' && step.reason.length, 500)
  const accepted = stepOf({ result: 'accepted', railReference: 'x'.repeat(10_000) }, 1)
  assert.equal(accepted.kind === 'sent' && accepted.railReference.length, 200)
  const unknown = stepOf({ result: 'unknown', reason: 'x'.repeat(10_000) }, 3)
  assert.deepEqual(unknown, { kind: 'ask again', afterMs: 4_000, reason: 'x'.repeat(500) })
  assert.deepEqual(stepOf({ result: 'refused', reason: 'a\0b\nc' }, 1), { kind: 'rejected', reason: 'a b c' })
})

test('what a rail says can be stored, whatever characters it holds', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      const accepted = stepOf({ result: 'accepted', railReference: text }, 1)
      const refused = stepOf({ result: 'refused', reason: `\0${text}` }, 1)
      assert.ok(accepted.kind === 'sent' && !/\p{Cc}/u.test(accepted.railReference))
      assert.ok(refused.kind === 'rejected' && !/\p{Cc}/u.test(refused.reason))
    }),
  )
})
