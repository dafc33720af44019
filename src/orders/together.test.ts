import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTogether } from './together.ts'

test('what comes while a call is under way goes out together, and each gets its own result', async () => {
  const calls: number[][] = []
  const double = createTogether<number, number>({
    maxCalls: 1,
    maxTogether: 3,
    call: async (items) => {
      calls.push([...items])
      await Promise.resolve()
      return items.map((item) => item * 2)
    },
  })
  const results = await Promise.all([1, 2, 3, 4, 5].map(double))
  assert.deepEqual(results, [2, 4, 6, 8, 10])
  assert.deepEqual(calls, [[1], [2, 3, 4], [5]])
})

test('a failed call fails its own items only', async () => {
  const identity = createTogether<number, number>({
    maxCalls: 1,
    maxTogether: 2,
    call: async (items) => {
      if (items.includes(2)) throw new Error('two')
      return items
    },
  })
  const results = await Promise.allSettled([1, 2, 3, 4].map(identity))
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
  )
})
