import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import { findGaps } from './gaps.ts'

const batch = (signer: string, nonce: bigint) => ({ signer, nonce }) as InFlightBatch

test('a gap is every nonce from the next on chain up to the first that a batch carries, or to the one to be signed next', () => {
  const next = new Map([
    ['A', 8n],
    ['B', 8n],
  ])
  assert.deepEqual(findGaps({ A: 5n }, next, []), [{ signer: 'A', nonces: [5n, 6n, 7n] }])
  assert.deepEqual(findGaps({ A: 5n }, next, [batch('A', 7n)]), [{ signer: 'A', nonces: [5n, 6n] }])
  assert.deepEqual(findGaps({ A: 7n }, next, []), [{ signer: 'A', nonces: [7n] }])
})

test('where the chain has seen everything, or a batch carries the very next nonce, there is none', () => {
  const next = new Map([['A', 8n]])
  assert.deepEqual(findGaps({ A: 8n }, next, []), [])
  assert.deepEqual(findGaps({ A: 9n }, next, []), [])
  assert.deepEqual(findGaps({ A: 5n }, next, [batch('A', 5n)]), [])
  assert.deepEqual(findGaps({}, next, []), [])
})

test('what another signer carries fills nothing, and each signer has its own gap', () => {
  const next = new Map([
    ['A', 6n],
    ['B', 6n],
  ])
  assert.deepEqual(findGaps({ A: 5n, B: 4n }, next, [batch('B', 5n)]), [
    { signer: 'A', nonces: [5n] },
    { signer: 'B', nonces: [4n] },
  ])
})

test('a signer that the database does not know has no gap, from whatever nonce', () => {
  assert.deepEqual(findGaps({ A: 0n, B: 3n }, new Map(), []), [])
})

test('at most 64 nonces are missing at a time, the first ones', () => {
  const [gap] = findGaps({ A: 10n }, new Map([['A', 200n]]), [])
  assert.deepEqual([gap?.nonces.length, gap?.nonces[0], gap?.nonces.at(-1)], [64, 10n, 73n])
})
