import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshMemory } from './fresh-memory.ts'
import { holdOf, setHeld, tellHeld } from './holds.ts'
import type { HoldReason } from './metrics.ts'
import type { Work } from './work.ts'

function setUp() {
  const logged: [level: string, fields: object][] = []
  const log = (level: string) => (fields: object) => void logged.push([level, fields])
  const memory = freshMemory()
  memory.market = { headHash: '0xa' } as typeof memory.market
  const work = {
    chain: { config: { chainId: 5 } },
    memory,
    times: { retryMs: 500 },
    nowMs: () => 1_000,
    logger: { info: log('info'), warn: log('warn') },
  } as unknown as Work
  return { work, memory, logged }
}

test('a hold keeps its reason, forgets the market and makes the next attempt wait', () => {
  const { work, memory } = setUp()
  assert.equal(setHeld(work, 'gas-price', { baseFeePerGas: '9' }), false)
  assert.deepEqual(memory.holds.held, { reason: 'gas-price', details: { baseFeePerGas: '9' } })
  assert.deepEqual([memory.holds.notBeforeMs, memory.market], [1_500, undefined])
})

test('when nothing holds any more, nothing waits and nothing is forgotten', () => {
  const { work, memory } = setUp()
  memory.holds.held = { reason: 'paused', details: {} }
  assert.equal(setHeld(work, 'none'), false)
  assert.deepEqual(memory.holds.held, { reason: 'none', details: {} })
  assert.equal(memory.holds.notBeforeMs, 0)
  assert.notEqual(memory.market, undefined)
})

test('batches of others that are not read yet come before any reason that does not say so itself', () => {
  const { memory } = setUp()
  const reasonOf = (reason: HoldReason, hasUnread: boolean | undefined) => {
    memory.holds.held = { reason, details: { of: reason } }
    memory.follow.hasUnread = hasUnread
    return holdOf(memory)
  }
  for (const hasUnread of [false, undefined])
    assert.deepEqual(reasonOf('paused', hasUnread), { reason: 'paused', details: { of: 'paused' } })
  for (const reason of ['none', 'paused', 'gas-price'] as const)
    assert.deepEqual(reasonOf(reason, true), { reason: 'batch-conflict', details: {} })
  for (const reason of ['batch-conflict', 'chain-behind', 'chain-mismatch', 'round-failed'] as const)
    assert.deepEqual(reasonOf(reason, true), { reason, details: { of: reason } })
  memory.follow.hasForeignBatch = true
  assert.equal(
    reasonOf('gas-price', false).reason,
    'batch-conflict',
    'one in the place of one of ours is not read either',
  )
})

test('what keeps a batch out of blocks holds the chain where nothing else does', () => {
  const { memory } = setUp()
  memory.holds.unmined = { reason: 'batch-not-mined', details: { batchId: '7' } }
  assert.deepEqual(holdOf(memory), { reason: 'batch-not-mined', details: { batchId: '7' } })
  memory.holds.held = { reason: 'paused', details: {} }
  assert.equal(holdOf(memory).reason, 'paused')
  memory.follow.hasUnread = true
  assert.equal(holdOf(memory).reason, 'batch-conflict')
})

test('a hold and its end are logged once each', () => {
  const { work, memory, logged } = setUp()
  tellHeld(work)
  assert.deepEqual(logged, [])
  memory.holds.held = { reason: 'paused', details: { batchId: '7' } }
  for (const _ of [1, 2]) tellHeld(work)
  assert.deepEqual(logged, [['warn', { chainId: 5, reason: 'paused', batchId: '7' }]])
  memory.holds.held = { reason: 'none', details: {} }
  for (const _ of [1, 2]) tellHeld(work)
  assert.deepEqual(logged.slice(1), [['info', { chainId: 5, before: 'paused' }]])
})
