/** Forward-only migrations: `migrations/NNNNNN.sql`, each applied once and whole. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Database, type DatabaseLogger, violatedConstraint } from './database.ts'

const MIGRATIONS_FOLDER = path.join(import.meta.dirname, '../../migrations')
const FILE_NAME = /^(\d{6})\.sql$/
/** Any number that nothing else in the database locks: processes that start together take turns. */
const ADVISORY_LOCK = '7263001'

export type Migration = { version: number; name: string; sql: string; checksum: string }

/** The database's schema and this code do not belong together. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * Reads the migrations of a folder in the order of their versions.
 * @throws MigrationError when the versions are not 1, 2, 3 …
 */
export async function readMigrations(folder: string = MIGRATIONS_FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort()
  return await Promise.all(
    names.map(async (name, index) => {
      const version = index + 1
      if (Number(name.slice(0, 6)) !== version) {
        throw new MigrationError(`Migration ${version} is missing: the next file is ${name}.`)
      }
      const sql = await readFile(path.join(folder, name), 'utf8')
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

/**
 * Brings the database to the newest version and returns it. Several processes may do so at the same time.
 * @throws MigrationError when an applied migration was edited or is not known to this code
 */
export async function migrate(
  db: Database,
  options: { folder?: string; logger?: DatabaseLogger } = {},
): Promise<{ version: number; applied: number }> {
  const migrations = await readMigrations(options.folder)
  await db.script(`
    select pg_advisory_xact_lock(${ADVISORY_LOCK});
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      applied_at timestamptz not null default now()
    );`)
  let applied = 0
  for (;;) {
    const done = await readApplied(db)
    verifyHistory(done, migrations)
    const next = migrations[done.length]
    if (next === undefined) return { version: migrations.length, applied }
    if (await apply(db, next)) {
      applied += 1
      options.logger?.info({ migration: next.name }, 'migration applied')
    }
  }
}

type AppliedMigration = { version: number; name: string; checksum: string }

function readApplied(db: Database): Promise<AppliedMigration[]> {
  return db.query<AppliedMigration>('select version, name, checksum from schema_migrations order by version')
}

function verifyHistory(done: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const newest = done.at(-1)
  if (newest !== undefined && newest.version > migrations.length) {
    throw new MigrationError(
      `The database is at version ${newest.version}, this program knows ${migrations.length}. Run the newer program.`,
    )
  }
  for (const [index, { version, name, checksum }] of done.entries()) {
    if (version !== index + 1) throw new MigrationError(`The database skipped migration ${index + 1}.`)
    if (migrations[index]?.checksum !== checksum) {
      throw new MigrationError(
        `Migration ${name} was edited after it was applied to this database. Restore the file and put the change into a new migration.`,
      )
    }
  }
}

/** Returns false when another process was faster: the version's row comes first, so nothing of this run remains. */
async function apply(db: Database, { version, name, sql, checksum }: Migration): Promise<boolean> {
  try {
    await db.script(`
      select pg_advisory_xact_lock(${ADVISORY_LOCK});
      insert into schema_migrations (version, name, checksum) values (${version}, '${name}', '${checksum}');
      ${sql}`)
    return true
  } catch (error) {
    if (violatedConstraint(error) === 'schema_migrations_pkey') return false
    throw error
  }
}
