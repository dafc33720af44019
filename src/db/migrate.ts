/** Forward-only migrations: `migrations/NNNNNN.sql`, each applied once and whole; one that only changes indexes, one index after the other. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readConnectedUsers } from './access.sql.ts'
import { changeIndexes, type IndexChange, readIndexChanges } from './build-indexes.ts'
import {
  type Database,
  type DatabaseLogger,
  DatabaseUnavailableError,
  StatementCancelledError,
  violatedConstraint,
} from './database.ts'

const MIGRATIONS_FOLDER = path.join(import.meta.dirname, '../../migrations')
const FILE_NAME = /^(\d{6})\.sql$/
/** Any number that nothing else in this database locks; it makes processes that start together take turns. */
const ADVISORY_LOCK = '7263001'
/** The beginning of a script that takes turns with those of other processes. */
export const IN_TURN = `select pg_advisory_xact_lock(${ADVISORY_LOCK});`
/** The first line of a migration whose schema also runs the release before it. */
const EXPANDS = /^-- expands\n/
/** The first lines of one that only changes indexes, beside those who write. */
const CHANGES_INDEXES = /^-- expands\n-- indexes\n/
/**
 * A session that waits for a lock on a table holds up everybody behind it, so a migration waits briefly and tries
 * often.
 */
const LOCK_TIMEOUT_MS = 1_000
const ATTEMPTS = 30
const PAUSE_MS = 2_000

export type Migration = {
  version: number
  name: string
  sql: string
  checksum: string
  expands: boolean
  /** What it changes, when it only changes indexes. */
  indexes: readonly IndexChange[] | undefined
}

export type MigrateOptions = {
  folder?: string
  logger?: DatabaseLogger
  /** How long a statement of a migration waits for a lock; how often a migration is tried, and the pause in between. */
  lockTimeoutMs?: number
  attempts?: number
  pauseMs?: number
}

/** The database's schema and this code do not fit together. The message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
}

/**
 * Reads the migrations of a folder in the order of their versions.
 * @throws MigrationError when the versions are not 1, 2, 3 …, or one does not do what it says
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
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version, name, sql, checksum, expands: EXPANDS.test(sql), indexes: indexesOf(name, sql) }
    }),
  )
}

function indexesOf(name: string, sql: string): readonly IndexChange[] | undefined {
  if (!CHANGES_INDEXES.test(sql)) return undefined
  const changes = readIndexChanges(sql)
  if (changes !== undefined) return changes
  throw new MigrationError(`Migration ${name} says that it only changes indexes, and has another statement, or none.`)
}

/**
 * Brings the database to the newest version and returns it. Several processes may do so at the same time. A newer
 * database is left as it is when every migration unknown to this program declares that this program may run on it.
 * @throws MigrationError when an applied migration was edited, when the database has one that this program neither
 *   knows nor may run on, or when one failed or could not get its locks
 */
export async function migrate(
  db: Database,
  options: MigrateOptions = {},
): Promise<{ version: number; applied: number }> {
  const migrations = await readMigrations(options.folder)
  await db.script(`
    ${IN_TURN}
    create table if not exists schema_migrations (
      version integer primary key,
      name text not null,
      checksum text not null,
      expands boolean not null,
      applied_at timestamptz not null default now()
    );`)
  let applied = 0
  for (;;) {
    const done = await readApplied(db)
    verifyHistory(done, migrations)
    const next = migrations[done.length]
    if (next === undefined) return { version: done.length, applied }
    if (done.length > 0 && !next.expands) await awaitOthers(db, next, options)
    if (await applyPatiently(db, next, options)) {
      applied += 1
      options.logger?.info({ migration: next.name }, 'migration applied')
    }
  }
}

/**
 * Compares the database with this program, for processes that may not change it.
 * @throws MigrationError when migrations are missing, and as `migrate` does
 */
export async function requireMigrated(db: Database): Promise<void> {
  const migrations = await readMigrations()
  const [state] = await db.query<{ exists: boolean }>(`select to_regclass('schema_migrations') is not null as exists`)
  const done = state?.exists === true ? await readApplied(db) : []
  verifyHistory(done, migrations)
  if (done.length >= migrations.length) return
  throw new MigrationError(
    `The database is at version ${done.length}, this program needs ${migrations.length}: run \`npm run migrate\` as the owner of the tables.`,
  )
}

type AppliedMigration = { version: number; name: string; checksum: string; expands: boolean }

function readApplied(db: Database): Promise<AppliedMigration[]> {
  return db.query<AppliedMigration>('select version, name, checksum, expands from schema_migrations order by version')
}

function verifyHistory(done: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  for (const [index, { version, name, checksum, expands }] of done.entries()) {
    if (version !== index + 1) throw new MigrationError(`The database skipped migration ${index + 1}.`)
    const known = migrations[index]
    if (known === undefined && !expands) {
      throw new MigrationError(
        `The database is at version ${done.length}, this program knows ${migrations.length} and cannot run after ${name}. Run the newer program.`,
      )
    }
    if (known !== undefined && known.checksum !== checksum) {
      throw new MigrationError(
        `Migration ${name} was edited after it was applied to this database: another version of this program made it, and only that one can run on it. Whoever edited the file restores it, and puts the change into a new migration.`,
      )
    }
  }
}

/**
 * Waits until no process of the release before is connected: only a start looks at the schema, so one that runs would go on with statements
 * that fit no longer.
 */
async function awaitOthers(db: Database, { name }: Migration, options: MigrateOptions): Promise<void> {
  const { attempts = ATTEMPTS, pauseMs = PAUSE_MS, logger } = options
  for (let attempt = 1; ; attempt += 1) {
    const users = await readConnectedUsers(db)
    if (users.length === 0) return
    if (attempt >= attempts) {
      throw new MigrationError(
        `The release that runs cannot run after ${name}, and ${users.join(', ')} ${users.length > 1 ? 'are' : 'is'} connected. Stop all processes, then start again.`,
      )
    }
    logger?.warn({ migration: name, users }, 'a migration waits until all processes are stopped')
    await pause(pauseMs)
  }
}

/** Tries again while others hold a lock that the migration needs. A failed try leaves nothing behind. */
async function applyPatiently(db: Database, migration: Migration, options: MigrateOptions): Promise<boolean> {
  const { lockTimeoutMs = LOCK_TIMEOUT_MS, attempts = ATTEMPTS, pauseMs = PAUSE_MS, logger } = options
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(db, migration, lockTimeoutMs)
    } catch (error) {
      if (!(error instanceof StatementCancelledError)) throw error
      if (attempt >= attempts) {
        throw new MigrationError(
          `Migration ${migration.name} did not get its locks in ${attempts} attempts: a long transaction, a backup or another session holds them. End it, then start again.`,
          { cause: error },
        )
      }
      logger?.warn({ migration: migration.name, attempt }, 'a migration waits for a lock that others hold')
      await pause(pauseMs)
    }
  }
}

/**
 * Returns false when another process was faster: the version's row is inserted first, so nothing of this run remains.
 */
async function apply(db: Database, migration: Migration, lockTimeoutMs: number): Promise<boolean> {
  const { version, name, checksum, expands, indexes } = migration
  // The embedded database has one user, who waits for nobody.
  const isBeside = indexes !== undefined && db.kind === 'postgres'
  const sql = isBeside ? '' : migration.sql
  try {
    if (isBeside) await changeIndexes(db, indexes)
    await db.script(`
      ${IN_TURN}
      select set_config('lock_timeout', '${lockTimeoutMs}ms', true);
      insert into schema_migrations (version, name, checksum, expands) values (${version}, '${name}', '${checksum}', ${expands});
      ${sql}`)
    return true
  } catch (error) {
    if (violatedConstraint(error) === 'schema_migrations_pkey') return false
    if (error instanceof DatabaseUnavailableError) throw error
    // Of what is in the tables, or of who runs it: the database's words alone do not say which of the migrations it was.
    const said = error instanceof Error ? error.message : String(error)
    const left = isBeside ? 'what it had done before is kept' : 'nothing of it remains'
    throw new MigrationError(`Migration ${name} failed, and ${left}: ${said}.`, { cause: error })
  }
}
