import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { finalBlockOf } from '../../chain/final-block.ts'
import { findGaps } from '../repair/gaps.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { BatchFact } from './look.ts'
import { decideMoves, type Moves } from './moves.ts'

const batch = (changes: Partial<InFlightBatch> = {}): InFlightBatch => ({
  batchId: 1n,
  signer: '0xA',
  nonce: 4n,
  digest: '0xd1',
  orderCount: 1,
  status: 'signed',
  minedBlock: null,
  minedHash: null,
  txHash: null,
  attempts: [],
  ...changes,
})
const mined = batch({ status: 'mined', minedBlock: 10n, minedHash: '0xb10', txHash: '0xt1' })
const location = { txHash: '0xt1', blockNumber: 10n, blockHash: '0xb10' }
const settled: BatchFact = { state: 'settled', digest: '0xd1', successBitmap: 1n, location }

const decide = (one: InFlightBatch, fact: BatchFact | undefined, head = 10n, confirmations = 3): Moves =>
  decideMoves(
    [one],
    { nonces: {}, batches: fact === undefined ? {} : { '1': fact } },
    finalBlockOf(head, confirmations, undefined),
  )
const named = (moves: Moves) => Object.entries(moves).flatMap(([name, list]) => (list.length > 0 ? [name] : []))

test('each fact leads to its move', () => {
  assert.deepEqual(named(decide(batch(), undefined)), [])
  assert.deepEqual(named(decide(batch(), { state: 'waiting' })), [])
  assert.deepEqual(named(decide(batch(), settled)), ['mined'])
  assert.deepEqual(named(decide(batch(), settled, 12n)), ['mined', 'final'])
  assert.deepEqual(named(decide(batch(), settled, 10n, 1)), ['mined', 'final'])
  assert.deepEqual(named(decide(mined, settled, 11n)), [])
  assert.deepEqual(named(decide(mined, settled, 12n)), ['final'])
  assert.deepEqual(named(decide(mined, { state: 'waiting' }, 11n)), ['unmined'])
  assert.deepEqual(named(decide(batch(), { state: 'dead', byUs: true })), ['dead'])
})

test('a batch that moved to another block is recorded there and counts its depth from there', () => {
  const elsewhere: BatchFact = { ...settled, location: { ...location, blockNumber: 12n, blockHash: '0xb12' } }
  assert.deepEqual(named(decide(mined, elsewhere, 12n)), ['relocated'])
  assert.deepEqual(named(decide(mined, elsewhere, 14n)), ['relocated', 'final'])
})

test('a batch that another transaction carries now, or another block of the same height, is recorded there', () => {
  const byOther: BatchFact = { ...settled, location: { ...location, txHash: '0xt2' } }
  const inOther: BatchFact = { ...settled, location: { ...location, blockHash: '0xb10b' } }
  for (const fact of [byOther, inOther]) {
    assert.deepEqual(decide(mined, fact).relocated, [{ batchId: 1n, ...fact.location }])
  }
})

test('every batch is judged by its own fact', () => {
  const [one, two, three] = [batch(), batch({ batchId: 2n }), batch({ batchId: 3n, status: 'mined' })]
  const view = {
    nonces: {},
    batches: { '1': { ...settled, successBitmap: 5n }, '2': { state: 'dead', byUs: true }, '3': { state: 'waiting' } },
  } as const
  const moves = decideMoves([one, two, three], view, 10n)
  assert.deepEqual(moves.mined, [{ batchId: 1n, ...location }])
  assert.deepEqual(moves.final, [{ batch: one, mined: { batchId: 1n, ...location }, successBitmap: 5n }])
  assert.deepEqual(moves.dead, [{ batch: two, byUs: true }])
  assert.deepEqual(moves.unmined, [three])
})

test('another digest, or a transaction that cannot be found, decides nothing', () => {
  assert.deepEqual(named(decide(batch(), { ...settled, digest: '0xd2' }, 100n)), ['foreign'])
  assert.deepEqual(named(decide(batch(), { ...settled, location: undefined }, 100n)), ['unlocated'])
})

test('nothing is final before its depth, nor without its own digest at a place on the chain', () => {
  const fact: fc.Arbitrary<BatchFact> = fc.oneof(
    fc.constant<BatchFact>({ state: 'waiting' }),
    fc.record({ state: fc.constant('dead' as const), byUs: fc.boolean() }),
    fc.record({
      state: fc.constant('settled' as const),
      digest: fc.constantFrom('0xd1', '0xd2'),
      successBitmap: fc.bigInt({ min: 0n, max: 255n }),
      location: fc.option(
        fc.record({
          txHash: fc.constant('0xt1'),
          blockNumber: fc.bigInt({ min: 0n, max: 30n }),
          blockHash: fc.string(),
        }),
        { nil: undefined },
      ),
    }),
  )
  fc.assert(
    fc.property(
      fc.constantFrom(batch(), mined),
      fact,
      fc.bigInt({ min: 30n, max: 60n }),
      fc.integer({ min: 1, max: 40 }),
      (one, known, head, confirmations) => {
        const moves = decide(one, known, head, confirmations)
        const isFinal =
          known.state === 'settled' &&
          known.digest === '0xd1' &&
          known.location !== undefined &&
          head - known.location.blockNumber + 1n >= BigInt(confirmations)
        assert.equal(moves.final.length, isFinal ? 1 : 0)
        if (moves.dead.length > 0) assert.equal(known.state, 'dead')
      },
    ),
  )
})

test('a gap is a nonce that the chain waits for and no batch of that signer carries', () => {
  const nextNonces = new Map([
    ['0xA', 6n],
    ['0xB', 6n],
  ])
  assert.deepEqual(findGaps({ '0xA': 4n }, nextNonces, [batch()]), [])
  assert.deepEqual(findGaps({ '0xA': 5n }, nextNonces, [batch()]), [{ signer: '0xA', nonces: [5n] }])
  assert.deepEqual(findGaps({ '0xA': 6n }, nextNonces, []), [])
  assert.deepEqual(findGaps({ '0xC': 0n }, nextNonces, []), [])
  assert.deepEqual(findGaps({ '0xA': 4n, '0xB': 4n }, nextNonces, [batch()]), [{ signer: '0xB', nonces: [4n, 5n] }])
})

test('a gap goes up to the next nonce that a batch of that signer carries, or that the signer has not used', () => {
  const nextNonces = new Map([['0xA', 9n]])
  const of = (nonce: bigint, ...carried: InFlightBatch[]) =>
    findGaps({ '0xA': nonce }, nextNonces, carried).flatMap(({ nonces }) => nonces)
  assert.deepEqual(of(5n), [5n, 6n, 7n, 8n])
  assert.deepEqual(of(5n, batch({ nonce: 7n })), [5n, 6n])
  assert.deepEqual(of(5n, batch({ nonce: 7n, signer: '0xB' })), [5n, 6n, 7n, 8n])
  assert.deepEqual(of(9n), [])
  assert.equal(findGaps({ '0xA': 0n }, new Map([['0xA', 1_000n]]), [])[0]?.nonces.length, 64)
})
