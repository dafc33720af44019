import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import type { RpcNode } from '../chain/node.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { publishLimits } from './limits.ts'
import { freshMemory } from './memory.ts'
import type { Work } from './work.ts'

test('while nodes are asked for the limits they are not asked again, and otherwise every ten seconds', async () => {
  const asked: PromiseWithResolvers<unknown>[] = []
  const node: RpcNode = {
    label: 'slow',
    request() {
      const answer = Promise.withResolvers<unknown>()
      asked.push(answer)
      return answer.promise
    },
  }
  let nowMs = 0
  const config = { chainId: 1, settlement: '0x0000000000000000000000000000000000000001', quorum: 1 }
  const logger = pino({ level: 'silent' })
  const work = { chain: { config }, logger, memory: freshMemory(), nowMs: () => nowMs } as unknown as Work
  const at = { nodes: [node], head: { hash: `0x${'0'.repeat(64)}` } } as unknown as AgreedHead
  const publish = async (afterMs: number): Promise<number> => {
    nowMs += afterMs
    publishLimits(work, at)
    await nextTurn()
    return asked.length
  }

  const each = await publish(0)
  assert.ok(each > 0)
  assert.equal(await publish(10_000), each)
  for (const { reject } of asked) reject(new Error('no answer'))
  await nextTurn()
  assert.equal(await publish(0), 2 * each)
  for (const { reject } of asked) reject(new Error('no answer'))
  await nextTurn()
  assert.equal(await publish(9_999), 2 * each)
  assert.equal(await publish(1), 3 * each)
})
