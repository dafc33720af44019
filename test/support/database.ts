/** Fresh migrated databases for tests, on the engine that TEST_ENGINE names (`pglite`, the default, or `postgres`). */
import { createHash, randomUUID } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { ROLES, type Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import type { Database } from '../../src/db/database.ts'
import { applyGrants, GRANTS_FILE } from '../../src/db/grants.ts'
import { migrate, readMigrations } from '../../src/db/migrate.ts'
import { openPglite } from '../../src/db/pglite.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import type { PostgresSettings } from '../../src/db/postgres-client.ts'
import { believeBurns } from './believed-burns.ts'
import { borrow, lendAlso, staying, type Whole } from './kept-databases.ts'
import { type PackedFolder, PreparedFiles, packFolder, unpacked } from './pglite-files.ts'
import { startPostgresServer } from './postgres-server.ts'
import { temporaryFolder } from './temp.ts'
import { PATIENCE_MS } from './wait-for.ts'

export type Engine = 'pglite' | 'postgres'
/** `close` also removes or empties the database. `url` is there on PostgreSQL only: further processes may connect to it. */
export type TestDatabase = Database & { readonly url: string | undefined; readonly whole?: Whole }

type TestDatabaseOptions = Partial<Omit<PostgresSettings, 'url'>> & {
  engine?: Engine
  /** False: an empty database. Default true. */
  migrated?: boolean
  /** Payouts begin as if their burns had been seen (believed-burns.ts). Default false. */
  believesBurns?: boolean
}

export const testEngine: Engine = process.env.TEST_ENGINE === 'postgres' ? 'postgres' : 'pglite'

/** A database that nobody else uses, with every migration applied. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { engine = testEngine, migrated = true, believesBurns = false, ...settings } = options
  if (engine === 'postgres') return await createOnPostgres(settings, { migrated, believesBurns })
  const db = await openPglite({
    dataDir: undefined,
    ...settings,
    files: new PreparedFiles(await pgliteSnapshot(migrated)),
  })
  if (believesBurns) await believeBurns(db)
  return { ...db, url: undefined }
}

/**
 * Each start writes zeros to all of shared_buffers, 128 MB by default: a third of what a start costs. A file of the log is as long
 * when it is empty, so it is short.
 */
const SMALL = `shared_buffers = 8MB\nmin_wal_size = 2MB\n`
const SHORT_LOG = '--wal-segsize=1'

let snapshots: Record<string, PackedFolder> = {}

/** Making a database and applying the migrations takes seconds, loading the result does not: a file named by what made it keeps it. */
async function pgliteSnapshot(migrated: boolean): Promise<PackedFolder> {
  const name = migrated ? await schemaKey() : engineKey()
  const kept = snapshots[name]
  if (kept !== undefined) return kept
  const folder = path.join(tmpdir(), `coin-test-snapshots-${userInfo().uid}`)
  const file = path.join(folder, `${name}.folder`)
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const aside = `${file}.${randomUUID()}`
    writeFileSync(aside, packFolder(await makeFolder(migrated)))
    renameSync(aside, file)
  }
  const read = unpacked(readFileSync(file))
  snapshots = { [name]: read, ...snapshots }
  return read
}

/** The folder of a database of PGlite with every migration applied. */
export function preparedDatabase(): Promise<PackedFolder> {
  return pgliteSnapshot(true)
}

/** The folder of a database that was closed, so that nothing is recovered when it is opened. */
async function makeFolder(migrated: boolean): Promise<string> {
  const dataDir = path.join(temporaryFolder('snapshot'), 'db')
  const engine = await PGlite.create({ dataDir, initDbStartParams: [SHORT_LOG] })
  await engine.close()
  appendFileSync(path.join(dataDir, 'postgresql.conf'), SMALL)
  const db = await openPglite({ dataDir })
  if (migrated) await migrate(db)
  const others = await db.query<{ oid: number }>('select oid from pg_database where datname <> current_database()')
  await db.script('select pg_switch_wal(); checkpoint')
  const [current] = await db.query<{ name: string }>('select pg_walfile_name(pg_current_wal_insert_lsn()) as name')
  await db.close()
  for (const { oid } of others) emptyFolder(path.join(dataDir, 'base', String(oid)), 'PG_VERSION')
  emptyFolder(path.join(dataDir, 'pg_wal'), current?.name)
  return dataDir
}

/** The templates of further databases, which no test makes, are two thirds of the files that each load would copy. */
function emptyFolder(folder: string, but: string | undefined): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()))
    if (name !== but) rmSync(path.join(folder, name))
}

/** Names PGlite's build and what makes the file. */
function engineKey(): string {
  const packageFile = path.join(import.meta.dirname, '../../node_modules/@electric-sql/pglite/package.json')
  const hash = createHash('sha256')
    .update(readFileSync(packageFile))
    .update(readFileSync(import.meta.filename))
  return hash.digest('hex').slice(0, 16)
}

/** Names what a prepared database depends on: the migrations, what applies them, and the engine. */
async function schemaKey(): Promise<string> {
  const migrateFile = path.join(import.meta.dirname, '../../src/db/migrate.ts')
  const hash = createHash('sha256')
    .update(engineKey())
    .update(readFileSync(migrateFile))
    .update(readFileSync(GRANTS_FILE))
  for (const { checksum } of await readMigrations()) hash.update(checksum)
  return hash.digest('hex').slice(0, 16)
}

/**
 * A server that gets no processor for seconds is not away, and a statement that adds many rows does end: either would be given up, and with it whatever a
 * test is about.
 */
const PATIENT = {
  poolSize: 5,
  statementTimeoutMs: 60_000,
  connectTimeoutMs: PATIENCE_MS,
  acquireTimeoutMs: PATIENCE_MS,
  probeMs: PATIENCE_MS,
} as const

const LOGIN_PASSWORD = 'of-nobody'
const loginOf = (role: Role) => `test_${role}`

/**
 * The same database as a user who may do what this role of the service needs, and nothing else. Its connections are kept until the
 * database is dropped, because each new one reads the catalogue and plans every statement. On PGlite, which has one user, it is the
 * database itself.
 */
export async function asRole(db: TestDatabase, role: Role): Promise<Database> {
  const { url, whole } = db
  if (url === undefined || whole === undefined) return { ...db, close: async () => {} }
  const login = new URL(url)
  login.username = loginOf(role)
  login.password = LOGIN_PASSWORD
  const opened = await whole.also(role, () => openPostgres({ ...PATIENT, url: staying(login.href) }))
  return lendAlso(url, opened)
}

let ownServer: Promise<string> | undefined

/**
 * The URL of the run's server, or of a server started here when a test file is run by hand. A watchdog ends that one.
 */
export function postgresUrl(): Promise<string> {
  if (process.env.TEST_POSTGRES_URL !== undefined) return Promise.resolve(process.env.TEST_POSTGRES_URL)
  ownServer ??= startPostgresServer().then(({ url }) => url)
  return ownServer
}

async function createOnPostgres(
  settings: Partial<PostgresSettings>,
  { migrated, believesBurns }: { migrated: boolean; believesBurns: boolean },
): Promise<TestDatabase> {
  const make = async () => {
    const whole = await makeOnPostgres(settings, migrated)
    if (believesBurns) await believeBurns(whole.db)
    return whole
  }
  const { poolSize, ...special } = settings
  if (migrated && Object.keys(special).length === 0) return await borrow(`${poolSize} ${believesBurns}`, make)
  const whole = await make()
  return { ...whole.db, url: whole.url, whole, close: whole.end }
}

async function makeOnPostgres(settings: Partial<PostgresSettings>, migrated: boolean): Promise<Whole> {
  const serverUrl = await postgresUrl()
  const name = `test_${process.pid}_${randomUUID().slice(0, 8)}`
  const template = migrated ? await migratedTemplate(serverUrl) : 'template0'
  const admin = adminOf(serverUrl)
  // The files of a small template are copied in half the time that it takes to log every page of them.
  await admin.query(`create database ${name} template ${template} strategy file_copy`)
  const url = withDatabase(serverUrl, name)
  const db = await openPostgres({ ...PATIENT, ...settings, url: staying(url) })
  const others = new Map<string, Promise<Database>>()
  return {
    db,
    url,
    also(of, open) {
      const opened = others.get(of) ?? open()
      others.set(of, opened)
      return opened
    },
    async end() {
      for (const opened of others.values()) await (await opened).close()
      await db.close()
      await admin.query(`drop database if exists ${name} with (force)`)
    },
  }
}

const admins: Record<string, pg.Pool> = {}

/** One connection a process, kept: to make one costs as much as to drop a database. */
export function adminOf(serverUrl: string): pg.Pool {
  const kept = admins[serverUrl]
  if (kept !== undefined) return kept
  const pool = new pg.Pool({ connectionString: serverUrl, max: 1, allowExitOnIdle: true })
  pool.on('error', () => {})
  admins[serverUrl] = pool
  return pool
}

const templates: Record<string, Promise<string>> = {}

export function migratedTemplate(serverUrl: string): Promise<string> {
  templates[serverUrl] ??= makeTemplate(serverUrl)
  return templates[serverUrl]
}

/** Makes the template once per server; other test files wait for the lock, then find it. */
async function makeTemplate(serverUrl: string): Promise<string> {
  const template = `template_${await schemaKey()}`
  const client = new pg.Client({ connectionString: serverUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(1)')
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [template])
    if (rowCount === 1) return template
    await client.query('drop database if exists template_new')
    await client.query('create database template_new template template0')
    const db = await openPostgres({ url: withDatabase(serverUrl, 'template_new'), poolSize: 1 })
    await migrate(db)
    await applyGrants(db, ROLES, false)
    await db.close()
    for (const role of ROLES) {
      await client.query(`drop role if exists ${loginOf(role)}`)
      await client.query(`create role ${loginOf(role)} login password '${LOGIN_PASSWORD}' in role ${groupOf(role)}`)
    }
    await client.query(`alter database template_new rename to ${template}`)
  } finally {
    await client.end()
  }
  return template
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}
