/**
 * The embedded database of the sandbox. PGlite is one connection in this process, so statements and transactions queue.
 * It writes to the operating system at every commit, so acknowledged commits survive `kill -9`, but it does not fsync:
 * a power failure can lose them.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { type MemoryFS, PGlite, type PGliteOptions, type Transaction } from '@electric-sql/pglite'
import type { Database, DatabaseLogger, Param, Queryable, Row } from './database.ts'
import { isConflict, toDatabaseError, WorkError } from './failures.ts'
import { lockFolder } from './folder-lock.ts'
import { createGate } from './gate.ts'
import { channelName, tellListener } from './notifications.ts'
import { decoders, encodeParam } from './values.ts'

const BYTEA_OID = 17
const TRANSACTION_ATTEMPTS = 3
/** Statements that wait for their turn. */
const MOST_WAITING = 10_000

export type PgliteSettings = {
  /** The folder that keeps the data; undefined: in memory. */
  dataDir: string | undefined
  logger?: DatabaseLogger
  /** How long a statement waits for its turn. Default 10,000. */
  acquireTimeoutMs?: number
  /** Memory that holds a database already (tests). */
  files?: MemoryFS
}

/**
 * Opens the embedded database, creating its folder when it is missing.
 * @throws FolderInUseError when another living process has the folder open
 */
export async function openPglite(settings: PgliteSettings): Promise<Database> {
  const { dataDir, logger } = settings
  const unlock = dataDir === undefined ? () => {} : lockFolder(dataDir)
  try {
    if (dataDir !== undefined) await initialise(dataDir)
    const options: PGliteOptions = {
      relaxedDurability: false,
      serializers: { [BYTEA_OID]: (text: string) => text },
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(settings.files === undefined ? {} : { fs: settings.files }),
    }
    const engine = await PGlite.create(options)
    // Those of a single query would be copied together with all others at each query: an eighth of the processor time of a busy database.
    Object.assign(engine.parsers, decoders)
    await engine.exec(`set timezone = 'UTC'`)
    logger?.info({ dataDir: dataDir ?? 'memory' }, 'embedded database open')
    return wrap(engine, settings, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

/** A first start that is killed halfway must not leave half a database, so it is made aside and then renamed. */
async function initialise(dataDir: string): Promise<void> {
  const aside = `${path.resolve(dataDir)}.new`
  await rm(aside, { recursive: true, force: true })
  if (existsSync(dataDir) && (await readdir(dataDir)).length > 0) return
  await mkdir(path.dirname(aside), { recursive: true })
  const engine = await PGlite.create({ dataDir: aside })
  await engine.close()
  await rm(dataDir, { recursive: true, force: true })
  await rename(aside, dataDir)
}

function wrap(engine: PGlite, settings: PgliteSettings, unlock: () => void): Database {
  const gate = createGate({
    waitTimeoutMs: settings.acquireTimeoutMs ?? 10_000,
    maxWaiting: MOST_WAITING,
  })
  let closing: Promise<void> | undefined

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await gate.run(work)
    } catch (error) {
      throw error instanceof WorkError ? error.cause : toDatabaseError(error)
    }
  }

  return {
    kind: 'pglite',
    query: (text, params) => guarded(() => run(engine, text, params)),
    transaction: (work) => guarded(() => transact(engine, work)),
    script: (sql) => guarded(async () => void (await engine.exec(sql))),
    async listen(channel, onNotify) {
      const name = channelName(channel)
      const stop = await guarded(() =>
        engine.listen(name, (payload) => tellListener(onNotify, payload, settings.logger)),
      )
      return () => guarded(() => stop())
    },
    close() {
      closing ??= gate.close().then(async () => {
        await engine.close()
        unlock()
      })
      return closing
    },
  }
}

async function run<R extends Row>(on: PGlite | Transaction, text: string, params: readonly Param[] = []): Promise<R[]> {
  const result = await on.query<R>(text, params.map(encodeParam))
  return result.rows
}

async function transact<T>(engine: PGlite, work: (tx: Queryable) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await engine.transaction((open) => attemptWork(open, work))
    } catch (error) {
      if (attempt === TRANSACTION_ATTEMPTS || !isConflict(error instanceof WorkError ? error.cause : error)) throw error
    }
  }
}

async function attemptWork<T>(open: Transaction, work: (tx: Queryable) => Promise<T>): Promise<T> {
  let conflict: unknown
  const query: Queryable['query'] = async (text, params) => {
    try {
      return await run(open, text, params)
    } catch (error) {
      if (isConflict(error)) conflict = error
      throw toDatabaseError(error)
    }
  }
  try {
    return await work({ query })
  } catch (error) {
    throw conflict ?? new WorkError('the work in a transaction failed', { cause: error })
  }
}
