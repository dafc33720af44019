// engine: postgres; only in test:long
/**
 * Lives with a bank in which the database is put back, too, while bank and chain keep what they have done. People hold again what was held, mark as paid what
 * was paid by hand, retry what was retried, and let payers begin once that is done. Nothing that people hold is paid, nor anything twice; at the end whoever
 * has the ringgit has no coin for it, and the books have what the bank and the chain have.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Lived, playLife } from './life.ts'

const LIVES = [100, 508, 605]

const lived: Lived[] = []

for (const seed of LIVES) {
  test(`torn life ${seed} with a bank: whatever a restore forgets, coin and ringgit are what customers had, and the books say the same`, async (t) => {
    const life = await playLife(String(seed), { isTorn: true, isPaid: true })
    t.diagnostic(JSON.stringify(life))
    lived.push(life)
  })
}

test('these lives have what they are for', () => {
  assert.ok(lived.every(({ restores }) => restores > 0))
  const did = (what: string) => lived.reduce((total, { paying }) => total + (paying?.[what] ?? 0), 0)
  for (const what of ['began again', 'hold', 'release', 'retry', 'mark-paid', 'refund', 'shown paid', 'shown returned'])
    assert.ok(did(what) > 0, what)
})
