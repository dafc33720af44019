// engine: postgres; only in test:long
/**
 * Lives in which the chain loses final batches for good, to thieves and to reorganisations that keep nothing: operators give them up, and have
 * minted again what was lost. In no other life does that happen.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lived, playLife } from './life.ts'

/** What the last three have found, docs/RELIABILITY.md says. */
const KEPT = [14304, 20062, 20097, 81029]

const lived: Lived[] = []

for (const seed of KEPT) {
  test(`harsh life ${seed}: whatever the chain loses for good, each order ends once, and lost mints are minted again`, async (t) => {
    const life = await playLife(String(seed), { isHarsh: true })
    t.diagnostic(JSON.stringify(life))
    lived.push(life)
  })
}

test('these lives have what they are for: batches given up whose id others have, and those whose id is free; mints minted again; restores', () => {
  const sum = (of: (life: Lived) => number) => lived.reduce((total, life) => total + of(life), 0)
  assert.ok(sum(({ givenUp }) => givenUp.replaced) > 0)
  assert.ok(sum(({ givenUp }) => givenUp.gone) > 0)
  assert.ok(sum(({ remints }) => remints) > 0)
  assert.ok(sum(({ restores }) => restores) > 0)
})
