/**
 * `npm run migrate`: prepares the database as the owner of its tables, so that no process of the service needs to be it. With
 * `--exact` it also takes from the roles what this version of the service does not need.
 */
import { parseArgs } from 'node:util'
import { ConfigError, loadMigrationConfig, ROLES } from './config.ts'
import { readAccess } from './db/access.sql.ts'
import { type Database, DatabaseUnsuitableError } from './db/database.ts'
import { applyGrants, temporaryForAll } from './db/grants.ts'
import { openPostgres } from './db/postgres.ts'
import { requireSessions } from './db/sessions.ts'
import { createLogger } from './logs/logging.ts'
import { prepareDatabase } from './roles/database.ts'
import { describeStartFailure } from './start/start-failure.ts'

const NOBODY_COUNTS = { dropped: () => {}, monthsAhead: () => {}, strays: () => {} }

let db: Database | undefined
try {
  const { exact = false } = readArguments().values
  const config = loadMigrationConfig(process.env)
  const logger = createLogger(config.logLevel)
  await requireSessions({ url: config.databaseUrl })
  db = await openPostgres({ url: config.databaseUrl, poolSize: 2, logger })
  const { isOwner, user } = await readAccess(db)
  if (!isOwner) {
    throw new DatabaseUnsuitableError(
      `${user} does not own the tables: run it with the DATABASE_URL of the user that does.`,
    )
  }
  await prepareDatabase(db, config, { logger, metrics: NOBODY_COUNTS })
  await applyGrants(db, ROLES, exact)
  const open = await temporaryForAll(db)
  if (open !== undefined)
    logger.warn(
      { user, database: open },
      `everybody may make temporary tables, as ${user} does not own the database: have its owner run "revoke temporary on database ${open} from public"`,
    )
  logger.info({ exact }, 'the database is prepared, and every role may do what it needs')
} catch (error) {
  console.error(describeStartFailure(error))
  process.exitCode = 1
} finally {
  await db?.close()
}

function readArguments() {
  try {
    return parseArgs({ options: { exact: { type: 'boolean' } } })
  } catch {
    throw new ConfigError(['The only option is --exact.'])
  }
}
