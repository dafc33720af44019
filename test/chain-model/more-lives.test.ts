// engine: postgres; only in test:long
/** Six lives more that have found something, forty others, and ten of a single signer, the same each time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

/** docs/RELIABILITY.md says what. */
const KEPT = [2, 5, 6, 7099, 11599, 11881]
const [FIRST, LIVES] = [100, 40]
/** The seventh notices that bytes are not sent again (docs/RELIABILITY.md). */
const [FIRST_ALONE, ALONE] = [500, 10]

for (const seed of KEPT) {
  test(`life ${seed} of a chain ends as it should`, async () => {
    assert.ok((await playLife(String(seed))).orders > 0)
  })
}

test('forty lives of a chain end as they should', async () => {
  for (let life = 0; life < LIVES; life += 1) assert.ok((await playLife(String(FIRST + life))).orders > 0)
})

test('ten lives of a chain with one signer end as they should', async () => {
  for (let life = 0; life < ALONE; life += 1)
    assert.ok((await playLife(String(FIRST_ALONE + life), { isAlone: true })).orders > 0)
})
