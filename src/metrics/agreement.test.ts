import assert from 'node:assert/strict'
import { test } from 'node:test'
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
