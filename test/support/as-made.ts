/** Whether a database is as it was made but for rows, and puts the rows back that it had then. */
import type { Database, Queryable } from '../../src/db/database.ts'
import { withoutGuards } from './without-guards.ts'

/** What a database had then: its catalogues, the rows of its tables by their names and a mark of them, and its numbers that are given away. */
export type Made = {
  catalogues: string
  rows: ReadonlyMap<string, string>
  marks: ReadonlyMap<string, string>
  sequences: ReadonlyMap<string, bigint>
}

const CATALOGUES = [
  'attrdef',
  'class',
  'constraint',
  'default_acl',
  'event_trigger',
  'extension',
  'index',
  'inherits',
  'largeobject_metadata',
  'namespace',
  'policy',
  // Those of the server itself, which are below, are by far the most of all.
  'proc where oid >= 16384',
  'rewrite',
  'sequence',
  'statistic',
  'statistic_ext',
  'trigger',
]

/** What creates, changes or drops anything, or plans by other statistics, changes one of these. */
const CHANGES = [
  ...CATALOGUES.map((name) => `select '${name}', count(*), max(xmin::text::bigint) from pg_${name}`),
  `select 'vacuumed', count(*), 0 from pg_class where relkind in ('r', 'p') and reltuples >= 0`,
  `select 'settings', count(*), 0 from pg_db_role_setting where setdatabase = (select oid from pg_database where datname = current_database())`,
].join(' union all ')

const SEQUENCES = `select c.oid::regclass::text as name, pg_sequence_last_value(c.oid) as last from pg_class c where c.relkind = 'S'`

/** Whoever else is still connected, or holds what ends only with a connection. @param $1 the name of the connections that stay */
const OTHERS = `select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and (application_name <> $1 or state <> 'idle')
  union all
  select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`

/** @param db as it is to be again */
export async function howMade(db: Database): Promise<Made> {
  const filled = await filledTables(db)
  const [rows, marks] = [await rowsOf(db, filled), await marksOf(db, filled)]
  return { catalogues: await cataloguesOf(db), rows, marks, sequences: await givenAway(db) }
}

/**
 * Makes `db` as it was made, where only rows were changed and nobody else uses it.
 * @param stays the application name of connections that stay
 * @returns false when it cannot be, and what has become of its rows is open
 */
export async function makeAnew(db: Database, made: Made, stays: string): Promise<boolean> {
  const others = await db.query(OTHERS, [stays])
  if (others.length > 0 || (await cataloguesOf(db)) !== made.catalogues) return false
  await putBack(db, made)
  return true
}

/** Every row as it was, and every number free that was. Rows are deleted, not tables truncated, which would have to be planned anew. */
export async function putBack(db: Database, made: Made): Promise<void> {
  const filled = await filledTables(db)
  const marks = await marksOf(db, [...made.marks.keys()])
  const numbered = await givenAway(db)
  await withoutGuards(db, async (tx) => {
    const isChanged = (name: string) => marks.get(name) !== made.marks.get(name) || !marks.has(name)
    for (const name of filled) if (isChanged(name)) await tx.query(`delete from ${name}`)
    for (const [name, before] of made.rows)
      if (isChanged(name))
        await tx.query(
          `insert into ${name} overriding system value select * from jsonb_populate_recordset(null::${name}, $1::jsonb)`,
          [before],
        )
    const moved = [...numbered].filter(([name, last]) => made.sequences.get(name) !== last).map(([name]) => name)
    if (moved.length > 0)
      await tx.query(
        `select setval(s.seqrelid, coalesce(m.last, s.seqstart), m.last is not null)
         from unnest($1::text[], $2::bigint[]) as m (name, last) join pg_sequence s on s.seqrelid = m.name::regclass`,
        [moved, moved.map((name) => made.sequences.get(name) ?? null)],
      )
  })
}

async function cataloguesOf(db: Queryable): Promise<string> {
  return JSON.stringify(await db.query(CHANGES), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

async function filledTables(db: Queryable): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    // Rows of a table in parts are those of its parts. Of a table that never had any the file is empty, and to ask for its rows takes longer than to look.
    `select quote_ident(relname) as name from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0`,
  )
  if (tables.length === 0) return []
  const asked = tables.map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
  const filled = await db.query<{ name: string }>(asked.join(' union all '))
  return filled.map(({ name }) => name)
}

/** How many rows there are, and a sum over what they say: their text itself would be sorted, and sent, to be compared. */
async function marksOf(db: Queryable, tables: readonly string[]): Promise<Map<string, string>> {
  if (tables.length === 0) return new Map()
  const asked = tables.map(
    (name) =>
      `select '${name}' as name, concat(count(*), ' ', sum(hashtextextended(t::text, 0))) as mark from ${name} t`,
  )
  const read = await db.query<{ name: string; mark: string }>(asked.join(' union all '))
  return new Map(read.map(({ name, mark }) => [name, mark]))
}

async function rowsOf(db: Queryable, tables: readonly string[]): Promise<Map<string, string>> {
  if (tables.length === 0) return new Map()
  const asked = tables.map(
    (name) =>
      `select '${name}' as name, coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)::text), '[]')::text as rows from ${name} t`,
  )
  const read = await db.query<{ name: string; rows: string }>(asked.join(' union all '))
  return new Map(read.map(({ name, rows }) => [name, rows]))
}

async function givenAway(db: Queryable): Promise<Map<string, bigint>> {
  const sequences = await db.query<{ name: string; last: bigint | null }>(SEQUENCES)
  return new Map(sequences.flatMap(({ name, last }) => (last === null ? [] : [[name, last] as const])))
}
