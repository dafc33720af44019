import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeSettle, digestOf, NO_HISTORY, runningHashAfter, unpackInstructions } from '../../chain/instructions.ts'
import { orderTag } from '../../values/order-tag.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import { draftAfter } from './draft.ts'

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const order = (referenceId: string): PendingOrder => ({
  orderId: 1n,
  integrationId: 'int_1',
  referenceId,
  direction: 'MINT',
  walletAddress: WALLET,
  debitAddress: null,
  amountMicro: 5n,
})

test('a batch is the next one after its history, and names it', () => {
  const first = draftAfter({ batchId: 0n, runningHash: NO_HISTORY }, [order('a')])
  const second = draftAfter(first, [order('b'), order('c')])
  assert.deepEqual([first.batchId, first.previous], [1n, NO_HISTORY])
  assert.deepEqual([second.batchId, second.previous], [2n, first.runningHash])
  assert.equal(first.runningHash, runningHashAfter(NO_HISTORY, digestOf(first.packed)))
  assert.deepEqual(decodeSettle(second.callData), { batchId: 2n, previous: first.runningHash, packed: second.packed })
  assert.equal(second.digest, digestOf(second.packed))
  assert.deepEqual(
    unpackInstructions(second.packed)?.map(({ tag }) => tag),
    ['b', 'c'].map((referenceId) => orderTag('int_1', referenceId)),
  )
})
