/** Empties a database between tests. */
import type { Database } from '../../src/db/database.ts'
import { emptyBooks } from '../ledger/books.ts'

/**
 * Empties every table except the audit log, which nobody can empty, and the record of migrations. Tables that nothing
 * has been written to are left as they are: each that is truncated gets new files, with those of its indexes.
 */
export async function emptyTables(
  db: Database,
  { restartIdentity = false }: { restartIdentity?: boolean } = {},
): Promise<void> {
  await emptyBooks(db)
  const written = await writtenTables(db)
  if (written.length === 0) return
  // What refers to these is empty, or among them.
  await db.query(`truncate ${written.join(', ')} ${restartIdentity ? 'restart identity' : ''} cascade`)
}

/** Those that have rows, or whose rows were numbered once. */
async function writtenTables(db: Database): Promise<string[]> {
  const tables = await db.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename <> 'schema_migrations' and tablename not like 'audit%' and tablename not like 'ledger%'`,
  )
  const filled = tables.map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
  const numbered = `select quote_ident(owner.relname) from pg_class sequence
    join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = sequence.oid and d.deptype in ('a', 'i')
    join pg_class owner on d.refclassid = 'pg_class'::regclass and owner.oid = d.refobjid
    where case sequence.relkind when 'S' then pg_sequence_last_value(sequence.oid) end is not null`
  const written = await db.query<{ name: string }>([...filled, numbered].join(' union '))
  const known = new Set(tables.map(({ name }) => name))
  return written.map(({ name }) => name).filter((name) => known.has(name))
}
