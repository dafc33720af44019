// engine: postgres; only in test:long
/** Forty lives more, the same each time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

const [FIRST, LIVES] = [100, 40]

test('forty lives of a chain end as they should', async () => {
  for (let life = 0; life < LIVES; life += 1) assert.ok((await playLife(String(FIRST + life))).orders > 0)
})
