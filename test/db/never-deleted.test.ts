/**
 * Rows to which others point without a foreign key are never deleted, so an acceptance needs no lock on rows that
 * partners share.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { MONTHLY_TABLES } from '../../src/retention/tables.ts'
import { typeScriptFiles } from '../support/imports.ts'

const ROOT = path.join(import.meta.dirname, '../..')
/** Wallets are none of them: an order has its wallets' addresses itself, and `wallet remove` ends a link. */
const KEPT = [
  'integrations',
  'api_keys',
  'customers',
  'orders',
  'idempotency_keys',
  'events',
  'webhook_endpoints',
  'batches',
  'payouts',
]

/** A redeem that was never burnt is owed nothing; burnt after all, it has a payout under the same id. The database deletes no other. */
const DELETES: Readonly<Record<string, readonly string[]>> = { payouts: ['src/payouts/unburnt.sql.ts'] }

const statements = typeScriptFiles(path.join(ROOT, 'src'))
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file: path.relative(ROOT, file), text: readFileSync(file, 'utf8') }))

for (const table of KEPT) {
  test(`no statement ${table in DELETES ? 'but one ' : ''}deletes from ${table}`, () => {
    const deletes = new RegExp(`\\b(delete\\s+from|truncate(\\s+table)?)\\s+(only\\s+)?"?${table}\\b`, 'i')
    assert.deepEqual(
      statements.filter(({ text }) => deletes.test(text)).map(({ file }) => file),
      DELETES[table] ?? [],
    )
  })
}

test('nothing drops a table but retention, and that of months alone', () => {
  const naming = (words: RegExp) => statements.filter(({ text }) => words.test(text)).map(({ file }) => file)
  assert.deepEqual(naming(/\bdrop\s+table\b/i), [])
  assert.deepEqual(naming(/\bdrop_month\b/i), ['src/retention/partitions.sql.ts'])
  const migration = readFileSync(path.join(ROOT, 'migrations/000001.sql'), 'utf8')
  assert.equal(migration.match(/\bdrop\s+table\b/gi)?.length, 1)
  for (const table of KEPT.filter((name) => name !== 'events'))
    assert.ok(!MONTHLY_TABLES.some(({ name }) => name === table), table)
})

test('no acceptance, event or delivery checks a foreign key', () => {
  const schema = readFileSync(path.join(ROOT, 'migrations/schema.sql'), 'utf8')
  for (const table of [
    'orders',
    'idempotency_keys',
    'mint_usage',
    'transfer_usage',
    'withdrawal_usage',
    'wallet_earmarks',
    'events',
    'deliveries',
  ]) {
    assert.doesNotMatch(schema, new RegExp(`^${table} \\S+ FOREIGN KEY`, 'm'), table)
  }
})
