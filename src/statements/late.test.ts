import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ChainedStatement, lateThatFit } from './late.ts'

const BEFORE = { closedOn: '2026-11-20', closingMicro: 100n }
let lastNo = 0n

/** A late statement of a day, between the applied one of the 20th, which closed with 100, and a newer one. */
function late(day: number, openingMicro: bigint, closingMicro: bigint, before = BEFORE): ChainedStatement {
  lastNo += 1n
  return { statementNo: lastNo, closedOn: `2026-11-${day}`, openingMicro, closingMicro, before }
}

const fitting = (all: readonly ChainedStatement[]) =>
  lateThatFit(all).map((statementNo) => all.findIndex((one) => one.statementNo === statementNo))

test('one that sums to zero fits, and several that do together, on one day or several', () => {
  assert.deepEqual(fitting([late(21, 100n, 100n)]), [0])
  assert.deepEqual(fitting([late(21, 100n, 150n), late(22, 150n, 100n)]), [0, 1])
  assert.deepEqual(fitting([late(21, 100n, 150n), late(21, 150n, 100n)]), [0, 1])
  assert.deepEqual(fitting([late(21, 150n, 100n), late(21, 100n, 150n)]), [1, 0])
  assert.deepEqual(fitting([late(21, 120n, 100n), late(21, 150n, 120n), late(21, 100n, 150n)]), [2, 1, 0])
})

test('what does not end with the balance there waits', () => {
  assert.deepEqual(fitting([late(21, 100n, 150n)]), [])
  assert.deepEqual(fitting([late(21, 150n, 100n)]), [])
  assert.deepEqual(fitting([late(21, 100n, 150n), late(22, 160n, 100n)]), [])
  assert.deepEqual(fitting([late(22, 100n, 150n), late(21, 150n, 100n)]), [], 'the second is of an earlier day')
})

test('a day is told once: what has no part in those that fit waits', () => {
  assert.deepEqual(fitting([late(21, 100n, 100n), late(21, 100n, 100n)]), [0])
  assert.deepEqual(fitting([late(21, 100n, 150n), late(21, 100n, 100n)]), [1])
  assert.deepEqual(fitting([late(21, 100n, 150n), late(21, 150n, 100n), late(21, 100n, 100n)]), [0, 1])
  assert.deepEqual(fitting([late(21, 100n, 100n), late(21, 100n, 150n), late(22, 150n, 100n)]), [0])
})

test('the same balance later is another place', () => {
  const after = { closedOn: '2026-11-25', closingMicro: 100n }
  assert.deepEqual(fitting([late(21, 100n, 150n), late(26, 150n, 100n, after)]), [])
  assert.deepEqual(fitting([late(21, 100n, 100n), late(26, 100n, 100n, after)]), [0, 1])
})

test('of a thousand that lead nowhere none fits', () => {
  const all = Array.from({ length: 1_000 }, (_, index) =>
    late(21, index < 300 ? 100n : 150n, index < 700 ? 150n : 160n),
  )
  assert.deepEqual(fitting(all), [])
})
