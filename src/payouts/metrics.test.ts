import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createPayoutMetrics } from './metrics.ts'

test('whatever a rail answers was shown before it came, or its first increase would not be seen', async () => {
  const registry = new Registry()
  const { payer } = createPayoutMetrics(registry)
  const series = async () => (await registry.metrics()).match(/^payout_answers_total\{.*?\}/gm)
  const before = await series()
  for (const result of ['accepted', 'refused', 'unknown', 'paid', 'returned'] as const) payer.answered(result)
  assert.deepEqual(await series(), before)
})
