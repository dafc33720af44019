/** A database on PostgreSQL that can be copied, and put back to a copy, as from a backup, while whoever uses it holds on to it. */
import type { Database, Queryable, Row } from '../../src/db/database.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { adminOf, migratedTemplate, postgresUrl, type TestDatabase, withDatabase } from '../support/database.ts'
import { PATIENCE_MS } from '../support/wait-for.ts'

export type RestorableDatabase = TestDatabase & {
  /** Copies it as it is now. @returns the number of the copy */
  backUp(): Promise<number>
  /** Puts it back to a copy. Later copies stay. */
  restore(copy: number): Promise<void>
}

let made = 0

export async function createRestorableDatabase(): Promise<RestorableDatabase> {
  const server = await postgresUrl()
  const admin = adminOf(server)
  made += 1
  const name = `bank_model_${process.pid}_${made}`
  const nameOf = (copy: number) => `${name}_${copy}`
  const url = withDatabase(server, name)
  const copy = (from: string, to: string) => admin.query(`create database ${to} template ${from} strategy file_copy`)
  const drop = (which: string) => admin.query(`drop database if exists ${which} with (force)`)
  const patience = { connectTimeoutMs: PATIENCE_MS, acquireTimeoutMs: PATIENCE_MS, probeMs: PATIENCE_MS }
  const open = () => openPostgres({ url, poolSize: 6, ...patience })
  await copy(await migratedTemplate(server), name)
  let current: Database = await open()
  let copies = 0

  return {
    kind: 'postgres',
    url,
    query: <R extends Row>(...given: Parameters<Queryable['query']>) => current.query<R>(...given),
    transaction: (work) => current.transaction(work),
    listen: (channel, onNotify) => current.listen(channel, onNotify),
    script: (sql) => current.script(sql),
    async backUp() {
      await current.close()
      await copy(name, nameOf(copies))
      current = await open()
      copies += 1
      return copies - 1
    },
    async restore(which) {
      await current.close()
      await drop(name)
      await copy(nameOf(which), name)
      current = await open()
    },
    async close() {
      await current.close()
      for (const each of [name, ...Array.from({ length: copies }, (_, index) => nameOf(index))]) await drop(each)
    },
  }
}
