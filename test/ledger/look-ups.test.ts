// engine: postgres; both in test:long
/** What is looked up in the books costs the same however old they are, or is looked for in parts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { listEntries } from '../../src/ledger/entries.sql.ts'
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
  // Not `ledger_book`: no table of one row is ever counted, and PostgreSQL expects a thousand there.
  await db.script('analyze ledger_entries, ledger_unsealed')
  const conditions = await indexConditionsIn(db, text, 'ledger_entries')
  assert.deepEqual(conditions.map((condition) => condition.split(' =')[0]).sort(), ['((day + 0)', '(entry_id'])
})

test('entries of an account that few have are looked for in parts', async (t) => {
  const db = await createTestDatabase({ engine: 'postgres' })
  t.after(() => db.close())
  const far = [1, 250_000, 250_001, 900_000, 1_000_000]
  await db.query(
    `insert into ledger_entries (entry_id, reference, effective_at, day, accounts, amounts_micro) overriding system value
     select n, 'an entry ' || n, now(), current_date,
       array[case n when 900000 then 'coins:1' else 'own_funds:main' end, 'mint_receivable:int_1'], array[1, -1] from unnest($1::bigint[]) n`,
    [far],
  )
  const texts = new Set<string>()
  const heard = listeningTo(db, (text) => void texts.add(text))
  const idsOf = async (page: { account?: 'own_funds' | 'own_funds:main'; after?: bigint; limit?: number }) => {
    const entries = await listEntries(heard, { account: undefined, after: undefined, limit: 10, ...page })
    return entries.map(({ entryId }) => Number(entryId))
  }
  assert.deepEqual(await idsOf({}), far.toReversed())
  assert.deepEqual(await idsOf({ account: 'own_funds' }), [1_000_000, 250_001, 250_000, 1])
  assert.deepEqual(await idsOf({ account: 'own_funds:main', after: 250_001n }), [250_000, 1])
  assert.deepEqual(await idsOf({ account: 'own_funds', limit: 2 }), [1_000_000, 250_001])
  assert.deepEqual(await idsOf({ after: 2_000_000n, limit: 1 }), [1_000_000])
  assert.deepEqual(await idsOf({ after: 1n }), [])
  for (const text of texts) {
    if (!text.includes('e.accounts')) continue
    assert.deepEqual(await indexConditionsIn(db, text, 'ledger_entries'), ['((entry_id >= $3) AND (entry_id <= $4))'])
  }
  // Whoever puts an entry there past the service chooses its number, too.
  const astray = ['9223372036854775807', '-5', '-9223372036854775808']
  await db.query(
    `insert into ledger_entries (entry_id, reference, effective_at, day, accounts, amounts_micro) overriding system value
     select n::bigint, 'an entry ' || n, now(), current_date, array['own_funds:main', 'mint_receivable:int_1'], array[1, -1] from unnest($1::text[]) n`,
    [astray],
  )
  const entries = await listEntries(db, { account: 'own_funds', after: undefined, limit: 10 })
  assert.deepEqual(
    entries.map(({ entryId }) => String(entryId)),
    [astray[0], '1000000', '250001', '250000', '1', ...astray.slice(1)],
  )
})
