// engine: postgres; only in test:long
/** Four lives of a bank more, the same each time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

/** All but the last each notice a mend that is taken back (docs/RELIABILITY.md). */
const KEPT = [9, 34, 369, 1]

for (const seed of KEPT) {
  test(`life ${seed} of a bank: each payee has what the books say, to the sen`, async () => {
    const { payments } = await playLife(String(seed))
    assert.ok(payments > 0)
  })
}
