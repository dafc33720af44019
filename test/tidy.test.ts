/** What a reader can rely on in every file. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { createOperatorApp } from '../src/operator/app.ts'
import type { OperatorDeps } from '../src/operator/deps.ts'
import { MONTHLY_TABLES } from '../src/retention/tables.ts'
import { typeScriptFiles } from './support/imports.ts'
import { NAMES_WHEN_RUN } from './support/names-when-run.ts'
import { longFunctionsOf, printsOf, sqlOf, tablesWrittenBy } from './support/source-rules.ts'
import { UNKNOWN_TABLE } from './support/sql-tables.ts'

const SRC = path.join(import.meta.dirname, '../src')
const MAX_LINES = 220
const MAX_TEST_LINES = 450
/** What fits on a screen. */
const MAX_FUNCTION_LINES = 60

const GENERATED = /^chain\/generated\//
/** Programs that talk to a terminal. */
const MAY_PRINT = /^(operator\/cli(\/|\.ts$)|sandbox\/|(main|program|migrate)\.ts$)/
/** SQL lives in files named for their subject; tests may look into tables. */
const MAY_HOLD_SQL = /(^db\/|\.sql\.ts$|\.test\.ts$)/
/** Table → the one room of src that writes it, with the folders below it. */
const WRITTEN_BY: Readonly<Record<string, string>> = {
  api_keys: 'integrations',
  approvals: 'operators',
  api_key_uses: 'integrations',
  database_environment: 'db',
  secrets_key: 'db',
  audit_log: 'operator',
  audit_seals: 'operator',
  audit_unsealed: 'operator',
  bank_details: 'bank-details',
  bank_imports: 'statements',
  bank_left: 'statements',
  bank_lines: 'statements',
  bank_notified: 'statements',
  bank_paid_mints: 'statements',
  bank_statements: 'statements',
  batch_attempts: 'settlement/tables',
  batch_explanations: 'settlement/tables',
  batch_outcomes: 'settlement/tables',
  batches: 'settlement/tables',
  filed_payments: 'payment-files',
  foreign_instructions: 'settlement/tables',
  foreign_movements: 'settlement/tables',
  tag_conflicts: 'settlement/tables',
  lost_orders: 'settlement/tables',
  timelock_operations: 'settlement/tables',
  chain_limits: 'settlement/tables',
  chains: 'settlement/tables',
  database_timelines: 'settlement/tables',
  corporates: 'customers',
  customer_residuals: 'payouts',
  customers: 'customers',
  deliveries: 'webhooks',
  delivery_attempts: 'webhooks',
  events: 'events',
  idempotency_keys: 'orders/accept',
  integration_remitters: 'integrations',
  integrations: 'integrations',
  leases: 'leases',
  ledger_book: 'ledger',
  ledger_carried: 'ledger',
  ledger_closings: 'ledger',
  ledger_entries: 'ledger',
  ledger_flows: 'ledger',
  ledger_flows_carried: 'ledger',
  ledger_seals: 'ledger',
  ledger_totals: 'ledger',
  ledger_unsealed: 'ledger',
  lost_chains: 'settlement/tables',
  lost_keys: 'statements',
  mint_usage: 'orders/life',
  operators: 'operators',
  operator_answers: 'operators',
  operator_sessions: 'console',
  orders: 'orders/life',
  payout_attempts: 'payouts',
  payment_file_stop: 'payment-files',
  payment_files: 'payment-files',
  payouts: 'payouts',
  reconcile_cursors: 'operator',
  reconcile_open: 'operator',
  reconcile_passes: 'operator',
  reconcile_runs: 'operator',
  reconcile_suspects: 'operator',
  reconcile_usage: 'operator',
  remembered_answers: 'orders/accept',
  reserve_proofs: 'reserves',
  reserve_proofs_of_days: 'reserves',
  sandbox_faults: 'sandbox',
  schema_migrations: 'db',
  screening_denials: 'screening',
  settlement_holds: 'settlement/tables',
  order_holds: 'orders/life',
  signed_orders: 'orders/life',
  signers: 'settlement/tables',
  simulated_rail_payments: 'payouts',
  transfer_usage: 'orders/life',
  wallet_earmarks: 'orders/life',
  wallet_links: 'customers',
  wallets: 'customers',
  webhook_endpoints: 'webhooks',
  withdrawal_usage: 'orders/life',
}

/** Deletes what is past its retention, of the tables that their rooms describe to it (src/retention/tables.ts), and of no other. */
const DROPS_MONTHS = 'retention/partitions.sql.ts'

const files = typeScriptFiles(SRC).map((file) => ({
  name: path.relative(SRC, file).split(path.sep).join('/'),
  text: readFileSync(file, 'utf8'),
}))

/** Files in which `find` finds something, with its first find. */
function offenders(find: (text: string) => readonly string[], exempt: RegExp): string[] {
  return files.flatMap(({ name, text }) => {
    const [first] = exempt.test(name) ? [] : find(text)
    return first === undefined ? [] : [`${name}: ${first}`]
  })
}

test('files are short', () => {
  const long = files
    .filter(({ name }) => !GENERATED.test(name))
    .map(({ name, text }) => ({ name, lines: text.trimEnd().split('\n').length }))
    .filter(({ name, lines }) => lines > (name.endsWith('.test.ts') ? MAX_TEST_LINES : MAX_LINES))
    .map(({ name, lines }) => `${name} has ${lines} lines`)
  assert.deepEqual(long, [])
})

test('functions are short', () => {
  const body = Array.from({ length: 3 }, (_, line) => `  work(${line})`).join('\n')
  const planted = `function named() {\n${body}\n}\nconst kept = () => {\n${body}\n}\nconst of = { kept() {\n${body}\n} }\nwork(() => {\n${body}\n})`
  assert.deepEqual(longFunctionsOf(planted, 5), [])
  assert.deepEqual(longFunctionsOf(planted, 4), [
    'named: 5 lines',
    'kept: 5 lines',
    'kept: 5 lines',
    'a function without a name: 5 lines',
  ])
  assert.deepEqual(
    offenders((text) => longFunctionsOf(text, MAX_FUNCTION_LINES), /\.test\.ts$/),
    [],
  )
})

test('only programs for a terminal print', () => {
  assert.deepEqual(offenders(printsOf, new RegExp(`${MAY_PRINT.source}|\\.test\\.ts$`)), [])
})

test('SQL stands only in the files named for it', () => {
  assert.deepEqual(offenders(sqlOf, MAY_HOLD_SQL), [])
})

test('channels of notifications are named in one place', () => {
  const names = /'(orders_accepted|payouts_due|deliveries_due)'/g
  assert.deepEqual(
    offenders((text) => text.match(names) ?? [], /^db\/channels\.ts$|\.test\.ts$/),
    [],
  )
})

test('no two purposes share the number of an advisory lock', () => {
  const numbers = files.flatMap(({ text }) => text.replace(/(?<=\d)_(?=\d)/g, '').match(/\b726\d{4}\b/g) ?? [])
  assert.ok(numbers.length >= 8)
  assert.deepEqual(
    numbers.filter((number, index) => numbers.indexOf(number) !== index),
    [],
  )
})

test('errors are told apart by their type, not by their name', () => {
  const byName = /\b(error|cause|err)\.name\s*[!=]==|\.has\((error|cause|err)\.name\)/g
  assert.deepEqual(
    offenders((text) => text.match(byName) ?? [], /\.test\.ts$/),
    [],
  )
})

test('no expression looks for the end of a text from each place in it', () => {
  // /0+$/ begins anew at each zero of a run that is not the last: 60 kB of them held a process for a minute. `trimEndOf` does not.
  const trailing = /^(?!\s*(?:\*|\/\/|\/\*)).*?[(\s,:]\/(?!\^)[^/\n]*?(?:\\\/)?[^/\n]*[+*]\$\/[a-z]*/gm
  const ofAFewCharacters = /^money\.ts$|^statements\/match\.ts$|\.test\.ts$/
  assert.ok([...`x.replace(/0+$/, '')\nx.replace(/\\/+$/, '')`.matchAll(trailing)].length === 2)
  assert.deepEqual(
    offenders((text) => text.match(trailing) ?? [], ofAFewCharacters),
    [],
  )
})

test('no test fails because something took long', () => {
  // On a busy machine everything does. What must not take long gets more work than the wrong way would ever end with.
  const atMost = /assert\.\w+\([^\n;]*?(?:performance\.now\(\) - \w+|\b(?:took|elapsed)\w*) <[^\n]*/g
  assert.equal(
    'assert.ok(performance.now() - begunMs < 1_000)\nassert.ok(tookMs > 1 && tookMs < 9)'.match(atMost)?.length,
    2,
  )
  const everywhere = [SRC, import.meta.dirname].flatMap(typeScriptFiles).filter((file) => file !== import.meta.filename)
  assert.deepEqual(
    everywhere.flatMap((file) => (readFileSync(file, 'utf8').match(atMost) ?? []).map((found) => `${file}: ${found}`)),
    [],
  )
})

test('nothing is left for later', () => {
  assert.deepEqual(
    offenders((text) => text.match(/\b(TODO|FIXME|XXX|HACK)\b/g) ?? [], GENERATED),
    [],
  )
})

/** Table → rooms, from the SQL in production files. A folder that is below the table's room counts as that room. */
function writers(): Record<string, string[]> {
  const found = new Map<string, Set<string>>()
  for (const { name, text } of files) {
    if (name.endsWith('.test.ts') || name === DROPS_MONTHS) continue
    for (const table of tablesWrittenBy(text)) {
      for (const known of table === UNKNOWN_TABLE ? (NAMES_WHEN_RUN[name] ?? [`${name}: ${table}`]) : [table]) {
        const folder = path.posix.dirname(name)
        const room = WRITTEN_BY[known] ?? ''
        const writer = folder === room || folder.startsWith(`${room}/`) ? room : folder
        found.set(known, (found.get(known) ?? new Set()).add(writer))
      }
    }
  }
  return Object.fromEntries([...found].map(([table, rooms]) => [table, [...rooms].sort()]))
}

test('each table is written by one room', () => {
  assert.deepEqual(writers(), Object.fromEntries(Object.entries(WRITTEN_BY).map(([table, room]) => [table, [room]])))
})

test('retention names no table itself: rooms describe theirs to it', () => {
  const text = files.find(({ name }) => name === DROPS_MONTHS)?.text ?? ''
  assert.deepEqual(tablesWrittenBy(text), [UNKNOWN_TABLE])
  const described = files.flatMap((file) =>
    /satisfies MonthlyTable$/m.test(file.text)
      ? [...file.text.matchAll(/^ {2}name: '([a-z_]+)',$/gm)].map(([, table]) => ({
          table: table ?? '',
          file: file.name,
        }))
      : [],
  )
  for (const { table, file } of described) assert.ok(file.startsWith(`${WRITTEN_BY[table]}/`), `${table} in ${file}`)
  assert.deepEqual(described.map(({ table }) => table).sort(), MONTHLY_TABLES.map(({ name }) => name).sort())
})

test('every table has its line', () => {
  const migrations = path.join(SRC, '../migrations')
  const schema = readFileSync(path.join(migrations, 'schema.sql'), 'utf8')
  const namesOf = (pattern: RegExp) => new Set([...schema.matchAll(pattern)].map((match) => match[1]))
  const tables = namesOf(/^([a-z_]+)\.[a-z_]+ /gm).difference(namesOf(/^([a-z_]+) partition of /gm))
  assert.ok(tables.size > 20)
  assert.deepEqual(
    [...tables].filter((table) => table !== undefined && !(table in WRITTEN_BY)),
    [],
  )
})

test('every route of the operator API has its line in the table of commands', async () => {
  const nothing = { token: 'no-token-of-anybody', chains: [], config: { policy: {} } } as unknown as OperatorDeps
  const app = createOperatorApp(nothing)
  await app.ready()
  assert.ok(app.hasRoute({ method: 'GET', url: '/operator/v1/payouts' }))
  await app.close()
})
