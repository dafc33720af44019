import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreedHead } from '../../chain/quorum.ts'
import { freshMemory } from '../fresh-memory.ts'
import type { Work } from '../work.ts'
import { areNoncesDue, catchUpNonces, movingSigners } from './nonces.ts'

test('whose transactions the chain has all taken, and who carries nothing, is not asked about', () => {
  const stored = new Map([
    ['all-taken', 5n],
    ['one-open', 5n],
    ['unseen', 5n],
    ['ahead', 5n],
  ])
  const seen = { 'all-taken': 5n, 'one-open': 4n, ahead: 6n, unregistered: 0n }
  const configured = ['all-taken', 'one-open', 'unseen', 'ahead', 'unregistered']
  const moving = ['one-open', 'unseen', 'ahead', 'unregistered']
  assert.deepEqual(movingSigners(configured, [], { seen, stored }), moving)
  assert.deepEqual(movingSigners(configured, ['all-taken', 'gone', 'ahead'], { seen, stored }), [
    ...moving,
    'all-taken',
    'gone',
  ])
})

test('all are asked about at first, once in so many blocks as make one final, and on a shorter chain', () => {
  const work = { memory: freshMemory(), chain: { config: { confirmations: 3 } } } as unknown as Work
  const isDue = (number: bigint) => areNoncesDue(work, { head: { number } } as unknown as AgreedHead)
  assert.equal(isDue(10n), true)
  work.memory.follow.noncesAtBlock = 10n
  assert.deepEqual([9n, 10n, 12n, 13n].map(isDue), [true, false, false, true])
})

test('nobody is asked before the first look, nor again at the same head', async () => {
  const work = { memory: freshMemory(), chain: { config: { quorum: 1 } } } as unknown as Work
  const at = { head: { number: 10n }, nodes: [] } as unknown as AgreedHead
  await catchUpNonces(work, at)
  work.memory.follow.view = { nonces: {}, batches: {} }
  await assert.rejects(catchUpNonces(work, at), { name: 'NoQuorumError' }, 'there is no node to ask')
  work.memory.follow.noncesAtBlock = 10n
  await catchUpNonces(work, at)
})
