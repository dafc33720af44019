/** Empties a database between tests. */
import type { Database } from '../../src/db/database.ts'
import { emptyBooks } from '../ledger/books.ts'

/** Empties every table except the audit log, which nobody can empty, and the record of migrations. */
export async function emptyTables(
  db: Database,
  { restartIdentity = false }: { restartIdentity?: boolean } = {},
): Promise<void> {
  const tables = await db.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables
     where schemaname = 'public' and tablename <> 'schema_migrations' and tablename not like 'audit%' and tablename not like 'ledger%'`,
  )
  await emptyBooks(db)
  await db.query(`truncate ${tables.map(({ name }) => name).join(', ')} ${restartIdentity ? 'restart identity' : ''}`)
}
