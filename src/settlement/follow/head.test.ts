import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToHex } from 'viem'
import type { RpcNode } from '../../chain/node.ts'
import type { FollowedHead } from '../finality.ts'
import { freshMemory } from '../fresh-memory.ts'
import type { Work } from '../work.ts'
import { headOf, keepHead } from './head.ts'

const POLL_MS = 100

/** A settler of one node; each round looks every so often, and records all that it sees. */
function begin() {
  const clock = { nowMs: 1_000, block: 7n, asked: 0 }
  const node: RpcNode = {
    label: 'node',
    async request() {
      clock.asked += 1
      const { block } = clock
      const quantities = { number: numberToHex(block), timestamp: '0x0', gasLimit: '0x1' }
      return { ...quantities, hash: numberToHex(block + 100n), parentHash: numberToHex(block + 99n) }
    },
  }
  const work = {
    chain: {
      nodes: [node],
      config: { chainId: 5, confirmations: 3, finality: 'depth', quorum: 1, pollIntervalMs: POLL_MS },
    },
    memory: freshMemory(),
    metrics: { finalLag() {} },
    nowMs: () => clock.nowMs,
  } as unknown as Work
  const { follow } = work.memory
  const record = ({ head, finalBlock }: FollowedHead) => {
    follow.recordedHash = head.hash
    follow.recordedFinal = finalBlock
  }
  const round = async (): Promise<bigint> => {
    const at = await headOf(work)
    record(at)
    keepHead(work, at)
    return at.head.number
  }
  /** Rounds until this many blocks have come, `intervalMs` apart. */
  const follows = async (blocks: number, intervalMs = 1_000) => {
    for (let n = 0; n < blocks; n += 1) {
      for (let ms = 0; ms < intervalMs; ms += POLL_MS) {
        await round()
        clock.nowMs += POLL_MS
      }
      clock.block += 1n
    }
    return await round()
  }
  return { clock, work, follow, round, follows }
}

test('after four regular blocks no node is asked for another until one may be there, and it is seen at once', async () => {
  const { clock, round, follows } = begin()
  await follows(5)
  clock.asked = 0
  const [seenAtMs, number] = [clock.nowMs, clock.block]
  clock.block += 1n
  for (clock.nowMs += POLL_MS; clock.nowMs < seenAtMs + 900; clock.nowMs += POLL_MS) assert.equal(await round(), number)
  assert.equal(clock.asked, 0)
  assert.equal(await round(), number + 1n)
  assert.equal(clock.asked, 1)
})

test('while blocks come irregularly nodes are asked in every round', async () => {
  const { clock, round, follows } = begin()
  await follows(5)
  await follows(1, 2_000)
  clock.asked = 0
  for (let n = 1; n <= 5; n += 1) {
    clock.nowMs += POLL_MS
    await round()
    assert.equal(clock.asked, n)
  }
})

test('nodes are asked again after a round that failed, while something is left to see, and while they are behind', async () => {
  const { clock, work, follow, round, follows } = begin()
  await follows(5)
  const isAsked = async () => {
    clock.asked = 0
    await round()
    return clock.asked === 1
  }
  assert.equal(await isAsked(), false)
  await headOf(work)
  assert.equal(await isAsked(), true, 'a round without an end')
  const at = await headOf(work)
  follow.recordedHash = undefined
  keepHead(work, at)
  assert.equal(await isAsked(), true, 'unlocated batches')
  follow.behindSinceMs = 1
  await round()
  assert.equal(await isAsked(), true, 'behind')
  follow.behindSinceMs = undefined
  await round()
  assert.equal(await isAsked(), false)
})
