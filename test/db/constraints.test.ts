/** Every constraint of the schema refuses what it is for: the last line of defence, whichever statement is wrong. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { violatedConstraint } from '../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { BESIDE_THE_PRIMARY_KEY, REFUSED, TAKEN } from './constraint-cases.ts'
import { ROWS } from './constraint-rows.ts'

type Assignments = Readonly<Record<string, string>>

/** `name: column = expression; …` */
function parse(text: string): { name: string; line: string; assignments: Assignments }[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => {
    const colon = line.indexOf(': ')
    const parts = line.slice(colon + 2).split('; ')
    const pairs = parts.map((part) => [part.slice(0, part.indexOf(' = ')), part.slice(part.indexOf(' = ') + 3)])
    return { name: line.slice(0, colon), line, assignments: Object.fromEntries(pairs) as Assignments }
  })
}

const UNDONE = new Error('undone')

let db: TestDatabase
/** Constraint or unique index → its table; without primary keys, and without those of partitions. */
let tables: ReadonlyMap<string, string>
/** Index of a partition → that of its table. */
let parents: ReadonlyMap<string, string>
let columns: ReadonlyMap<string, readonly string[]>

const mapOf = (rows: readonly { name: string; of: string }[]) => new Map(rows.map((row) => [row.name, row.of]))

before(async () => {
  db = await createTestDatabase()
  await db.transaction(async (tx) => {
    await dropGuards(tx)
    await tx.query('delete from ledger_book')
    for (const { name, assignments } of parse(ROWS)) {
      const names = Object.keys(assignments).join(', ')
      await tx.query(`insert into ${name} (${names}) values (${Object.values(assignments).join(', ')})`)
    }
  })
  tables = mapOf(
    await db.query(
      `select c.conname as name, t.relname as of from pg_constraint c join pg_class t on t.oid = c.conrelid
       where t.relnamespace = 'public'::regnamespace and not t.relispartition and c.contype in ('c', 'u', 'f')
       union select i.relname, t.relname from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
       where t.relnamespace = 'public'::regnamespace and not t.relispartition and x.indisunique and not x.indisprimary`,
    ),
  )
  parents = mapOf(
    await db.query(
      `select c.relname as name, p.relname as of from pg_inherits h join pg_class c on c.oid = h.inhrelid
       join pg_class p on p.oid = h.inhparent where p.relkind = 'I'`,
    ),
  )
  const found = await db.query<{ name: string; columns: string[] }>(
    `select table_name as name, array_agg(column_name::text) as columns from information_schema.columns
     where table_schema = 'public' group by table_name`,
  )
  columns = new Map(found.map((table) => [table.name, table.columns]))
})
after(() => db.close())

/** By what a copy of the table's row is refused; undefined when it is taken. It is undone. */
async function refusalOf(table: string, assignments: Assignments): Promise<string | undefined> {
  const names = columns.get(table) ?? []
  for (const name of Object.keys(assignments)) assert.ok(names.includes(name), `${table} has no column ${name}`)
  const into = `${table} (${names.join(', ')}) overriding system value`
  const work = db.transaction(async (tx) => {
    await tx.query(
      `insert into ${into} select ${names.map((name) => assignments[name] ?? name).join(', ')} from ${table}`,
    )
    throw UNDONE
  })
  const error = await work.catch((thrown: unknown) => thrown)
  if (error === UNDONE) return undefined
  const refusal = violatedConstraint(error)
  if (refusal === undefined) throw error
  return parents.get(refusal) ?? refusal
}

test('every constraint and every unique key refuses what it is for', async () => {
  for (const { name, line, assignments } of parse(REFUSED)) {
    const table = tables.get(name)
    assert.ok(table, `there is no constraint ${name}`)
    assert.equal(await refusalOf(table, assignments), name, line)
  }
})

test('each constraint takes what lies just beside that', async () => {
  for (const { name, line, assignments } of parse(TAKEN))
    assert.equal(await refusalOf(name, assignments), undefined, line)
})

test('every constraint has a row that it refuses', () => {
  const shown = new Set([...parse(REFUSED).map(({ name }) => name), ...BESIDE_THE_PRIMARY_KEY])
  const missing = [...tables.keys()].filter((name) => !shown.has(name))
  assert.deepEqual(missing, [], 'say in constraint-cases.ts what it refuses')
})
