/** Finds out whether a pooler between the service and PostgreSQL breaks its sessions, or what they ask for. */
import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { DatabaseUnsuitableError } from './database.ts'
import { sqlState } from './failures.ts'
import { createClientMaker } from './new-client.ts'
import {
  clientConfigOf,
  connectFailure,
  type PostgresSettings,
  passwordOf,
  SESSION_SETTINGS,
} from './postgres-client.ts'

/** Others may use the pooler at the same time: what one round happens not to show, another may. */
const ROUNDS = 3

const INSTEAD = 'give the address of PostgreSQL itself, the service keeps a pool of its own.'
const LENDS = `DATABASE_URL leads to a pooler that does not keep sessions (such as PgBouncer with pool_mode=transaction): ${INSTEAD}`
const DROPS =
  'DATABASE_URL leads to a pooler that does not pass on what a connection asks for, so that neither durable commits nor time limits are in force ' +
  `(such as PgBouncer, also with pool_mode=session): ${INSTEAD}`

/**
 * Checks that connections are sessions: that the settings they ask for are in force, and that each keeps its server
 * process, with what is set in it, while others work. Time limits, durable commits, prepared statements and
 * notifications depend on it.
 * @throws DatabaseUnsuitableError when they are not
 * @throws DatabaseUnavailableError when the server cannot be reached
 */
export async function requireSessions(settings: PostgresSettings): Promise<void> {
  const secret = passwordOf(settings.url)
  const clients = [0, 1].map(createClientMaker(clientConfigOf(settings)))
  const [one, other] = clients as [pg.Client, pg.Client]
  for (const client of clients) client.on('error', () => {})
  try {
    await Promise.all(clients.map((client) => client.connect()))
    if (await isShared(one, other)) throw new DatabaseUnsuitableError(LENDS)
    if (!(await hasSettings(one, settings))) throw new DatabaseUnsuitableError(DROPS)
  } catch (error) {
    if (error instanceof DatabaseUnsuitableError) throw error
    if (refusesSettings(error)) throw new DatabaseUnsuitableError(DROPS)
    throw connectFailure(error, secret)
  } finally {
    for (const client of clients) client.end().catch(() => {})
  }
}

/** PgBouncer refuses a connection that asks for settings it does not know (08P01, protocol_violation). */
function refusesSettings(error: unknown): boolean {
  return sqlState(error) === '08P01' && /startup parameter/.test((error as Error).message)
}

async function hasSettings(client: pg.Client, settings: PostgresSettings): Promise<boolean> {
  const { statement_timeout: timeoutMs } = clientConfigOf(settings)
  const asked = { ...SESSION_SETTINGS, statement_timeout: String(timeoutMs) }
  const { rows } = await client.query<{ name: string; setting: string }>('select name, setting from pg_settings')
  const inForce = new Map(rows.map(({ name, setting }) => [name, setting.replaceAll(' ', '')]))
  return Object.entries(asked).every(([name, value]) => inForce.get(name) === value.replaceAll(' ', ''))
}

/** Whether two connections, used in turn, ever share a server process or lose what was set. */
async function isShared(one: pg.Client, other: pg.Client): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    if (await losesSession(one, other)) return true
  }
  return false
}

async function losesSession(keeper: pg.Client, holder: pg.Client): Promise<boolean> {
  const mark = randomUUID()
  await keeper.query(`select set_config('coin.session', '${mark}', false)`)
  const before = await processOf(keeper)
  await holder.query('begin')
  try {
    const held = await processOf(holder)
    if (before.mark !== mark || held.pid === before.pid || held.mark === mark) return true
    const after = await processOf(keeper)
    return after.pid !== before.pid || after.mark !== mark
  } finally {
    await holder.query('rollback')
  }
}

async function processOf(client: pg.Client): Promise<{ pid: number; mark: string | null }> {
  const { rows } = await client.query<{ pid: number; mark: string | null }>(
    `select pg_backend_pid() as pid, current_setting('coin.session', true) as mark`,
  )
  const [row] = rows
  if (row === undefined) throw new Error('the server did not name its process')
  return row
}
