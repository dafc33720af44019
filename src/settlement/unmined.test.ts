import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt, InFlightBatch } from './tables/in-flight.sql.ts'
import { type UnminedFacts, whyUnmined } from './unmined.ts'

const ATTEMPT: Attempt = {
  txHash: '0xa1',
  signer: '0x51',
  nonce: 3n,
  gasLimit: 100n,
  sinceBroadcastMs: 5,
  verdict: 'accepted',
  fees: { maxFeePerGas: 30n, maxPriorityFeePerGas: 1n },
}
const FACTS: UnminedFacts = {
  baseFeePerGas: 10n,
  maxFeePerGasWei: 100n,
  bumpAfterBlocks: 4,
  sinceBlocks: 11n,
  unable: undefined,
  sinceHeadMs: 1_000,
  waitedMs: 30_000,
  isNonceUsed: false,
  blockIntervalMs: 2_000,
}
const why = (facts: Partial<UnminedFacts>, ...attempts: Partial<Attempt>[]) => {
  const batch = {
    batchId: 7n,
    signer: '0x51',
    nonce: 3n,
    digest: '0xd',
    orderCount: 1,
    status: 'signed',
    minedBlock: null,
    minedHash: null,
    txHash: '0xa1',
    attempts: attempts.map((each) => ({ ...ATTEMPT, ...each })),
  } as InFlightBatch
  return whyUnmined(batch, { ...FACTS, ...facts })
}
const reasonOf = (...given: Parameters<typeof why>) => why(...given)?.reason

test('a batch that merely waits for its block holds nothing, until three raises have not helped', () => {
  assert.equal(why({}, {}), undefined)
  assert.deepEqual(why({ sinceBlocks: 12n }, { verdict: 'known' }), {
    reason: 'batch-not-mined',
    details: { batchId: '7', blocks: '12', answer: 'known' },
  })
  assert.equal(why({ sinceBlocks: 12n }, { verdict: null })?.details.answer, 'not broadcast')
})

test('gas that costs more than may ever be offered is said at once, and less than that once raises have not helped', () => {
  const dear = { baseFeePerGas: 101n, sinceBlocks: 1n }
  assert.deepEqual(why(dear, {}), {
    reason: 'gas-price',
    details: { batchId: '7', baseFeePerGas: '101', maxFeePerGas: '100' },
  })
  assert.equal(why({ ...dear, baseFeePerGas: 100n }, {}), undefined)
  assert.equal(reasonOf({ baseFeePerGas: 31n, sinceBlocks: 12n }, {}), 'gas-price')
  assert.equal(reasonOf({ baseFeePerGas: 30n, sinceBlocks: 12n }, {}), 'batch-not-mined')
  const raised = { fees: { maxFeePerGas: 200n, maxPriorityFeePerGas: 1n } }
  assert.equal(why(dear, {}, raised), undefined, 'one of them offers enough')
})

test('what nodes refuse is said with the next block, unless one of them has taken an attempt', () => {
  assert.equal(reasonOf({ sinceBlocks: 1n }, { verdict: 'rejected' }, { verdict: 'rejected' }), 'batch-not-mined')
  assert.equal(reasonOf({ sinceBlocks: 1n }, { verdict: 'rejected' }, { verdict: 'doubtful' }), undefined)
  assert.equal(reasonOf({ sinceBlocks: 0n }, { verdict: 'rejected' }), undefined)
  const earlier = { nonce: 2n, verdict: 'accepted' } as const
  assert.equal(reasonOf({ sinceBlocks: 1n }, earlier, { verdict: 'rejected' }), 'batch-not-mined')
  assert.equal(why({ sinceBlocks: 99n }, earlier), undefined, 'nothing competes for its nonce')
})

test('where no block comes for long that is said, unless something else keeps it out of the next one too', () => {
  const still = { sinceHeadMs: 300_000 }
  const said = { reason: 'batch-not-mined', details: { batchId: '7', noBlockForSeconds: '300' } }
  for (const sinceBlocks of [0n, 11n]) assert.deepEqual(why({ ...still, sinceBlocks }, {}), said)
  assert.deepEqual(why({ ...still, blockIntervalMs: undefined }, {}), said, 'by a process that has seen no other block')
  assert.deepEqual(why({ sinceBlocks: 0n, sinceHeadMs: 299_999 }, {}), undefined)
  assert.deepEqual(why({ ...still, waitedMs: 29_999 }, {}), undefined, 'not of one that was sent just now')
  const slow = { sinceBlocks: 0n, blockIntervalMs: 60_000 }
  assert.deepEqual(why({ ...slow, sinceHeadMs: 599_999 }, {}), undefined, 'not where blocks are as rare')
  assert.equal(reasonOf({ ...slow, sinceHeadMs: 600_000 }, {}), 'batch-not-mined')
  assert.equal(reasonOf({ ...still, baseFeePerGas: 101n }, {}), 'gas-price')
})

test('a signer that cannot carry it is named with the reason', () => {
  for (const [unable, reason] of [
    ['role', 'signer-without-role'],
    ['code', 'signer-unavailable'],
    ['gas-balance', 'gas-balance'],
    ['not configured', 'signer-unavailable'],
    ['does not sign', 'signer-unavailable'],
  ] as const)
    assert.deepEqual(why({ sinceBlocks: 1n, unable }, {}), {
      reason,
      details: { batchId: '7', signer: '0x51', why: unable },
    })
})

test('a batch whose nonce is used up without it says so, and nothing else', () => {
  const used = { isNonceUsed: true, baseFeePerGas: 101n, sinceBlocks: 99n, sinceHeadMs: 900_000 }
  const said = { reason: 'batch-not-mined', details: { batchId: '7', usedNonce: '3' } }
  for (const waitedMs of [0, 30_000]) assert.deepEqual(why({ ...used, waitedMs }, {}), said)
})
