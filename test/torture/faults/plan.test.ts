/** A seed makes the same plan again, and no plan contains a fault that cannot be over in time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRandom } from '../../support/random.ts'
import { CATALOGUE } from './catalogue.ts'
import { planFaults } from './plan.ts'

const settings = { catalogue: CATALOGUE, loadMs: 120_000, settleMs: 30_000, everyMs: 800 }
const planOf = (seed: string) => planFaults(createRandom(seed), settings)
const seeds = fc.integer().map(String)

describe('the plan of faults', () => {
  it('is the same for the same seed, and different for another', () => {
    fc.assert(fc.property(seeds, (seed) => assert.deepEqual(planOf(seed), planOf(seed))))
    assert.notDeepEqual(planOf('1'), planOf('2'))
  })

  it('leaves every fault the time to end and to recover', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        for (const { name, target, atMs, lastsMs } of planOf(seed)) {
          const spec = CATALOGUE.find((one) => one.name === name && one.targets.includes(target))
          assert.ok(spec !== undefined)
          assert.ok(atMs + lastsMs <= settings.loadMs)
          assert.ok(atMs + lastsMs + spec.recoversMs <= settings.loadMs + settings.settleMs)
        }
      }),
    )
  })

  it('makes one fault of a group at a time', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const freeAtMs = new Map<string, number>()
        for (const { name, target, atMs, lastsMs } of planOf(seed)) {
          const group = CATALOGUE.find((one) => one.name === name && one.targets.includes(target))?.group ?? ''
          assert.ok((freeAtMs.get(group) ?? 0) <= atMs, `${name} at ${atMs}`)
          freeAtMs.set(group, atMs + lastsMs)
        }
      }),
    )
  })

  it('comes to every fault in the long run', () => {
    const planned = new Set(
      Array.from({ length: 20 }, (_, seed) => planOf(`${seed}`)).flatMap((plan) => plan.map(({ name }) => name)),
    )
    assert.deepEqual(
      CATALOGUE.filter(({ name }) => !planned.has(name)),
      [],
    )
  })
})
