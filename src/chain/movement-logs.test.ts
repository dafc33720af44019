import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { logsOf, MOST_BLOCKS } from './movement-logs.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'

async function blocksAsked(from: bigint, to: bigint): Promise<[bigint, bigint][]> {
  const asked: [bigint, bigint][] = []
  const node: RpcNode = {
    label: 'a node without logs',
    async request(_method, [filter]) {
      const { fromBlock, toBlock } = filter as { fromBlock: `0x${string}`; toBlock: `0x${string}` }
      asked.push([hexToBigInt(fromBlock), hexToBigInt(toBlock)])
      return []
    },
  }
  await logsOf(node, [], [], { from, to })
  return asked
}

test('of many blocks the last are asked about, as many as may be, each once and no more at a time than providers serve', async () => {
  const newest = 123_456n
  for (const from of [0n, newest - MOST_BLOCKS, newest - MOST_BLOCKS + 1n]) {
    const asked = await blocksAsked(from, newest)
    assert.equal(asked[0]?.[0], newest - MOST_BLOCKS + 1n)
    assert.equal(asked.at(-1)?.[1], newest)
    assert.ok(asked.every(([first, last]) => last - first < 500n))
    assert.ok(asked.slice(1).every(([first], index) => first === (asked[index]?.[1] ?? 0n) + 1n))
  }
  assert.deepEqual(await blocksAsked(newest - 501n, newest), [
    [newest - 501n, newest - 2n],
    [newest - 1n, newest],
  ])
  assert.deepEqual(await blocksAsked(newest, newest), [[newest, newest]])
})

/** A node that tells the logs of at most so many blocks at once, one for each block. @returns the blocks told, and how often it was asked */
async function told(to: bigint, most: bigint, refusal: () => Error): Promise<{ blocks: bigint[]; asked: number }> {
  let asked = 0
  const node: RpcNode = {
    label: 'a node that tells little',
    async request(_method, [filter]) {
      asked += 1
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex }
      const [first, last] = [hexToBigInt(fromBlock), hexToBigInt(toBlock)]
      if (last - first >= most) throw refusal()
      return Array.from({ length: Number(last - first) + 1 }, (_, index) => logAt(first + BigInt(index)))
    },
  }
  const logs = await logsOf(node, [], [], { from: 0n, to })
  return { blocks: logs.map(({ blockNumber }) => hexToBigInt(blockNumber)), asked }
}
const logAt = (block: bigint) => ({ transactionHash: '0x1', blockNumber: numberToHex(block), topics: [], data: '0x' })
const refused = (code: number) => () => new RpcAnswerError('n', code, 'too many', undefined)
const tooLong = () => new RpcUnreachableError('n: too long', { isTooLong: true })

test('where a node gives the logs of fewer blocks at once, each block is told once, in its order', async () => {
  const every = Array.from({ length: 1_001 }, (_, index) => BigInt(index))
  for (const refusal of [refused(-32_005), refused(-32_602), tooLong]) {
    const { blocks, asked } = await told(1_000n, 10n, refusal)
    assert.deepEqual(blocks, every)
    assert.ok(asked < 160, `asked ${asked} times`)
    assert.deepEqual((await told(4n, 1n, refusal)).blocks, every.slice(0, 5))
  }
})

/** @returns how often a node is asked for the logs of ten thousand blocks, all of which it tells in the end */
async function askedOf(refuses: (first: bigint, last: bigint, asked: number) => boolean): Promise<number> {
  let asked = 0
  const blocks: bigint[] = []
  const node: RpcNode = {
    label: 'a node that refuses some',
    async request(_method, [filter]) {
      asked += 1
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex }
      const [first, last] = [hexToBigInt(fromBlock), hexToBigInt(toBlock)]
      if (refuses(first, last, asked)) throw refused(-32_005)()
      for (let block = first; block <= last; block += 1n) blocks.push(block)
      return []
    },
  }
  await logsOf(node, [], [], { from: 1n, to: MOST_BLOCKS })
  assert.deepEqual(
    blocks,
    Array.from({ length: Number(MOST_BLOCKS) }, (_, index) => BigInt(index + 1)),
  )
  return asked
}

test('behind a full block, and after refusals that are over, as many blocks are asked for at once as before', async () => {
  const full = (block: bigint) => (first: bigint, last: bigint) => first < last && first <= block && block <= last
  for (const block of [1n, 777n, MOST_BLOCKS]) {
    const asked = await askedOf(full(block))
    assert.ok(asked < 60, `one full block: asked ${asked} times`)
  }
  const several = [400n, 1_900n, 3_400n, 4_900n, 6_400n].map(full)
  const asked = await askedOf((first, last) => several.some((isRefused) => isRefused(first, last)))
  assert.ok(asked < 180, `several of them: asked ${asked} times`)
  const throttled = await askedOf((_first, _last, count) => count > 2 && count < 10)
  assert.ok(throttled < 60, `too often for a moment: asked ${throttled} times`)
})

test('a node that always gives few blocks at once is seldom asked for more', async () => {
  const asked = await askedOf((first, last) => last - first >= 10n)
  assert.ok(asked < 1_500, `asked ${asked} times`)
})

test('a node that serves no logs, cannot be reached, or refuses even one block is asked no further', async () => {
  for (const refusal of [refused(-32_601), () => new RpcUnreachableError('n', { httpStatus: 429 })]) {
    let asked = 0
    const count = () => {
      asked += 1
      return refusal()
    }
    await assert.rejects(told(1_000n, 10n, count))
    assert.equal(asked, 1)
  }
  await assert.rejects(told(0n, 0n, tooLong), RpcUnreachableError)
})

test('a log of which a part is missing, of another kind or too long is no answer', async () => {
  const told = (log: unknown) => {
    const node: RpcNode = { label: 'n', request: async () => [logAt(1n), log] }
    return logsOf(node, [], [], { from: 1n, to: 2n })
  }
  const word = `0x${'f'.repeat(64)}`
  const good = { ...logAt(2n), transactionHash: word, topics: [word, word, word, word], data: `0x${'00'.repeat(500)}` }
  assert.deepEqual(await told({ ...good, removed: false, logIndex: '0x0' }), [logAt(1n), good])
  const long = `${word}f`
  const wrong = [
    ...[undefined, null, 7, [], { toString: 1 }, long, 'text'].map((transactionHash) => ({ ...good, transactionHash })),
    ...[undefined, -1, '0x', long, '-0x1', ['0x1']].map((blockNumber) => ({ ...good, blockNumber })),
    ...[[long], [[]], [null], [word, word, word, word, word]].map((topics) => ({ ...good, topics })),
    ...[undefined, 5, {}].map((data) => ({ ...good, data })),
    null,
    3,
    'text',
    [],
  ]
  for (const log of wrong) await assert.rejects(told(log), RpcUnreachableError, JSON.stringify(log))
})
