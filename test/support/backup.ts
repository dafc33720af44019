/** A backup of a whole database, and a restore of it into another one, with the sequences. */
import type { Database, Queryable } from '../../src/db/database.ts'
import { dropGuards } from './without-guards.ts'

/** Table → its rows as JSON text. */
export type Backup = ReadonlyMap<string, string>

async function tablesOf(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migrations' order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Takes everything as of one moment. */
export async function takeBackup(db: Database): Promise<Backup> {
  return await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read')
    const backup = new Map<string, string>()
    for (const table of await tablesOf(tx)) {
      const [row] = await tx.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${table} t`)
      if (row?.rows != null) backup.set(table, row.rows)
    }
    return backup
  })
}

/** Fills a migrated database with exactly what was backed up. */
export async function restoreBackup(db: Database, backup: Backup): Promise<void> {
  await db.transaction(async (tx) => {
    await dropGuards(tx)
    // Migrations leave rows, too.
    for (const table of await tablesOf(tx)) await tx.query(`delete from ${table}`)
    for (const [table, rows] of backup) {
      await tx.query(
        `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1::text::json)`,
        [rows],
      )
    }
    const sequences = await tx.query<{ sequence: string; table: string; column: string }>(
      `select pg_get_serial_sequence(c.oid::regclass::text, a.attname) as sequence, c.relname as table, a.attname as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0
         and pg_get_serial_sequence(c.oid::regclass::text, a.attname) is not null`,
    )
    for (const { sequence, table, column } of sequences) {
      await tx.query(
        `select setval($1::text::regclass, coalesce((select max(${column}) from ${table}), 0) + 1, false)`,
        [sequence],
      )
    }
  })
}
