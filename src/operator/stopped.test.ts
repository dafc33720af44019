/** What is stopped on the chains is shown without waiting for nodes that are slow, and without asking them for each page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stopped } from '../chain/admin.ts'
import { createStoppedLook } from './stopped.ts'

function chainDouble(chainId: number, stopped: () => Promise<Stopped>) {
  let asked = 0
  const count = () => {
    asked += 1
    return stopped()
  }
  return { chain: { config: { chainId }, admin: { stopped: count } }, asked: () => asked }
}

test('one chain whose nodes hang or fail is left out, and the others are told', async () => {
  const good = chainDouble(1, async () => 'settlement')
  const silent = chainDouble(2, () => new Promise(() => {}))
  const broken = chainDouble(3, () => Promise.reject(new Error('no node answers')))
  const lost = chainDouble(4, async () => 'coin')
  const look = createStoppedLook(
    [good, silent, broken, lost].map(({ chain }) => chain),
    (chainId) => chainId === 4,
  )
  assert.deepEqual([...(await look())], [[1, 'settlement']])
  assert.equal(lost.asked(), 0, 'nobody asks the nodes of a chain that is gone')
  await look()
  assert.equal(silent.asked(), 1, 'nothing more is asked of nodes that still think')
})

test('nodes are asked once in three seconds, and what they said is told for a minute after they fell silent', async () => {
  let now = 0
  let answer: () => Promise<Stopped> = async () => 'coin'
  const { chain, asked } = chainDouble(1, () => answer())
  const look = createStoppedLook(
    [chain],
    () => false,
    () => now,
  )
  const said = async () => (await look()).get(1)
  assert.deepEqual(await Promise.all([said(), said()]), ['coin', 'coin'])
  assert.equal(await said(), 'coin')
  assert.equal(asked(), 1)
  now = 3_000
  answer = async () => 'nothing'
  assert.equal(await said(), 'nothing')
  answer = () => Promise.reject(new Error('no node answers'))
  now = 62_000
  assert.equal(await said(), 'nothing')
  now = 63_001
  assert.equal(await said(), undefined)
  assert.equal(asked(), 4)
})
