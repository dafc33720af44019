import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'
import { createSharedCalls } from './shared-calls.ts'

test('items that come while a call is under way go out together, and each gets its own result', async () => {
  const calls: number[][] = []
  const double = createSharedCalls<number, number>({
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
  const identity = createSharedCalls<number, number>({
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

/** A function whose calls a test ends one by one. */
function held(limits: { maxCalls: number; maxTogether: number }) {
  const calls: { items: readonly number[]; end: () => void; fail: (error: Error) => void }[] = []
  const carry = createSharedCalls<number, number>({
    ...limits,
    call: (items) =>
      new Promise((resolve, reject) => {
        calls.push({ items, end: () => resolve(items.map((item) => item * 2)), fail: reject })
      }),
  })
  return { calls, carry }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('no more calls than allowed are under way, and none is sent empty', async () => {
  const { calls, carry } = held({ maxCalls: 2, maxTogether: 10 })
  const first = [carry(1), carry(2), carry(3), carry(4)]
  assert.deepEqual(
    calls.map(({ items }) => items),
    [[1], [2]],
  )
  calls[0]?.end()
  await turn()
  assert.deepEqual(calls[2]?.items, [3, 4])
  const late = carry(5)
  assert.equal(calls.length, 3, 'two are still under way')
  calls[1]?.end()
  await turn()
  assert.deepEqual(calls[3]?.items, [5])
  for (const { end } of calls) end()
  assert.deepEqual(await Promise.all([...first, late]), [2, 4, 6, 8, 10])
  await turn()
  const alone = carry(6)
  assert.deepEqual(calls[4]?.items, [6], 'a place that becomes free is used at once')
  calls[4]?.end()
  assert.equal(await alone, 12)
  assert.equal(calls.length, 5)
})

test('when the database is away, everything that waits fails with it, and the next item is tried again', async () => {
  const { calls, carry } = held({ maxCalls: 1, maxTogether: 2 })
  const results = Promise.allSettled([1, 2, 3, 4, 5].map(carry))
  const away = new DatabaseUnavailableError('gone')
  calls[0]?.fail(away)
  assert.deepEqual(
    (await results).map((result) => result.status === 'rejected' && result.reason),
    [away, away, away, away, away],
  )
  assert.equal(calls.length, 1)
  const next = carry(6)
  calls[1]?.end()
  assert.equal(await next, 12)
})

test('a cancelled statement fails its own items; what waits goes out with the next', async () => {
  const { calls, carry } = held({ maxCalls: 1, maxTogether: 2 })
  const results = Promise.allSettled([1, 2, 3].map(carry))
  calls[0]?.fail(new StatementCancelledError('a lock'))
  await turn()
  assert.deepEqual(calls[1]?.items, [2, 3])
  calls[1]?.end()
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled'],
  )
})

test('no more than ten thousand items wait: any more fail at once', async () => {
  const { calls, carry } = held({ maxCalls: 1, maxTogether: 100_000 })
  const results = Array.from({ length: 10_001 }, (_, n) => carry(n))
  const tooMany = carry(10_001)
  await assert.rejects(Promise.race([tooMany, turn().then(() => 'it waits')]), DatabaseUnavailableError)
  calls[0]?.end()
  await turn()
  calls[1]?.end()
  assert.equal((await Promise.all(results)).length, 10_001)
})
