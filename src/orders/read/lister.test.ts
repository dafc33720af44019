import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailableError, type Queryable, type Row } from '../../db/database.ts'
import type { OrderFilters } from './filters.ts'
import { createOrderLister } from './lister.ts'

const FIRST_PAGE: OrderFilters = {
  direction: undefined,
  status: undefined,
  createdAfter: undefined,
  before: undefined,
  limit: 10,
}

/** A database that answers when it is told to, each statement by itself. */
function heldBack() {
  const asked: { of: unknown; answer: () => void; fail: (error: Error) => void }[] = []
  const query = <R extends Row>(_text: string, params: readonly unknown[] = []) =>
    new Promise<R[]>((resolve, reject) => {
      asked.push({ of: params[0], answer: () => resolve([]), fail: reject })
    })
  return { db: { query } as Queryable, asked }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('four pages are read at a time, in the order in which they were asked for, and another one as soon as one is over', async () => {
  const { db, asked } = heldBack()
  const list = createOrderLister(db)
  const pages = Array.from({ length: 7 }, (_, n) => list(`int_${n}`, FIRST_PAGE))
  await turn()
  assert.deepEqual(
    asked.map(({ of }) => of),
    ['int_0', 'int_1', 'int_2', 'int_3'],
  )
  asked[2]?.answer()
  await pages[2]
  await turn()
  assert.deepEqual(
    asked.slice(4).map(({ of }) => of),
    ['int_4'],
  )
  for (let next = 0; next < 7; next += 1) {
    asked[next]?.answer()
    await turn()
  }
  assert.equal(asked.length, 7)
  assert.deepEqual(
    await Promise.all(pages),
    pages.map(() => ({ orders: [], next: null })),
  )
})

test('a page that fails fails alone; once the database is away those that wait are told so', async () => {
  const { db, asked } = heldBack()
  const list = createOrderLister(db, { maxPages: 1 })
  const [first, second, third] = [list('int_1', FIRST_PAGE), list('int_2', FIRST_PAGE), list('int_3', FIRST_PAGE)]
  await turn()
  asked[0]?.fail(new Error('a bug'))
  await assert.rejects(first, /a bug/)
  await turn()
  assert.equal(asked[1]?.of, 'int_2')
  asked[1]?.fail(new DatabaseUnavailableError('away'))
  await assert.rejects(second, DatabaseUnavailableError)
  await assert.rejects(third, DatabaseUnavailableError)
  assert.equal(asked.length, 2)
})
