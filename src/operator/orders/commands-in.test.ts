import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withBatch, withOrder, withParties, withPayout } from './commands-in.ts'

test('commands about an order name it, and what they take besides; others stay as they are', () => {
  assert.equal(
    withOrder('held. Run "coin order release" or "coin order reject"; see "coin order show remints/0x1".', 'int_1/ref'),
    'held. Run "coin order release int_1/ref --held … --reason …" or "coin order reject int_1/ref --reason …"; see "coin order show remints/0x1".',
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
    'look at the bank, then run "coin payout release po_1 --held … --reason …" or "coin payout mark-paid po_1 --reference …"; see "coin payout show po_2".',
  )
})

test('commands that lift a stop name whose it is, and the wallets', () => {
  const order = { chainId: 7, integrationId: 'int_1', customerId: 'cus_1', walletAddress: '0xA', debitAddress: null }
  const stopped =
    'first run "coin integration resume", or "coin customer set ID --status VERIFIED"; "coin customer suspend" stops it.'
  assert.equal(
    withParties(stopped, order),
    'first run "coin integration resume int_1", or "coin customer set cus_1 --status VERIFIED"; "coin customer suspend cus_1" stops it.',
  )
  const listed = 'run "coin screening allow" first, or "coin wallet add"; see "coin batch show CHAIN ID".'
  assert.equal(
    withParties(listed, order),
    'run "coin screening allow 0xA" first, or "coin wallet add --customer cus_1 --address 0xA"; see "coin batch show 7 ID".',
  )
  assert.equal(
    withParties(listed, { ...order, debitAddress: '0xD' }),
    'run "coin screening allow 0xA" or "coin screening allow 0xD" first, or "coin wallet add --customer cus_1 --address 0xD"; see "coin batch show 7 ID".',
  )
})

test('another order is not the one of which it is said; a batch that is known is named', () => {
  assert.equal(
    withOrder('"coin order make-good ORDER --reason …" for the earlier one, see "coin order show"', 'int_1/ref'),
    '"coin order make-good ORDER --reason …" for the earlier one, see "coin order show int_1/ref"',
  )
  assert.equal(
    withOrder('"coin batch explain CHAIN ID --not-order ORDER --reason …"', 'int_1/ref'),
    '"coin batch explain CHAIN ID --not-order int_1/ref --reason …"',
  )
  assert.equal(withBatch('"coin batch show CHAIN ID"', { chainId: 7, batchId: 9n }), '"coin batch show 7 9"')
})
