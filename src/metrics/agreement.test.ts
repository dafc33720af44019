import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { showClock } from './agreement.ts'
import { createMetrics } from './metrics.ts'

const shown = async (metrics: ReturnType<typeof createMetrics>, name: string) =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`))

test('chains on which orders are accepted are shown as they are now, so that one that nobody settles is missed', async () => {
  const metrics = createMetrics()
  const offered = new Map([
    [1, 'a'],
    [8453, 'b'],
  ])
  metrics.showOffered(() => offered.keys())
  assert.deepEqual(await shown(metrics, 'chain_offered'), [
    'chain_offered{chain="1"} 1',
    'chain_offered{chain="8453"} 1',
  ])
  offered.delete(1)
  assert.deepEqual(await shown(metrics, 'chain_offered'), ['chain_offered{chain="8453"} 1'])
})

test('a setting with another value has another number, and with the same value the same', async () => {
  const numbers = async (value: string) => {
    const metrics = createMetrics()
    metrics.showSettings([['MINT_FLOOR', value]])
    const [line = ''] = await shown(metrics, 'service_setting')
    assert.ok(line.startsWith(`service_setting{setting="MINT_FLOOR",value="${value}"} `))
    return line.split(' ').at(-1)
  }
  assert.equal(await numbers('1'), await numbers('1'))
  assert.notEqual(await numbers('1'), await numbers('2'))
})

test('the clock of the process is compared with the database’s, however long that takes to say', async () => {
  const ahead = async (there: number | undefined, ...own: number[]) => {
    const registry = new Registry()
    const read = () => (there === undefined ? Promise.reject(new Error('away')) : Promise.resolve(new Date(there)))
    showClock(registry, read, () => own.shift() ?? 0)
    return /^clock_ahead_seconds (.*)$/m.exec(await registry.metrics())?.[1]
  }
  assert.equal(await ahead(10_000, 10_000, 13_000), '0')
  assert.equal(await ahead(12_500, 10_000, 13_000), '0', 'it was so at some moment in between')
  assert.equal(await ahead(10_000, 75_000, 78_000), '65')
  assert.equal(await ahead(100_000, 10_000, 13_000), '-87')
  assert.equal(await ahead(undefined, 10_000, 13_000), '0')
})
