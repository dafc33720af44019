/** docs/DECISIONS.md can be cited: each decision has one number, and they come in order. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

test('decisions are numbered from 1 on, in the order of the page', () => {
  const text = readFileSync(path.join(import.meta.dirname, '../docs/DECISIONS.md'), 'utf8')
  const numbers = [...text.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => Number(number))
  assert.ok(numbers.length > 60)
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  )
})
