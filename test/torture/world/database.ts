/** One PostgreSQL server, and what may happen to it. */
import pg from 'pg'
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts'
import type { Random } from '../../support/random.ts'
import { atLeast } from '../../support/wait-for.ts'
import { startWire, type Wire } from './wire.ts'

export type TortureDatabase = {
  /** The URL of the service's database, password included. */
  url: string
  /** What the service's connections go through; the harness's own do not. */
  wire: Wire
  query<R extends Record<string, unknown>>(sql: string, params?: unknown[]): Promise<R[]>
  /** Ends a share of the service's connections. */
  cut(random: Random, share: number): Promise<void>
  /** Freezes every server process until the returned function is called. */
  stall(): Promise<() => void>
  /** Opens a transaction that holds what `sql` locks until the returned function is called. */
  lock(sql: string): Promise<() => Promise<void>>
  /** Crashes the server and starts it again. */
  crash(meanwhile?: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

const NAME = 'torture'
const RESTARTS = 5
/** The name of the harness's own connections, so that it never cuts itself off. */
const OWN_NAME = 'torture-harness'

export async function startDatabase(): Promise<TortureDatabase> {
  const server = await startPostgresServer()
  const url = new URL(server.url)
  url.pathname = `/${NAME}`
  await withClient(server.url, (client) => client.query(`create database ${NAME}`))
  const query = <R extends Record<string, unknown>>(sql: string, params: unknown[] = []): Promise<R[]> =>
    withClient(url.href, async (client) => (await client.query<R>(sql, params)).rows)
  const wire = await startWire(url.href)
  return {
    url: wire.url,
    wire,
    query,
    async cut(random, share) {
      const rows = await query<{ pid: number }>(
        `select pid from pg_stat_activity where datname = $1 and application_name <> $2 order by pid`,
        [NAME, OWN_NAME],
      )
      const chosen = rows.map(({ pid }) => pid).filter(() => random.chance(share))
      await query('select pg_terminate_backend(pid) from unnest($1::int[]) as chosen (pid)', [chosen])
    },
    stall: () => stall(server, query),
    async lock(sql) {
      const client = await connect(url.href)
      await client.query('begin')
      await client.query(`set local lock_timeout = '5s'`)
      await client.query(sql)
      return async () => {
        await client.end().catch(() => {})
      }
    },
    async crash(meanwhile = async () => {}) {
      await server.kill()
      await meanwhile()
      await restart(server)
    },
    async stop() {
      await wire.close()
      await server.stop()
    },
  }
}

/** A busy machine may take longer than one try waits. */
async function restart(server: PostgresServer): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await server.restart()
      return
    } catch (error) {
      if (tries === RESTARTS) throw error
      await server.kill()
    }
  }
}

async function stall(server: PostgresServer, query: TortureDatabase['query']): Promise<() => void> {
  const rows = await query<{ pid: number }>('select pid from pg_stat_activity where pid <> pg_backend_pid()')
  const pids = [server.pid, ...rows.map(({ pid }) => pid)]
  const signal = (name: NodeJS.Signals) => {
    for (const pid of pids) {
      try {
        process.kill(pid, name)
      } catch {
        // It has already ended.
      }
    }
  }
  signal('SIGSTOP')
  return () => signal('SIGCONT')
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: OWN_NAME,
    connectionTimeoutMillis: atLeast(5_000),
  })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url)
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}
