// engine: postgres; only in test:long
/**
 * Fickle lives in which the database is put back, too, once orders were made good: people say whose the instructions of lost batches are, make good what
 * moved coin for orders that have ended or that nobody posts again, and explain those batches. At the end the books, with what was explained beside
 * them, have the coin of the chain, nothing is minted once more that a lost history has minted, and nothing waits for people.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lived, playLife } from './life.ts'

/** In this sequence: bytes that a life before has read are read sooner, which another one notices. */
const LIVES = [92616, 92808, 97117, 97151]

const lived: Lived[] = []

for (const seed of LIVES) {
  test(`torn life ${seed}: whatever a restore forgets of what was made good, the books have the coin of the chain, and nothing is left for people`, async (t) => {
    const life = await playLife(String(seed), { isTorn: true })
    t.diagnostic(JSON.stringify(life))
    lived.push(life)
  })
}

test('these lives have what they are for: restores, batches explained, orders minted again, and what lost batches did for orders that had ended, or for none', () => {
  const sum = (of: (life: Lived) => number) => lived.reduce((total, life) => total + of(life), 0)
  assert.ok(sum(({ restores }) => restores) > 0)
  assert.ok(sum(({ fickle }) => fickle.explained) > 0)
  assert.ok(sum(({ remints }) => remints) > 0)
  assert.ok(sum(({ torn }) => torn?.unasked ?? 0) > 0)
  // What settlers do beside their rounds comes sooner or later, and with it one or the other of these.
  assert.ok(sum(({ torn }) => (torn?.disowned ?? 0) + (torn?.ended ?? 0) + (torn?.kept ?? 0)) > 0)
})
