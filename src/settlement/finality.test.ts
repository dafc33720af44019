import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToHex } from 'viem'
import { finalBlockOf } from '../chain/final-block.ts'
import type { RpcNode } from '../chain/node.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { withFinality } from './finality.ts'
import { freshMemory } from './fresh-memory.ts'
import type { Work } from './work.ts'

test('final is what is deep enough, and finalized where the chain says so', () => {
  assert.equal(finalBlockOf(20n, 1, undefined), 20n)
  assert.equal(finalBlockOf(20n, 5, undefined), 16n)
  assert.equal(finalBlockOf(20n, 5, 15n), 15n)
  assert.equal(finalBlockOf(20n, 5, 17n), 16n)
  assert.equal(finalBlockOf(3n, 5, undefined), -1n)
})

/** A settler of a chain that finalizes, whose only node names these blocks as finalized, one after the other. */
function settler(finality: 'depth' | 'finalized', finalized: (bigint | undefined)[]) {
  const lags: unknown[] = []
  let asked = 0
  const node: RpcNode = {
    label: 'node',
    async request(_method, [tag]) {
      assert.equal(tag, 'finalized')
      const number = finalized[asked++]
      if (number === undefined) throw new Error('is down')
      const quantities = { number: numberToHex(number), timestamp: '0x0', gasLimit: '0x1' }
      return { ...quantities, hash: numberToHex(number + 0xa0n), parentHash: '0x01' }
    },
  }
  const work = {
    chain: { nodes: [node], config: { chainId: 5, confirmations: 3, finality, quorum: 1 } },
    memory: freshMemory(),
    logger: { debug() {} },
    metrics: { finalLag: (...args: unknown[]) => void lags.push(args) },
  } as unknown as Work
  const finalAt = async (number: bigint, hash = `0x${number}`) =>
    (await withFinality(work, { nodes: [], head: { number, hash } } as unknown as AgreedHead)).finalBlock
  return { finalAt, lags, asked: () => asked }
}

test('where depth alone counts nobody is asked what is finalized', { timeout: 10_000 }, async () => {
  const { finalAt, lags, asked } = settler('depth', [])
  assert.equal(await finalAt(20n), 18n)
  assert.equal(asked(), 0)
  assert.deepEqual(lags, [[5, 2]])
})

test('where the chain finalizes, nodes are asked once for each head, and what was finalized stays so while they are silent', {
  timeout: 10_000,
}, async () => {
  const { finalAt, lags, asked } = settler('finalized', [undefined, 10n, undefined, 12n])
  assert.equal(await finalAt(19n), -1n, 'nothing is finalized while nobody says so')
  assert.equal(await finalAt(20n), 10n)
  assert.equal(await finalAt(20n), 10n)
  assert.equal(asked(), 2)
  assert.equal(await finalAt(21n), 10n)
  assert.equal(await finalAt(21n, '0xother'), 12n)
  assert.equal(await finalAt(13n, '0xother'), 11n)
  assert.deepEqual(lags.at(-1), [5, 2])
})
