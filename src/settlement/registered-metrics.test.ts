/** What Prometheus reads of a settler: nothing outlives its leading, and counters begin at zero. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createSettlementMetrics } from './registered-metrics.ts'

/** The series of a chain, with their values. */
async function seriesOf(registry: Registry, chain: number): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n')
  return lines.filter((line) => line.includes(`chain="${chain}"`)).map((line) => line.replace(/^settlement_/, ''))
}

test('whoever stops settling a chain shows nothing more of it, so that no alarm of theirs outlives them', async () => {
  const registry = new Registry()
  const metrics = createSettlementMetrics(registry)
  for (const chain of [1, 2]) metrics.leading(chain, false)
  const before = await seriesOf(registry, 1)
  for (const chain of [1, 2]) {
    metrics.leading(chain, true)
    metrics.held(chain, 'gas-balance', ['mint-limit'])
    metrics.inFlight(chain, 'signed', 3)
    metrics.oldestPendingSeconds(chain, 300)
    metrics.oldestByIntegration(chain, new Map([['int_1', 300]]))
    metrics.oldestUnminedSeconds(chain, 400)
    metrics.oversizedOrders(chain, 1)
    metrics.headLag(chain, 20)
    metrics.finalLag(chain, 90)
    metrics.timelockUnread(chain, 9_000)
    metrics.node(chain, 'one', 30)
  }
  const led = await seriesOf(registry, 2)
  assert.ok(led.includes('held{chain="2",reason="gas-balance"} 1'))
  metrics.leading(1, false)
  metrics.node(1, 'one', undefined)
  assert.deepEqual((await seriesOf(registry, 1)).sort(), before.sort())
  assert.ok(before.includes('leading{chain="1"} 0'), 'nobody leads, which is more than saying nothing')
  assert.deepEqual(await seriesOf(registry, 2), led, 'another chain goes on')
})

test('counters of a chain are there, at zero, before anything is counted: an increase from nothing is not seen', async () => {
  const registry = new Registry()
  const metrics = createSettlementMetrics(registry)
  metrics.leading(1, false)
  const counters = (await seriesOf(registry, 1)).filter((line) => line.includes('_total'))
  assert.equal(counters.length, 14)
  for (const line of counters) assert.match(line, / 0$/)
  metrics.foreign(1, 2)
  metrics.leading(1, true)
  assert.ok((await seriesOf(registry, 1)).includes('foreign_batches_total{chain="1"} 2'))
})

test('an integration that no longer waits is taken back', async () => {
  const registry = new Registry()
  const metrics = createSettlementMetrics(registry)
  metrics.oldestByIntegration(1, new Map(['a', 'b'].map((name) => [name, 7])))
  metrics.oldestByIntegration(1, new Map([['b', 9]]))
  const shown = (await seriesOf(registry, 1)).filter((line) => line.startsWith('oldest_order'))
  assert.deepEqual(shown, ['oldest_order_seconds{chain="1",integration="b"} 9'])
})
