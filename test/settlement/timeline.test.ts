// engine: postgres
/** What settlers take for a database's past: a restart is the same one, what was recovered is another. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { DatabaseUnavailableError } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { DATABASE_TIMELINE } from '../../src/db/timeline.sql.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import { waitFor } from '../support/wait-for.ts'

let server: PostgresServer
before(async () => {
  server = await startPostgresServer({}, 'memory')
})
after(() => server.stop())

/** A server takes connections before that, to be read from. */
async function isInRecovery(): Promise<boolean> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers')
    return rows[0]?.recovers ?? true
  } finally {
    await client.end()
  }
}

async function asked(...statements: string[]): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
    const { rows } = await client.query<{ timeline: string }>(`select ${DATABASE_TIMELINE} as timeline`)
    return rows[0]?.timeline
  } finally {
    await client.end()
  }
}

test('a server that crashed and starts anew is on its timeline; a copy of its data folder that is recovered is not', async () => {
  const first = await asked('create table chains ()', 'create role anybody', 'set role anybody')
  assert.match(String(first), /^\d{10,}\/00000001\/\d+$/)
  await server.kill()
  await server.restart()
  assert.equal(await asked('set role anybody'), first)

  await server.kill()
  writeFileSync(path.join(server.dataFolder, 'recovery.signal'), '')
  await server.restart({ restore_command: 'false' })
  await waitFor('the recovery to end', async () => !(await isInRecovery()))
  assert.equal(await asked('set role anybody'), first?.replace('/00000001/', '/00000002/'))
})

test('a standby that was not promoted says that the database is away, and its connection is given up', async () => {
  await server.kill()
  writeFileSync(path.join(server.dataFolder, 'standby.signal'), '')
  await server.restart({ restore_command: 'false' })
  const db = await openPostgres({ url: server.url, poolSize: 1 })
  try {
    const pid = async () => (await db.query<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid
    const before = await pid()
    await assert.rejects(db.query(`select ${DATABASE_TIMELINE} as timeline`), DatabaseUnavailableError)
    assert.notEqual(await pid(), before)
  } finally {
    await db.close()
  }
})
