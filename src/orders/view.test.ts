import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Direction, Order } from './order.ts'
import { viewOrder } from './view.ts'

const ORDER: Order = {
  orderId: 7n,
  integrationId: 'int_1',
  referenceId: 'reference-1',
  direction: 'MINT',
  status: 'pending',
  chainId: 31337,
  network: 'Test',
  tokenAddress: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  walletAddress: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  debitAddress: null,
  customerId: 'cus_1',
  keyId: '0'.repeat(16),
  amountMicro: 1_500_000n,
  feeMicro: 250_000n,
  bankReference: null,
  batchId: null,
  batchIndex: null,
  batchStatus: null,
  txHash: null,
  blockNumber: null,
  failureReason: null,
  createdAt: new Date('2026-03-01T08:00:00.000Z'),
  updatedAt: null,
}

test('which amounts are shown depends on the direction: a transfer moves no ringgit and costs nothing', () => {
  const amountsOf = (direction: Direction) => viewOrder({ ...ORDER, direction }).amounts
  const both = { coin: '1.5', amountRaw: '1500000', decimals: 6 }
  assert.deepEqual(amountsOf('MINT'), { ...both, myr: '1.5', feeMyr: '0.25' })
  assert.deepEqual(amountsOf('REDEEM'), { ...both, myr: '1.5', feeMyr: '0.25' })
  assert.deepEqual(amountsOf('TRANSFER'), { ...both, myr: null, feeMyr: '0' })
})

test('nothing internal is shown: no ids, no debited wallet, no reason of a failure', () => {
  const order: Order = { ...ORDER, debitAddress: 'canary', failureReason: 'canary', bankReference: 'canary' }
  const shown = JSON.stringify(viewOrder(order))
  assert.doesNotMatch(shown, /canary|int_1|cus_1|0{16}/)
})
