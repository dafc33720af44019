import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { numberToHex } from 'viem'
import type { RpcNode } from '../chain/node.ts'
import { freshMemory } from './fresh-memory.ts'
import { countNodeLag } from './node-lag.ts'
import type { Work } from './work.ts'

const HASH = `0x${'1'.repeat(64)}`

type Asked = { answer(head: bigint | null): void; fail(): void }

/** Nodes whose answers a test gives, and what is counted of them. */
function setUp(labels: readonly string[]) {
  const asked = new Map<string, Asked[]>(labels.map((label) => [label, []]))
  const nodes: RpcNode[] = labels.map((label) => ({
    label,
    async request() {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const block = (head: bigint) => ({
        number: numberToHex(head),
        hash: HASH,
        parentHash: HASH,
        timestamp: '0x0',
        gasLimit: '0x0',
        baseFeePerGas: '0x0',
      })
      asked.get(label)?.push({
        answer: (head) => resolve(head === null ? null : block(head)),
        fail: () => reject(new Error('unreachable')),
      })
      return await promise
    },
  }))
  const counted: unknown[][] = []
  let nowMs = 0
  const work = {
    chain: { config: { chainId: 5 }, nodes },
    memory: freshMemory(),
    metrics: { node: (...values: unknown[]) => void counted.push(values) },
    nowMs: () => nowMs,
  } as unknown as Work
  const count = async (afterMs: number) => {
    nowMs += afterMs
    countNodeLag(work)
    await nextTurn()
  }
  return { asked, counted, count }
}

test('the lag of each node is to the furthest one; one that fails or has no block has none', async () => {
  const { asked, counted, count } = setUp(['ahead', 'behind', 'dead', 'empty', 'also behind'])
  await count(0)
  asked.get('ahead')?.[0]?.answer(100n)
  asked.get('behind')?.[0]?.answer(97n)
  asked.get('dead')?.[0]?.fail()
  asked.get('empty')?.[0]?.answer(null)
  asked.get('also behind')?.[0]?.answer(99n)
  await nextTurn()
  assert.deepEqual(counted, [
    [5, 'ahead', 0],
    [5, 'behind', 3],
    [5, 'dead', undefined],
    [5, 'empty', undefined],
    [5, 'also behind', 1],
  ])
})

test('a new chain whose only block is the first one is not behind', async () => {
  const { asked, counted, count } = setUp(['a'])
  await count(0)
  asked.get('a')?.[0]?.answer(0n)
  await nextTurn()
  assert.deepEqual(counted, [[5, 'a', 0]])
})

test('nodes are asked every fifteen seconds, and never while they are being asked', async () => {
  const { asked, count } = setUp(['a'])
  const times = () => asked.get('a')?.length
  await count(0)
  assert.equal(times(), 1)
  await count(15_000)
  assert.equal(times(), 1, 'the first question is still open')
  asked.get('a')?.[0]?.fail()
  await nextTurn()
  await count(0)
  assert.equal(times(), 2)
  asked.get('a')?.[1]?.answer(1n)
  await nextTurn()
  await count(14_999)
  assert.equal(times(), 2)
  await count(1)
  assert.equal(times(), 3)
})
