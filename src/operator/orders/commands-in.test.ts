import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withOrder, withParties, withPayout } from './commands-in.ts'

test('commands about an order name it, and what they take besides; others stay as they are', () => {
  assert.equal(
    withOrder('held. Run "coin order release" or "coin order reject"; see "coin order show remints/0x1".', 'int_1/ref'),
    'held. Run "coin order release int_1/ref --reason …" or "coin order reject int_1/ref --reason …"; see "coin order show remints/0x1".',
  )
  assert.equal(
    withOrder('Run "coin payout release", or "coin order make-good --unpaid".', 'int_1/ref'),
    'Run "coin payout release", or "coin order make-good int_1/ref --unpaid --reason …".',
  )
})

test('commands about a payout name it, and what they take besides; another payout stays', () => {
  assert.equal(
    withPayout(
      'look at the bank, then run "coin payout release" or "coin payout mark-paid"; see "coin payout show po_2".',
      'po_1',
    ),
    'look at the bank, then run "coin payout release po_1 --reason …" or "coin payout mark-paid po_1 --reference …"; see "coin payout show po_2".',
  )
})

test('commands that lift a stop name whose it is', () => {
  const stopped =
    'first run "coin integration resume", or "coin customer set ID --status VERIFIED"; "coin customer suspend" stops it.'
  assert.equal(
    withParties(stopped, { integrationId: 'int_1', customerId: 'cus_1' }),
    'first run "coin integration resume int_1", or "coin customer set cus_1 --status VERIFIED"; "coin customer suspend cus_1" stops it.',
  )
  assert.match(withParties(stopped, { integrationId: 'int_1', customerId: null }), /"coin customer set ID --status/)
})
