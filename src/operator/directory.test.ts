import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Param, Row } from '../db/database.ts'
import { createDirectory } from './directory.ts'

const NAMED = /operator_id = any/

/** A database with one operator, which answers nothing of others while it is held. */
function held() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const asked: (readonly string[])[] = []
  const row = { operator_id: 'opr_known', name: 'Known', secret_sha256: 'ab'.repeat(32) }
  const query = async <R extends Row>(text: string, params: readonly Param[] = []): Promise<R[]> => {
    if (!NAMED.test(text)) return [row] as unknown as R[]
    const ids = params[0] as readonly string[]
    asked.push(ids)
    if (!ids.includes(row.operator_id)) await released
    return ids.includes(row.operator_id) ? ([row] as unknown as R[]) : []
  }
  return { db: { query }, asked, release }
}

test('made-up tokens cost one query at a time, however many come, and nobody who is known waits behind them', async () => {
  const { db, asked, release } = held()
  const directory = await createDirectory(db)
  const madeUp = Array.from({ length: 1_000 }, (_, index) => directory.find(`opr_${index}`))
  await new Promise((resolve) => setImmediate(resolve))
  const found = await directory.find('opr_known')
  assert.deepEqual([found.value?.name, found.isCertain], ['Known', true])
  const later = directory.find('opr_later')
  release()
  for (const { value, isCertain } of await Promise.all([...madeUp, later]))
    assert.deepEqual([value, isCertain], [undefined, true])
  assert.deepEqual(
    asked.map(({ length }) => length),
    [1_000, 1, 1],
  )
})

test('each of several who are asked about together is found as they are', async () => {
  const { db, asked, release } = held()
  release()
  const directory = await createDirectory(db)
  const [one, other, again] = await Promise.all(['opr_known', 'opr_other', 'opr_known'].map((id) => directory.find(id)))
  assert.deepEqual(
    [one?.value?.operatorId, other?.value, again?.value?.operatorId],
    ['opr_known', undefined, 'opr_known'],
  )
  assert.deepEqual(asked.toSorted(), [['opr_known', 'opr_known'], ['opr_other']])
})
