// engine: postgres
/** One id, or one reference of the bank, may stand beside all that ever came: what was notified under it is looked for by its amount, too, and not among all of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { markShown } from '../../src/statements/notified.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase({ engine: 'postgres' })
})
after(() => db.close())

/** By what the statements that are run look for lines in an index of theirs. */
async function conditionsOf(run: (on: Queryable) => Promise<unknown>): Promise<Map<string, string[]>> {
  const lines: string[] = []
  await run({
    async query(text, params) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, params)
      lines.push(...plan.map((row) => row['QUERY PLAN']))
      return []
    },
  })
  const found = new Map<string, string[]>()
  for (const [place, line] of lines.entries()) {
    const index = / using (bank_lines_(?:end_to_end|servicer|parts)) /.exec(line)?.[1]
    if (index !== undefined) found.set(index, [...(found.get(index) ?? []), lines[place + 1] ?? ''])
  }
  return found
}

test('with each file of a bank', async () => {
  const found = await conditionsOf(markShown)
  assert.ok(found.has('bank_lines_end_to_end') && found.has('bank_lines_parts'))
  for (const condition of found.get('bank_lines_end_to_end') ?? [])
    assert.match(condition, /Index Cond: .*end_to_end_id = .*amount_micro = .*booked_on >= .*booked_on <= /)
  for (const condition of found.get('bank_lines_servicer') ?? []) assert.match(condition, /amount_micro = /)
})

test('with each look at the reserve, as before mints are signed', async () => {
  const found = await conditionsOf(readBankBalances)
  assert.deepEqual([...found.keys()].sort(), ['bank_lines_parts', 'bank_lines_servicer'])
  for (const condition of found.get('bank_lines_servicer') ?? []) assert.match(condition, /amount_micro = /)
})
