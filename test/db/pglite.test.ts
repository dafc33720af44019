// engine: pglite
/** The embedded database on disk: killed processes, second openers, first starts that were cut short. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { DatabaseUnavailableError } from '../../src/db/database.ts'
import { FolderInUseError } from '../../src/db/folder-lock.ts'
import { openPglite } from '../../src/db/pglite.ts'
import { createTestDatabase } from '../support/database.ts'
import { QUICK_WASM } from '../support/quick-wasm.ts'
import { temporaryFolder } from '../support/temp.ts'

const WRITER = path.join(import.meta.dirname, '../support/pglite-writer.ts')

/** Starts a process that writes rows 1, 2, 3 … in parallel and prints each number once it is acknowledged. */
function startWriter(dataDir: string): {
  writer: ChildProcess
  acknowledged: bigint[]
  reached: (count: number) => Promise<void>
} {
  const writer = spawn(process.execPath, [...QUICK_WASM, WRITER, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const acknowledged: bigint[] = []
  const lines = createInterface({ input: writer.stdout as NodeJS.ReadableStream & AsyncIterable<Buffer> })
  lines.on('line', (line) => acknowledged.push(BigInt(line)))
  const reached = async (count: number) => {
    while (acknowledged.length < count) await once(lines, 'line')
  }
  return { writer, acknowledged, reached }
}

test('what was acknowledged survives kill -9, again and again', async () => {
  const dataDir = path.join(temporaryFolder('pglite'), 'db')
  const all: bigint[] = []
  for (const count of [50, 400, 150]) {
    const { writer, acknowledged, reached } = startWriter(dataDir)
    await reached(count)
    writer.kill('SIGKILL')
    await once(writer, 'close')
    all.push(...acknowledged)
    const db = await openPglite({ dataDir })
    const rows = await db.query<{ n: bigint }>('select n from written')
    const stored = new Set(rows.map(({ n }) => n))
    assert.deepEqual(
      all.filter((n) => !stored.has(n)),
      [],
    )
    await db.close()
  }
})

test('a folder that is open cannot be opened again until it is closed', async () => {
  const dataDir = path.join(temporaryFolder('pglite'), 'db')
  const db = await openPglite({ dataDir })
  await assert.rejects(openPglite({ dataDir }), FolderInUseError)
  await db.script('create table kept (n int); insert into kept values (7);')
  await Promise.all([db.close(), db.close()])
  const again = await openPglite({ dataDir })
  assert.deepEqual(await again.query('select n from kept'), [{ n: 7 }])
  await again.close()
})

test('a first start that was cut short begins again', async () => {
  const dataDir = path.join(temporaryFolder('pglite'), 'db')
  mkdirSync(`${dataDir}.new`)
  writeFileSync(path.join(`${dataDir}.new`, 'PG_VERSION'), 'half')
  const db = await openPglite({ dataDir })
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }])
  await db.close()
  assert.equal(existsSync(`${dataDir}.new`), false)
})

test('a statement waits for the running transaction, but not for ever', async () => {
  const db = await createTestDatabase({ engine: 'pglite', migrated: false, acquireTimeoutMs: 50 })
  await db.script('create table t (n int)')
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = db.transaction(async (tx) => {
    await tx.query('insert into t values (1)')
    begun.resolve()
    await held.promise
  })
  await begun.promise
  await assert.rejects(db.query('select count(*) from t'), DatabaseUnavailableError)
  const waiting = db.query('select count(*) from t')
  held.resolve()
  await transaction
  assert.deepEqual(await waiting, [{ count: 1n }])
  await db.close()
})
