import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { takeTurn } from './walk.ts'

test('everything has its turn, once in a round, and nothing costs more than it may beside the last', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 1n, max: 9n }), { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 50 }),
      fc.bigInt({ min: 1n, max: 30n }),
      (sizes, most, mostOrders) => {
        const all = sizes.map((orders, index) => ({ position: BigInt(index + 1), item: index, orders }))
        const seen: number[] = []
        let position = 0n
        do {
          const rows = all.filter((row) => row.position > position).slice(0, most + 1)
          const { items, step } = takeTurn({ what: 'w', position, rows }, { most, mostOrders, isOver: false })
          assert.ok(items.length > 0 && items.length <= most)
          assert.ok(items.slice(0, -1).reduce((sum, item) => sum + (sizes[item] ?? 0n), 0n) < mostOrders)
          assert.equal(step.from, position)
          seen.push(...items)
          position = step.to
        } while (position !== 0n)
        assert.deepEqual(
          seen,
          sizes.map((_, index) => index),
        )
      },
    ),
  )
})

test('a walk over what is new waits at its end', () => {
  const rows = [{ position: 7n, item: 'a', orders: 1n }]
  const turn = takeTurn({ what: 'w', position: 5n, rows }, { most: 2, isOver: true })
  assert.deepEqual(turn, { items: ['a'], step: { what: 'w', from: 5n, to: 7n }, hasMore: false })
  const end = takeTurn({ what: 'w', position: 7n, rows: [] }, { most: 2, isOver: true })
  assert.deepEqual(end, { items: [], step: { what: 'w', from: 7n, to: 7n }, hasMore: false })
})
