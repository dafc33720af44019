// engine: postgres
/**
 * Random lives of a whole bank, ours and that of the people in between: it pays, refuses, loses and gives back, and tells of it late, twice, without
 * our ids and in one sum; disks are full and backups restored. However it goes, books and payees have the same to the sen.
 * `BANK_LIVES=200` plays more lives, `BANK_SEED` says with which it begins. A failure prints its seed and what happened.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

const LIVES = Number(process.env.BANK_LIVES ?? 4)
const SEED = Number(process.env.BANK_SEED ?? Math.floor(Math.random() * 2 ** 31))

test('whatever a bank does and whenever it tells, each payee has what the books say, to the sen', async () => {
  let payments = 0
  for (let life = 0; life < LIVES; life += 1) payments += (await playLife(String(SEED + life))).payments
  assert.ok(payments > 0)
})
