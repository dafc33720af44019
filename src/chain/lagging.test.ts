import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToHex } from 'viem'
import { findLaggingNodes } from './lagging.ts'
import type { RpcNode } from './node.ts'

const WORD = `0x${'1'.repeat(64)}`
const node = (label: string, answer: () => Promise<unknown>) => ({ label, request: answer }) as unknown as RpcNode
const at = (label: string, number: number, timestamp: number) =>
  node(label, async () => ({
    number: numberToHex(number),
    timestamp: numberToHex(timestamp),
    hash: WORD,
    parentHash: WORD,
    gasLimit: '0x1',
  }))
const away = node('away', () => Promise.reject(new Error('refused')))
const silent = node('silent', () => new Promise(() => {}))
const find = (...nodes: RpcNode[]) => findLaggingNodes({ quorum: 2 }, nodes, 50)

test('a node that stands still beside others is named, with how far it is behind and by whom', async () => {
  const found = await find(at('stale', 100, 1_000), at('newest', 250, 1_300), at('near', 249, 1_298))
  assert.deepEqual(found, [
    'stale shows block 100 as its newest, 150 blocks and 300 s behind newest: while fewer than 2 RPC addresses are up to date, nothing newer is seen. Where that lasts, replace it in the chains file.',
  ])
})

test('nobody is named for a few blocks, or for many that came within seconds, or because it does not answer', async () => {
  assert.deepEqual(await find(at('one', 100, 1_000), at('other', 110, 5_000)), [])
  assert.deepEqual(await find(at('one', 100, 1_000), at('other', 300, 1_060)), [])
  assert.deepEqual(await find(away, silent, at('one', 100, 1_000)), [])
  assert.deepEqual(await find(away, silent), [])
  assert.deepEqual(await find(silent), [], 'one alone is not asked')
})

test('those that answer are compared while others do not', async () => {
  assert.equal((await find(silent, away, at('stale', 1, 1), at('newest', 100, 100))).length, 1)
})

test('where fewer than a quorum show the newer blocks, either side may be wrong: nobody is told to replace the one that is behind', async () => {
  const found = await find(at('one', 100, 1_000), at('two', 101, 1_012), at('liar', 1_000_000, 9_000))
  assert.equal(found.length, 2)
  for (const each of found) {
    assert.doesNotMatch(each, /replace it/)
    assert.match(each, /RPC address in the chains file that no block explorer agrees with/)
  }
})
