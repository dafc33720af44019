// engine: postgres
/**
 * Random lives of a whole bank, ours and that of the people in between: it pays, refuses, loses and gives back, and tells of it late, twice, without
 * our ids and in one sum; disks are full and backups restored. However it goes, books and payees have the same to the sen.
 * `BANK_LIVES=200` plays so many lives, from a new seed or from `BANK_SEED`. A failure prints its seed and what happened.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

/** Each notices a mend that is taken back (docs/RELIABILITY.md). More such are left to `npm run test:long`. */
const KEPT = [12, 104, 354, 10_000]
const { BANK_LIVES, BANK_SEED = String(Math.floor(Math.random() * 2 ** 31)) } = process.env
const seeds =
  BANK_LIVES === undefined ? KEPT : Array.from({ length: Number(BANK_LIVES) }, (_, life) => Number(BANK_SEED) + life)

for (const seed of seeds) {
  test(`life ${seed}: whatever a bank does and whenever it tells, each payee has what the books say, to the sen`, async () => {
    const { payments } = await playLife(String(seed))
    assert.ok(payments > 0)
  })
}
