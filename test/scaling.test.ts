/** docs/SCALING.md shows what `npm run scaling` prints today, and the needs follow from the costs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { ASSUMPTIONS, type Costs, describe, LOADS, needOf, readCosts, tableIn, withTable } from '../scripts/scaling.ts'

const DOCUMENT = path.join(import.meta.dirname, '../docs/SCALING.md')

test('the document shows the table as it is computed from the recorded results', () => {
  assert.equal(
    tableIn(readFileSync(DOCUMENT, 'utf8')),
    describe(LOADS.map((load) => needOf(load, readCosts(), ASSUMPTIONS))),
    'npm run scaling prints another table: npm run scaling -- --write',
  )
})

test('a table is written where the document has one', () => {
  const document = 'a\n<!-- scaling: how -->\n\n| old |\n|---|\n\n<!-- end of scaling -->\nb'
  const changed = withTable(document, '| $1 |\n|---|')
  assert.equal(changed, 'a\n<!-- scaling: how -->\n\n| $1 |\n|---|\n\n<!-- end of scaling -->\nb')
  assert.equal(tableIn(changed), '| $1 |\n|---|')
})

test('a result without its number is named', () => {
  const numbers = new Proxy<Record<string, number>>({}, { get: () => 1 })
  assert.throws(
    () => readCosts((name) => ({ measured: {}, numbers: name === 'wal' ? {} : numbers })),
    /bench\/results\/wal\.json does not have wal/,
  )
  assert.throws(() => readCosts(() => undefined), /accept\.json does not have apiUs/)
  assert.equal(readCosts(() => ({ measured: {}, numbers })).acceptUs, 2)
})

test('needs grow with the load and with each cost, and in nothing else', () => {
  const positive = fc.double({ min: 1, max: 1e6, noNaN: true })
  const costs: fc.Arbitrary<Costs> = fc.record({
    acceptUs: positive,
    readUs: positive,
    deliveryUs: positive,
    walBytes: positive,
    keptBytes: positive,
    monthlyBytes: positive,
    gasExisting: positive,
    gasFresh: positive,
  })
  const isNear = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))
  fc.assert(
    fc.property(costs, fc.integer({ min: 1, max: 1e9 }), (cost, load) => {
      const one = needOf(load, cost, ASSUMPTIONS)
      const ten = needOf(10 * load, cost, ASSUMPTIONS)
      for (const [name, value] of Object.entries(one))
        assert.ok(isNear(10 * value, ten[name as keyof typeof ten]), name)
      const log = needOf(load, { ...cost, walBytes: 2 * cost.walBytes }, ASSUMPTIONS)
      assert.ok(isNear(log.walMegabytesAtPeak, 2 * one.walMegabytesAtPeak))
      assert.deepEqual({ ...log, walMegabytesAtPeak: 0 }, { ...one, walMegabytesAtPeak: 0 })
    }),
  )
})

test('a worked load: 100,000,000 orders a day', () => {
  const cost: Costs = {
    acceptUs: 330,
    readUs: 70,
    deliveryUs: 1_000,
    walBytes: 6_000,
    keptBytes: 1_500,
    monthlyBytes: 2_500,
    gasExisting: 9_000,
    gasFresh: 26_000,
  }
  const need = needOf(86_400_000, cost, ASSUMPTIONS)
  assert.equal(need.ordersAtPeak, 5_000)
  // 5,000 × (0.33 ms + 2 × 0.07 ms + 2 × 1 ms), half of each core kept free
  assert.ok(Math.abs(need.cores - 24.7) < 1e-9)
  assert.equal(need.walMegabytesAtPeak, 30)
  assert.equal(need.deliveriesAtPeak, 10_000)
  // 5,000 × 10,700 gas a second, where a chain gives 7,500,000
  assert.ok(Math.abs(need.chains - 53.5 / 7.5) < 1e-9)
})
