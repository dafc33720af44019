import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createMetrics } from './metrics.ts'
import { forScrape } from './scrape.ts'

it('a read that takes too long is given up, made once at a time, and made anew once it has ended', async () => {
  const ends: (() => void)[] = []
  const read = forScrape(() => new Promise<number>((resolve) => ends.push(() => resolve(ends.length))), 10)
  await assert.rejects(read(), /in time/)
  const [second, third] = [read(), read()]
  assert.equal(ends.length, 1)
  ends[0]?.()
  assert.deepEqual([await second, await third], [1, 1])
  await assert.rejects(read(), /in time/)
  assert.equal(ends.length, 2)
})

it('what the read itself throws is thrown, also to nobody', async () => {
  const fails: ((error: Error) => void)[] = []
  const read = forScrape(() => new Promise<never>((_, reject) => fails.push(reject)), 10)
  await assert.rejects(read(), /in time/)
  fails[0]?.(new Error('away'))
  await new Promise((resolve) => setImmediate(resolve))
  const again = read()
  fails[1]?.(new Error('away'))
  await assert.rejects(again, /away/)
})

it('a table that is locked hides no other metric, and its own stays as it was', async () => {
  const metrics = createMetrics()
  let answer: Promise<ReadonlyMap<string, number>> = Promise.resolve(new Map([['pending', 7]]))
  metrics.countOrders(forScrape(() => answer, 10))
  metrics.wrongToken()
  await metrics.registry.metrics()
  answer = new Promise(() => {})
  const lines = (await metrics.registry.metrics()).split('\n')
  assert.ok(lines.includes('operator_wrong_tokens_total 1'))
  assert.ok(lines.includes('orders_in_progress{status="pending"} 7'))
})
