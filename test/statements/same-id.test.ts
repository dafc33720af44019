// engine: postgres
/** One id, or one reference of the bank, may stand beside all that ever came: what was notified under it is looked for by its amount, too, and not among all of them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Queryable } from '../../src/db/database.ts'
import { readBankBalances } from '../../src/statements/balances.sql.ts'
import { markShown } from '../../src/statements/notified.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { withoutGuards } from '../support/without-guards.ts'

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

/** How many parts of entries a statement takes from their index. */
async function partsReadBy(run: (on: Queryable) => Promise<unknown>): Promise<number> {
  const lines: string[] = []
  await run({
    async query(text, params) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(`explain (analyze, timing off) ${text}`, params)
      lines.push(...plan.map((row) => row['QUERY PLAN']))
      return []
    },
  })
  const scans = lines.join('\n').matchAll(/ using bank_lines_parts .*actual rows=([\d.]+) loops=(\d+)/g)
  return [...scans].reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0)
}

test('what entries in parts come to under one reference is added up once, and not for each movement that was notified', async () => {
  await withoutGuards(db, async (tx) => {
    await tx.query(
      `insert into bank_statements (bank_account, statement_id, opened_on, opening_micro, closed_on, closing_micro, line_count, digest, content_hash, position, applied_at)
       select 'main', 'S' || n, day, 0, day, 0, 8, repeat(n::text, 64), 'h' || n, n, now() from (select n, date '2026-11-20' + n as day from generate_series(1, 3) n) s`,
    )
    await tx.query(
      `insert into bank_lines (statement_no, bank_account, entry, detail, amount_micro, booked_on, value_on, is_reversal, servicer_reference)
       select statement_no, 'main', entry, detail, -10000 * detail, closed_on, closed_on, false, 'R' from bank_statements, generate_series(1, 2) entry, generate_series(1, 4) detail`,
    )
    await tx.query(
      `insert into bank_notified (notified_key, bank_account, amount_micro, booked_on, servicer_reference, content_hash, notification)
       select repeat(lpad(n::text, 2, '0'), 32), 'main', 10000 * n, '2026-11-24', 'R', 'h1', n from generate_series(1, 20) n`,
    )
  })
  for (const run of [markShown, readBankBalances]) assert.equal(await partsReadBy(run), 18)
})
