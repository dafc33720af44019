// engine: postgres; both in test:long
/**
 * Could the hot path be spread over many databases with the integration as the key? Its statements name the integration
 * wherever a table has one; docs/SCALING.md lists the tables that have none.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { createOrderFinder } from '../../src/orders/read/finder.ts'
import { listOrders } from '../../src/orders/read/orders.sql.ts'
import { createOrdersFixture, type OrdersFixture } from '../support/orders.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const SCHEMA = readFileSync(path.join(ROOT, 'migrations/schema.sql'), 'utf8')
const namesOf = (pattern: RegExp) => new Set([...SCHEMA.matchAll(pattern)].map(([, name = '']) => name))
const TABLES = namesOf(/^([a-z_]+)\.[a-z_]+ /gm)
/** They have it, but are asked for by their order alone. */
const BY_ORDER = new Set(['payouts'])
const HAS_INTEGRATION = namesOf(/^([a-z_]+)\.integration_id /gm)
/** Words that may follow a table's name where another table would have its alias. */
const NO_ALIAS = new Set('on set where left join cross order select values using for limit returning group'.split(' '))

type Use = { table: string; namesIntegration: boolean }

/** Each use of a table in a statement. */
function usesOf(text: string): Use[] {
  return [...text.matchAll(/\b(from|join|update|into)\s+([a-z_]+)(?:\s+(?:as\s+)?([a-z_]+))?/gi)].flatMap((match) => {
    const [, verb = '', table = '', next = ''] = match
    if (!TABLES.has(table)) return []
    const alias = NO_ALIAS.has(next) || next === '' ? '' : `\\b${next}\\.`
    const columns = /^[^)]*/.exec(text.slice(match.index))?.[0] ?? ''
    const where = verb === 'into' ? columns : text
    return [{ table, namesIntegration: new RegExp(`${verb === 'into' ? '' : alias}integration_id`).test(where) }]
  })
}

let fixture: OrdersFixture
const texts = new Set<string>()

before(async () => {
  fixture = await createOrdersFixture()
  const { db, call, mintBody, redeemBody, transferBody, onStatement } = fixture
  onStatement((text) => texts.add(text))
  const mint = mintBody()
  const { referenceId } = mint as { referenceId: string }
  await call('mint', mint)
  await call('mint', { ...mint, fiatConfirmed: true })
  const other = mintBody()
  await call('mint', other)
  await call('cancelMint', {}, { referenceId: String(other.referenceId) })
  await Promise.all([1, 2, 3].map(() => call('mint', mintBody({ fiatConfirmed: true }))))
  await call('redeem', redeemBody())
  await call('transfer', transferBody())
  const recording: Pick<typeof db, 'query'> = {
    query(text, params) {
      texts.add(text)
      return db.query(text, params)
    },
  }
  const find = createOrderFinder(recording)
  const { integrationId } = fixture.caller
  const found = await Promise.all([find(integrationId, referenceId), find(integrationId, 'ref-nobody-has')])
  assert.deepEqual([found[0]?.status, found[1]], ['pending', undefined])
  const nothing = { direction: undefined, createdAfter: undefined, before: undefined }
  for (const status of ['pending', 'processing', undefined] as const) {
    await listOrders(recording, integrationId, { ...nothing, status, limit: 10 })
  }
})
after(() => fixture.close())

test('accepting, finding and listing orders names the integration wherever a table has one', () => {
  const uses = [...texts].flatMap((text) => usesOf(text).map((use) => ({ ...use, text })))
  for (const table of ['orders', 'idempotency_keys', 'customers', 'events'] as const) {
    assert.ok(
      uses.some((use) => use.table === table),
      table,
    )
  }
  const missing = uses.filter(
    ({ table, namesIntegration }) => HAS_INTEGRATION.has(table) && !BY_ORDER.has(table) && !namesIntegration,
  )
  assert.deepEqual(
    missing.map(({ table, text }) => `${table}: ${text.slice(0, 200)}`),
    [],
  )
})

test('docs/SCALING.md lists the tables of the hot path that have none', () => {
  const used = new Set([...texts].flatMap(usesOf).map(({ table }) => table))
  const document = readFileSync(path.join(ROOT, 'docs/SCALING.md'), 'utf8')
  const section = /^## One distributed database$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(document)?.[1] ?? ''
  const listed = [...section.matchAll(/^\| ((?:`[a-z_]+`(?:, )?)+) \|/gm)].flatMap(([, names = '']) =>
    names.replaceAll('`', '').split(', '),
  )
  assert.deepEqual(listed.sort(), [...used.difference(HAS_INTEGRATION).union(BY_ORDER)].sort())
})

test('a use without its integration is seen', () => {
  assert.deepEqual(
    usesOf('select 1 from orders o join customers c on c.customer_id = o.customer_id where o.integration_id = $1'),
    [
      { table: 'orders', namesIntegration: true },
      { table: 'customers', namesIntegration: false },
    ],
  )
  assert.deepEqual(usesOf('insert into events (event_id) select integration_id'), [
    { table: 'events', namesIntegration: false },
  ])
})
