/** The reference of the acceptance benchmark: single inserts of one row with one unique key, by PostgreSQL's own pgbench. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../test/support/temp.ts'
import type { Bench } from './service.ts'

const run = promisify(execFile)

const INSERT =
  "insert into reference_rows (key, payload) values (gen_random_uuid()::text, :client_id || repeat('x', 100));\n"

/** pgbench's version; it comes with PostgreSQL's server packages (Debian: postgresql-contrib). */
export async function pgbenchVersion(): Promise<string> {
  const { stdout } = await run('pgbench', ['--version'])
  return stdout.trim().replace(/^pgbench \(PostgreSQL\) /, '')
}

export type Reference = (seconds: number) => Promise<{ perSecond: number; rows: number }>

/**
 * Makes the reference's table, and a function that inserts into it for a number of seconds through `clients`
 * connections, by a prepared statement with a commit each.
 * @param also a statement that belongs to each insert's transaction
 */
export async function createReference(bench: Bench, clients: number, also?: string): Promise<Reference> {
  await bench.db.query(
    'create table if not exists reference_rows (id bigint generated always as identity, key text unique, payload text)',
  )
  const script = path.join(temporaryFolder('pgbench'), 'insert.sql')
  writeFileSync(script, also === undefined ? INSERT : `begin;\n${INSERT}${also}commit;\n`)
  return async (seconds) => {
    // It knows whole seconds only.
    const time = `${Math.ceil(seconds)}`
    const args = ['-n', '-f', script, '-M', 'prepared', '-c', `${clients}`, '-j', '1', '-T', time, bench.url]
    const { stdout } = await run('pgbench', args)
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1])
    const rows = Number(/actually processed: (\d+)/.exec(stdout)?.[1])
    if (!(perSecond > 0 && rows > 0)) throw new Error(stdout)
    return { perSecond, rows }
  }
}
