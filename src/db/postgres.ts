/** PostgreSQL through a bounded pool of connections. */
import pg from 'pg'
import { createBreaker } from './breaker.ts'
import type { Database } from './database.ts'
import { createDeadlines } from './deadlines.ts'
import { toDatabaseError } from './failures.ts'
import { lendClients } from './lent-clients.ts'
import { createNotificationHub } from './listener.ts'
import { createClientMaker } from './new-client.ts'
import {
  answers,
  answerTimeoutOf,
  clientConfigOf,
  type PostgresSettings,
  passwordOf,
  probeConfigOf,
} from './postgres-client.ts'
import { attempt, retryConflicts } from './postgres-transaction.ts'
import { createRunner } from './runner.ts'
import { createStatementNames } from './statements.ts'
import { decoderOf } from './values.ts'

const MAX_PREPARED_STATEMENTS = 500
const TICK_MS = 250

/**
 * Opens a pool. The first connection is tried at once, the others are made when they are needed.
 * @throws TypeError when the URL is not a PostgreSQL URL
 * @throws DatabaseUnavailableError when the server cannot be reached
 */
export async function openPostgres(settings: PostgresSettings): Promise<Database> {
  const secret = passwordOf(settings.url)
  const { logger } = settings
  const config = clientConfigOf(settings)
  const makeProbe = createClientMaker(probeConfigOf(settings))
  const { guard, unlessGivenUp, tick } = createBreaker({ logger, isThere: () => answers(makeProbe) })
  const deadlines = createDeadlines(answerTimeoutOf(settings))
  const makeClient = createClientMaker({ ...config, query_timeout: 0 })
  const lent = lendClients(settings, { makeClient, unlessGivenUp, secret })
  const runner = createRunner({
    nameOf: createStatementNames(MAX_PREPARED_STATEMENTS),
    reading: { known: new WeakMap(), decodeOf: decoderOf },
    deadlines,
  })
  const ticking = setInterval(() => {
    deadlines.tick()
    tick()
    lent.tick()
  }, TICK_MS).unref()
  const hub = createNotificationHub({ makeClient: createClientMaker(config), secret, logger })

  let closing: Promise<void> | undefined
  const database: Database = {
    kind: 'postgres',
    query: (text, params) =>
      guard(() =>
        retryConflicts(() => lent.withClient((client) => unlessGivenUp(runner.run(client, text, params))), secret),
      ),
    transaction: (work) =>
      guard(() => retryConflicts(() => lent.withClient((client) => attempt(client, runner, work, secret)), secret)),
    listen: hub.listen,
    script: (sql) => runScript(config, secret, sql),
    close() {
      // What still runs has its deadline, too.
      closing ??= Promise.all([hub.close(), lent.close()]).then(() => clearInterval(ticking))
      return closing
    },
  }
  try {
    await database.query('select 1')
  } catch (error) {
    await database.close()
    throw error
  }
  return database
}

async function runScript(config: pg.ClientConfig, secret: string, sql: string): Promise<void> {
  // The driver passes no 0 on: then the limit is what the server, the database or the role has.
  const options = `${config.options} -c statement_timeout=0`
  const client = new pg.Client({ ...config, statement_timeout: 0, query_timeout: 0, options })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(sql)
  } catch (error) {
    throw toDatabaseError(error, secret)
  } finally {
    client.end().catch(() => {})
  }
}
