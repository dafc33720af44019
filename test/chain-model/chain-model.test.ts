// engine: postgres
/**
 * Random lives of a chain and of its settlers: nodes lie and lag, blocks are taken back, processes are killed and sleep, the database is put back. However
 * it goes, every order ends once, and coin and books are what the orders say.
 * `CHAIN_LIVES=200` plays so many lives, from a new seed or from `CHAIN_SEED`; with `CHAIN_ALONE=1` those of a single signer, with `CHAIN_WORST=1`
 * those with a thief, deep reorganisations and restores in each, with `CHAIN_HARSH=1` harsh ones (harsh-lives.test.ts), with `CHAIN_FICKLE=1`
 * fickle ones (fickle-lives.test.ts), with `CHAIN_REFUSED=1` those in which banks refuse payouts, with `CHAIN_PAID=1`
 * those in which they pay (paid-lives.test.ts), with `CHAIN_TORN=1` torn ones (torn-lives.test.ts), with both of the last torn ones with a bank (paid-torn-lives.test.ts). A failure prints its seed and what happened last, or as many lines of that as `CHAIN_TOLD` says.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playLife } from './life.ts'

/** Each has found something: docs/RELIABILITY.md says what. More of them, and more of the other kinds, are left to `npm run test:long`. */
const KEPT = [1, 8, 7023, 11027, 11487, 13091]
const KEPT_OF_OTHER_KINDS = [
  { seed: 531, isAlone: true },
  { seed: 20062, isHarsh: true },
  { seed: 85631, isFickle: true },
  { seed: 97117, isTorn: true },
]
const {
  CHAIN_LIVES,
  CHAIN_ALONE,
  CHAIN_WORST,
  CHAIN_HARSH,
  CHAIN_FICKLE,
  CHAIN_REFUSED,
  CHAIN_TORN,
  CHAIN_PAID,
  CHAIN_SEED = String(Math.floor(Math.random() * 2 ** 31)),
} = process.env
type Asked = {
  seed: number
  isAlone?: boolean
  isWorst?: boolean
  isHarsh?: boolean
  isFickle?: boolean
  isRefused?: boolean
  isTorn?: boolean
  isPaid?: boolean
}
const kept: Asked[] = [...KEPT.map((seed) => ({ seed })), ...KEPT_OF_OTHER_KINDS]
const asked = (_: unknown, life: number): Asked => ({
  seed: Number(CHAIN_SEED) + life,
  isAlone: CHAIN_ALONE !== undefined,
  isWorst: CHAIN_WORST !== undefined,
  isHarsh: CHAIN_HARSH !== undefined,
  isFickle: CHAIN_FICKLE !== undefined,
  isRefused: CHAIN_REFUSED !== undefined,
  isTorn: CHAIN_TORN !== undefined,
  isPaid: CHAIN_PAID !== undefined,
})
const lives = CHAIN_LIVES === undefined ? kept : Array.from({ length: Number(CHAIN_LIVES) }, asked)

for (const { seed, ...kind } of lives) {
  const { isAlone, isWorst, isHarsh, isFickle, isRefused, isTorn, isPaid } = kind
  const name = `life ${seed}${isAlone ? ', one signer' : ''}${isWorst ? ', the worst' : ''}${isHarsh ? ', a harsh one' : ''}${isFickle ? ', a fickle one' : ''}${isRefused ? ', one of refused payouts' : ''}${isTorn ? ', a torn one' : ''}${isPaid ? ', one of a bank' : ''}`
  test(`${name}: whatever befalls a chain, its nodes and settlers, each order ends once, as the chain has it`, async (t) => {
    const lived = await playLife(String(seed), kind)
    t.diagnostic(JSON.stringify(lived))
    assert.ok(lived.orders > 0)
  })
}
