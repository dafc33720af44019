// engine: postgres; both in test:long
/** What the books came to at an instant costs what its day has, not what all days have. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { createTestDatabase } from '../support/database.ts'
import { indexConditionsIn, listeningTo } from '../support/rival-plans.ts'

test('of entries, only those of the day are read, and those that wait for their seal', async (t) => {
  const db = await createTestDatabase({ engine: 'postgres' })
  t.after(() => db.close())
  const texts = new Set<string>()
  await readBalances(
    listeningTo(db, (text) => void texts.add(text)),
    new Date(),
  )
  const [text = ''] = texts
  await db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     select 'an entry ' || n, now(), current_date - n % 50, array['coins:1', 'mint_receivable:int_1'], array[1, -1]
     from generate_series(1, 5000) n`,
  )
  await db.script('analyze')
  const conditions = await indexConditionsIn(db, text, 'ledger_entries')
  assert.deepEqual(conditions.map((condition) => condition.split(' =')[0]).sort(), ['((day + 0)', '(entry_id'])
})
