import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexToBigInt } from 'viem'
import { logsOf, MOST_BLOCKS } from './movement-logs.ts'
import type { RpcNode } from './node.ts'

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
