import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { numberToHex } from 'viem'
import type { RpcNode } from './node.ts'
import { agree, agreedHead, candidateHeights, NoQuorumError } from './quorum.ts'

const nodes = (count: number): RpcNode[] =>
  Array.from({ length: count }, (_, index) => ({
    label: String(index),
    request: () => Promise.reject(new Error('unused')),
  }))

test('a value counts when enough nodes agree on it, whatever the others say', { timeout: 10_000 }, () => {
  return fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('a', 'b', 'fails'), { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 5 }),
      async (says, quorum) => {
        const votes = (value: string) => says.filter((each) => each === value).length
        const asked = agree(nodes(says.length), quorum, async ({ label }) => {
          const value = says[Number(label)]
          if (value === 'fails') throw new Error('down')
          return { value, number: 5n }
        })
        if (votes('a') < quorum && votes('b') < quorum) await assert.rejects(asked, NoQuorumError)
        else assert.ok(votes((await asked).value.value ?? '') >= quorum)
      },
    ),
  )
})

test('a node whose answer cannot be compared is one without an answer, and ends nothing', {
  timeout: 10_000,
}, async () => {
  const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
  const says = (answers: readonly unknown[]) =>
    agree(nodes(answers.length), 2, async ({ label }) => answers[Number(label)])
  assert.equal((await says([deep, 'a', 'a'])).value, 'a')
  await assert.rejects(says([deep, deep, 'a']), NoQuorumError)
})

test('heights to agree on are those that enough nodes have reached, the highest first', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 0n, max: 50n }), { maxLength: 7 }),
      fc.integer({ min: 1, max: 7 }),
      (heights, quorum) => {
        const candidates = candidateHeights(heights, quorum)
        const enough = heights.filter((height) => heights.filter((each) => each >= height).length >= quorum)
        assert.deepEqual(
          candidates,
          [...new Set(enough)].sort((a, b) => Number(b - a)),
        )
      },
    ),
  )
})

test('a node that never answers does not keep the others from agreeing on the head', { timeout: 10_000 }, async () => {
  const block = {
    number: '0x5',
    hash: '0xaa',
    parentHash: '0xbb',
    timestamp: '0x1',
    gasLimit: '0x1',
    baseFeePerGas: '0x1',
  }
  const good = (label: string): RpcNode => ({ label, request: () => Promise.resolve(block) })
  const hung: RpcNode = { label: 'hung', request: () => new Promise(() => {}) }
  const { head, nodes: agreeing } = await agreedHead([hung, good('a'), good('b')], 2)
  assert.equal(head.number, 5n)
  assert.deepEqual(
    agreeing.map(({ label }) => label),
    ['a', 'b', 'hung'],
  )
})

const blockOf = (number: bigint) => ({
  number: numberToHex(number),
  hash: numberToHex(number + 0xa0n),
  parentHash: numberToHex(number + 0x9fn),
  timestamp: '0x1',
  gasLimit: '0x1',
  baseFeePerGas: '0x1',
})

/** A node whose newest block is this one, and which notes whatever else it is asked for. */
function nodeAt(height: bigint, after: Promise<unknown> = Promise.resolve()): RpcNode & { asked: unknown[] } {
  const asked: unknown[] = []
  return {
    label: `at ${height}`,
    asked,
    async request(_method, [tag]) {
      if (tag === 'latest') await after
      else asked.push(tag)
      const number = tag === 'latest' ? height : BigInt(tag as string)
      return number > height ? null : blockOf(number)
    },
  }
}

test('with too few nodes to agree nobody waits for an answer', { timeout: 10_000 }, async () => {
  const silent: RpcNode = { label: 'silent', request: () => new Promise(() => {}) }
  for (const each of [[], [silent]])
    await assert.rejects(
      agree(each, 2, (node) => node.request('any', [])),
      NoQuorumError,
    )
})

test('who does not agree says why', async () => {
  const failing = agree(nodes(3), 2, async ({ label }) => {
    if (label === '0') throw 'no error at all'
    if (label === '1') throw new Error('is down')
    return 'alone'
  })
  await assert.rejects(failing, { message: '2 RPC addresses must agree, 1 different answers came (failed; is down)' })
  await assert.rejects(
    agree(nodes(2), 2, async ({ label }) => label),
    { message: '2 RPC addresses must agree, 2 different answers came' },
  )
})

test('answers of a few words, and none at all, are told apart', async () => {
  const says: unknown[] = [undefined, null, 1n, 1, '1n', { block: 1n }, { block: 2n }]
  await assert.rejects(
    agree(nodes(4), 2, async ({ label }) => says[Number(label)]),
    NoQuorumError,
  )
  await assert.rejects(
    agree(nodes(2), 2, async ({ label }) => says[5 + Number(label)]),
    NoQuorumError,
  )
  assert.equal((await agree(nodes(2), 2, async () => undefined)).value, undefined)
})

test('the head is the highest block that enough nodes have: those above it are asked for it, those below for nothing', async () => {
  const all = [nodeAt(9n), nodeAt(7n), nodeAt(8n), nodeAt(5n)]
  const { head, nodes: agreeing } = await agreedHead(all, 3)
  assert.equal(head.number, 7n)
  assert.deepEqual(
    all.map(({ asked }) => asked),
    [['0x7'], [], ['0x7'], []],
  )
  assert.deepEqual(agreeing.map(({ label }) => label).sort(), ['at 5', 'at 7', 'at 8', 'at 9'])
  assert.equal(agreeing.at(-1)?.label, 'at 5', 'who has not got it comes last')
})

test('nodes slower than the quorum have a say in where the head is', { timeout: 10_000 }, async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  setImmediate(resolve)
  assert.equal((await agreedHead([nodeAt(5n), nodeAt(6n, promise)], 1)).head.number, 6n)
})

test('a quorum is waited for, however slow it is', { timeout: 10_000 }, async () => {
  const slow = new Promise((resolve) => setTimeout(resolve, 300))
  assert.equal((await agreedHead([nodeAt(5n), nodeAt(6n, slow)], 2)).head.number, 5n)
})

test('nodes that fail are no heads', async () => {
  const failing: RpcNode = { label: 'failing', request: () => Promise.reject(new Error('is down')) }
  const empty: RpcNode = { label: 'empty', request: () => Promise.resolve(null) }
  await assert.rejects(agreedHead([nodeAt(5n), failing, empty], 2), {
    name: 'NoQuorumError',
    message: /1 nodes answered with their head/,
  })
})

/** A node on another branch from block 6 on. */
function onBranch(height: bigint): RpcNode {
  const node = nodeAt(height)
  return {
    ...node,
    async request(...asked) {
      const block = (await node.request(...asked)) as ReturnType<typeof blockOf> | null
      return block !== null && BigInt(block.number) > 5n ? { ...block, hash: '0xbad' } : block
    },
  }
}

test('one on another branch keeps two from nothing on which they agree, slow or behind as one of them is', async () => {
  const slow = new Promise((resolve) => setTimeout(resolve, 300))
  const late = await agreedHead([onBranch(9n), nodeAt(9n), nodeAt(9n, slow)], 2)
  assert.deepEqual([late.head.number, late.head.hash, late.nodes.at(-1)?.label], [9n, blockOf(9n).hash, 'at 9'])
  const { head } = await agreedHead([onBranch(9n), nodeAt(9n), nodeAt(8n)], 2)
  assert.deepEqual([head.number, head.hash], [8n, blockOf(8n).hash])
  await assert.rejects(agreedHead([onBranch(9n), nodeAt(9n)], 2), NoQuorumError)
})
