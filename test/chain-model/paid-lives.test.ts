// engine: postgres; only in test:long
/**
 * Fickle lives with a bank: it takes payments, refuses them, says nothing, carries them out late, and gives them back. People hold payouts, let them go, have
 * them paid again, pay by hand, have coin minted back, or nobody paid, as the operator API tells them to. Nothing that people hold is paid, nor anything
 * twice; at the end whoever has the ringgit has no coin for it, and the books have what the bank and the chain have.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lived, playLife } from './life.ts'

/** All but the first have found something: docs/RELIABILITY.md says what. */
const LIVES = [104, 204, 309, 408, 500]

const lived: Lived[] = []

for (const seed of LIVES) {
  test(`life ${seed} with a bank: coin and ringgit are what customers had, and the books say the same`, async (t) => {
    const life = await playLife(String(seed), { isPaid: true })
    t.diagnostic(JSON.stringify(life))
    lived.push(life)
  })
}

test('these lives have what they are for', () => {
  const did = (what: string) => lived.reduce((total, { paying }) => total + (paying?.[what] ?? 0), 0)
  for (const what of ['hold', 'release', 'retry', 'mark-paid', 'refund', 'shown paid', 'shown returned'])
    assert.ok(did(what) > 0, what)
})
