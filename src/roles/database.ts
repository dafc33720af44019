/** The database at a start: its owner prepares it, everybody else looks whether it is prepared. */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Access, groupOf } from '../db/access.sql.ts'
import { type Database, DatabaseUnsuitableError } from '../db/database.ts'
import { claimEnvironment, requireEnvironment } from '../db/environment.sql.ts'
import { requireGranted } from '../db/grants.ts'
import { readGuardTroubles } from '../db/guards.sql.ts'
import { MigrationError, migrate, requireMigrated } from '../db/migrate.ts'
import { readPeriods, settleTimezone } from '../ledger/periods.sql.ts'
import { makeMonths, type RetentionMetrics } from '../retention/keeper.ts'
import { StartError } from '../start/start-failure.ts'

type Settings = Pick<Config, 'environment' | 'booksTimezone'>

/**
 * Applies migrations, claims a new database, settles the books' time zone and makes months.
 * @throws MigrationError, DatabaseUnsuitableError, StartError
 */
export async function prepareDatabase(
  db: Database,
  { environment, booksTimezone }: Settings,
  { logger, metrics }: { logger: Logger; metrics: RetentionMetrics },
): Promise<void> {
  await migrate(db, { logger }).catch((error: unknown) => {
    throw db.kind === 'pglite' && error instanceof MigrationError ? otherVersion(error) : error
  })
  await claimEnvironment(db, environment)
  const timezone = await db.transaction((tx) => settleTimezone(tx, booksTimezone))
  if (timezone !== undefined) throw otherTimezone(booksTimezone, timezone)
  await makeMonths({ db, logger, metrics })
  await tellUnguarded(db, logger)
}

/** An embedded database holds nothing but a sandbox, which nobody has to keep. */
function otherVersion(cause: MigrationError): MigrationError {
  return new MigrationError(
    `Another version of this program made the sandbox in DATA_DIR: start that version, or let \`npm run sandbox:reset\` delete it and begin afresh. (${cause.message})`,
    { cause },
  )
}

/**
 * Compares the database with this program and its settings, and changes nothing. What guards its tables and is off is told.
 * @throws MigrationError, DatabaseUnsuitableError, StartError
 */
export async function checkDatabase(
  db: Database,
  { environment, booksTimezone, roles }: Settings & Pick<Config, 'roles'>,
  access: Access,
  logger: Logger,
): Promise<void> {
  const missing = [...roles].map(groupOf).filter((group) => !access.groups.includes(group))
  if (missing.length > 0) {
    throw new DatabaseUnsuitableError(
      `The user of DATABASE_URL is not a member of ${missing.join(', ')}: make it one, or the owner of the tables in a sandbox.`,
    )
  }
  await requireMigrated(db)
  await requireGranted(db, [...roles])
  await requireEnvironment(db, environment)
  const { timezone } = await readPeriods(db)
  if (timezone !== booksTimezone) throw otherTimezone(booksTimezone, timezone)
  await tellUnguarded(db, logger)
}

/** Nobody but this program reaches the embedded database. What is off elsewhere is no reason to pay nobody: `reconcile` names it each hour. */
async function tellUnguarded(db: Database, logger: Logger): Promise<void> {
  if (db.kind === 'pglite') return
  for (const { subject, trouble } of await readGuardTroubles(db))
    logger.fatal({ guard: subject }, `the database does not guard its tables: the ${subject} ${trouble}`)
}

/**
 * Whoever breaks into a process must not be able to do more than that process.
 * @throws DatabaseUnsuitableError when its user may do everything
 */
export function requireLimited({ isSuperuser, isOwner }: Access): void {
  if (!isSuperuser && !isOwner) return
  throw new DatabaseUnsuitableError(
    `live refuses a DATABASE_URL whose user ${isSuperuser ? 'is a superuser' : 'owns the tables'}: run \`npm run migrate\` as that user, and give each process one that is only in the groups of its roles (${groupOf('api')} and so on).`,
  )
}

/** Groups whose rights the user has and the roles of this process do not need. */
export function needlessGroups({ groups }: Access, roles: Config['roles']): string[] {
  const needed = new Set([...roles].map(groupOf))
  return groups.filter((group) => !needed.has(group))
}

function otherTimezone(ours: string, theirs: string): StartError {
  return new StartError(
    `BOOKS_TIMEZONE is ${ours}, but these books have their days in ${theirs}, which cannot change any more: set it to ${theirs}.`,
  )
}
