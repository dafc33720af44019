/** Empties a database between tests. */
import type { Database } from '../../src/db/database.ts'
import { emptyBooks } from '../ledger/books.ts'
import { withoutGuards } from './without-guards.ts'

/**
 * Empties every table except the audit log, which nobody can empty, and the record of migrations. Rows are deleted, not tables
 * truncated: these would get new files, with those of their indexes, and each connection would plan anew what reaches them.
 */
export async function emptyTables(
  db: Database,
  { restartIdentity = false }: { restartIdentity?: boolean } = {},
): Promise<void> {
  await emptyBooks(db)
  const written = await writtenTables(db)
  if (written.length === 0) return
  await withoutGuards(db, async (tx) => {
    for (const name of written) await tx.query(`delete from ${name}`)
    if (restartIdentity)
      await tx.query(
        `select setval(sequence.oid::regclass, 1, false) ${SEQUENCES} and quote_ident(owner.relname) = any ($1)`,
        [written],
      )
  })
}

/** With the tables that own them. */
const SEQUENCES = `from pg_class sequence join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = sequence.oid and d.deptype in ('a', 'i')
  join pg_class owner on d.refclassid = 'pg_class'::regclass and owner.oid = d.refobjid where sequence.relkind = 'S'`

/** Those that have rows, or whose rows were numbered once. */
async function writtenTables(db: Database): Promise<string[]> {
  // Of a table that never had a row the file is empty, and to ask for its rows takes longer than to look. Partitions are tables, too.
  const tables = await db.query<{ name: string; hasFile: boolean }>(
    `select quote_ident(relname) as name, pg_relation_size(oid) > 0 as "hasFile" from pg_class
     where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
       and relname <> 'schema_migrations' and relname not like 'audit%' and relname not like 'ledger%'`,
  )
  const filled = tables
    .filter(({ hasFile }) => hasFile)
    .map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
  const numbered = `select quote_ident(owner.relname) ${SEQUENCES} and case sequence.relkind when 'S' then pg_sequence_last_value(sequence.oid) end is not null`
  const written = await db.query<{ name: string }>([...filled, numbered].join(' union '))
  const known = new Set(tables.map(({ name }) => name))
  return written.map(({ name }) => name).filter((name) => known.has(name))
}
