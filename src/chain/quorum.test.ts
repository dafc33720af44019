import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RpcNode } from './node.ts'
import { agree, agreedHead, NoQuorumError, quorumHeight } from './quorum.ts'

const nodes = (count: number): RpcNode[] =>
  Array.from({ length: count }, (_, index) => ({
    label: String(index),
    request: () => Promise.reject(new Error('unused')),
  }))

test('a value counts when enough nodes agree on it, whatever the others say', () => {
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

test('the quorum height is one that enough nodes have reached', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 0n, max: 50n }), { maxLength: 7 }),
      fc.integer({ min: 1, max: 7 }),
      (heights, quorum) => {
        const height = quorumHeight(heights, quorum)
        assert.equal(height === undefined, heights.length < quorum)
        if (height === undefined) return
        assert.ok(heights.filter((each) => each >= height).length >= quorum)
        assert.ok(heights.filter((each) => each > height).length < quorum)
      },
    ),
  )
})

test('a node that never answers does not keep the others from agreeing on the head', async () => {
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
