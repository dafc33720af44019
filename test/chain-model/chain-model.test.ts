// engine: postgres
/**
 * Random lives of a chain and of its settlers: nodes lie and lag, blocks are taken back, processes are killed and sleep, the database is put back. However
 * it goes, every order ends once, and coin and books are what the orders say.
 * `CHAIN_LIVES=200` plays so many lives, from a new seed or from `CHAIN_SEED`. A failure prints its seed and what happened.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

/** Each has found something: docs/RELIABILITY.md says what. */
const KEPT = [1, 2, 5, 6, 8, 11027]
const { CHAIN_LIVES, CHAIN_SEED = String(Math.floor(Math.random() * 2 ** 31)) } = process.env
const seeds =
  CHAIN_LIVES === undefined ? KEPT : Array.from({ length: Number(CHAIN_LIVES) }, (_, life) => Number(CHAIN_SEED) + life)

for (const seed of seeds) {
  test(`life ${seed}: whatever befalls a chain, its nodes and settlers, each order ends once, as the chain has it`, async (t) => {
    const lived = await playLife(String(seed))
    t.diagnostic(JSON.stringify(lived))
    assert.ok(lived.orders > 0)
  })
}
