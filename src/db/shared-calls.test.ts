import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailableError, StatementCancelledError } from './database.ts'
import { createSharedCalls } from './shared-calls.ts'

test('items that come in one turn go out together, up to the limit, and each gets its own result', async () => {
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
  assert.deepEqual(calls, [
    [1, 2, 3],
    [4, 5],
  ])
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
    ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
})

/** A function whose calls a test ends one by one. */
function held(limits: { maxCalls: number; maxTogether: number; slowAfterMs?: number }) {
  const calls: { items: readonly number[]; end: () => void; fail: (error: Error) => void }[] = []
  const carry = createSharedCalls<number, number>({
    ...limits,
    call: (items) =>
      new Promise((resolve, reject) => {
        calls.push({ items, end: () => resolve(items.map((item) => item * 2)), fail: reject })
      }),
  })
  const sent = () => calls.map(({ items }) => items)
  return { calls, carry, sent }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('no more calls than allowed are under way, and none is sent empty', async () => {
  const { calls, carry, sent } = held({ maxCalls: 2, maxTogether: 10 })
  const first = [carry(1), carry(2)]
  assert.deepEqual(sent(), [], 'more may come in this turn')
  await turn()
  assert.deepEqual(sent(), [[1, 2]])
  first.push(carry(3))
  await turn()
  first.push(carry(4))
  await turn()
  assert.deepEqual(sent(), [[1, 2], [3]], 'two are under way')
  calls[0]?.end()
  await turn()
  await turn()
  assert.deepEqual(sent(), [[1, 2], [3], [4]])
  for (const { end } of calls) end()
  assert.deepEqual(await Promise.all(first), [2, 4, 6, 8])
  await turn()
  const alone = carry(5)
  await turn()
  assert.deepEqual(sent().at(-1), [5], 'a place that becomes free is used')
  calls.at(-1)?.end()
  assert.equal(await alone, 10)
  assert.equal(calls.length, 4)
})

test('what waits goes out before anybody is told how the call before ended', async () => {
  const { calls, carry, sent } = held({ maxCalls: 1, maxTogether: 10 })
  const first = carry(1).then(sent)
  await turn()
  const second = carry(2).catch(sent)
  calls[0]?.end()
  assert.deepEqual(await first, [[1], [2]])
  const third = carry(3)
  calls[1]?.fail(new Error('two'))
  assert.deepEqual(await second, [[1], [2], [3]])
  calls[2]?.end()
  assert.equal(await third, 6)
})

test('while a call is quick, what comes waits for its end; beside a slow one goes another, no more than allowed', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { calls, carry, sent } = held({ maxCalls: 2, maxTogether: 10, slowAfterMs: 25 })
  const all = [carry(1)]
  await turn()
  all.push(carry(2))
  t.mock.timers.tick(24)
  await turn()
  assert.deepEqual(sent(), [[1]], 'it is not slow yet')
  t.mock.timers.tick(1)
  await turn()
  assert.deepEqual(sent(), [[1], [2]])
  all.push(carry(3))
  t.mock.timers.tick(1_000)
  await turn()
  assert.deepEqual(sent(), [[1], [2]], 'two are allowed, though both are slow')
  calls[1]?.end()
  await turn()
  await turn()
  assert.deepEqual(sent(), [[1], [2], [3]], 'the first hangs, all others go on')
  all.push(carry(4))
  calls[0]?.end()
  await turn()
  await turn()
  assert.deepEqual(sent(), [[1], [2], [3]], 'nothing is slow any more: one at a time')
  calls[2]?.end()
  await turn()
  await turn()
  calls[3]?.end()
  assert.deepEqual(await Promise.all(all), [2, 4, 6, 8])
})

test('a call that has ended in time is never slow', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { calls, carry, sent } = held({ maxCalls: 2, maxTogether: 10, slowAfterMs: 25 })
  const all = [carry(1)]
  await turn()
  calls[0]?.end()
  await all[0]
  await turn()
  t.mock.timers.tick(25)
  for (const item of [2, 3]) {
    all.push(carry(item))
    await turn()
    await turn()
  }
  assert.deepEqual(sent(), [[1], [2]], 'one at a time')
  calls[1]?.end()
  await turn()
  await turn()
  calls[2]?.end()
  assert.deepEqual(await Promise.all(all), [2, 4, 6])
})

test('what comes when a call is slow already goes out at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { calls, carry, sent } = held({ maxCalls: 2, maxTogether: 10, slowAfterMs: 25 })
  const first = carry(1)
  await turn()
  t.mock.timers.tick(25)
  const second = carry(2)
  await turn()
  assert.deepEqual(sent(), [[1], [2]])
  for (const { end } of calls) end()
  assert.deepEqual(await Promise.all([first, second]), [2, 4])
})

test('when the database is away, everything that waits fails with it, and the next item is tried again', async () => {
  const { calls, carry } = held({ maxCalls: 1, maxTogether: 2 })
  const results = Promise.allSettled([1, 2, 3, 4, 5].map(carry))
  await turn()
  const away = new DatabaseUnavailableError('gone')
  calls[0]?.fail(away)
  assert.deepEqual(
    (await results).map((result) => result.status === 'rejected' && result.reason),
    [away, away, away, away, away],
  )
  assert.equal(calls.length, 1)
  const next = carry(6)
  await turn()
  await turn()
  calls[1]?.end()
  assert.equal(await next, 12)
})

test('a cancelled statement fails its own items; what waits goes out with the next', async () => {
  const { calls, carry, sent } = held({ maxCalls: 1, maxTogether: 2 })
  const results = Promise.allSettled([1, 2, 3].map(carry))
  await turn()
  calls[0]?.fail(new StatementCancelledError('a lock'))
  await turn()
  await turn()
  assert.deepEqual(sent()[1], [3])
  calls[1]?.end()
  assert.deepEqual(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  )
})

test('no more than ten thousand items wait: any more fail at once', async () => {
  const { calls, carry } = held({ maxCalls: 1, maxTogether: 100_000 })
  const results = Array.from({ length: 10_000 }, (_, n) => carry(n))
  await assert.rejects(Promise.race([carry(10_000), turn().then(() => 'it waits')]), DatabaseUnavailableError)
  await turn()
  calls[0]?.end()
  assert.equal((await Promise.all(results)).length, 10_000)
})
