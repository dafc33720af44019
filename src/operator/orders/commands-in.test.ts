import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOrder } from './commands-in.ts'

test('commands about an order name it, and what they take besides; others stay as they are', () => {
  assert.equal(
    withOrder('held. Run "order release" or "order reject"; see "order show remints/0x1".', 'int_1/ref'),
    'held. Run "order release int_1/ref --reason …" or "order reject int_1/ref --reason …"; see "order show remints/0x1".',
  )
  assert.equal(
    withOrder('Run "payout release", or "order make-good --unpaid".', 'int_1/ref'),
    'Run "payout release", or "order make-good int_1/ref --unpaid --reason …".',
  )
})
