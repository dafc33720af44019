// engine: postgres; only in test:long
/**
 * Lives in which the chain executes final batches again with another outcome, because wallets are frozen that were not, or the other way round: payers
 * see burns, operators say of each batch that it is so, and make good what its partners were told otherwise. At the end the books have the coin of the
 * chain, and every other order is as its partner was told. In no other life does anybody make good what was executed again.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lived, playLife } from './life.ts'

const LIVES = [85323, 85631, 86030]

const lived: Lived[] = []

for (const seed of LIVES) {
  test(`fickle life ${seed}: whatever batches do the second time, the books have the coin of the chain, and each order ends once`, async (t) => {
    const life = await playLife(String(seed), { isFickle: true })
    t.diagnostic(JSON.stringify(life))
    lived.push(life)
  })
}

test('these lives have what they are for: batches explained, orders made good and minted again, and rarer things', () => {
  const sum = (of: (life: Lived) => number) => lived.reduce((total, life) => total + of(life), 0)
  assert.ok(sum(({ fickle }) => fickle.explained) > 0)
  assert.ok(sum(({ fickle }) => fickle.made) > 0)
  assert.ok(sum(({ remints }) => remints) > 0)
  // What settlers do beside their rounds comes sooner or later, and with it one or the other of these.
  assert.ok(sum(({ fickle: { turned, ended, resettled } }) => turned + ended + resettled) > 0)
})
