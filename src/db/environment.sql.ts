/** Which environment a database belongs to: its first service decides, for ever. */
import { type Database, DatabaseUnsuitableError } from './database.ts'

type EnvironmentName = 'sandbox' | 'live'

/**
 * Claims a new database for this environment.
 * @throws DatabaseUnsuitableError when it belongs to the other one
 */
export async function claimEnvironment(db: Database, environment: EnvironmentName): Promise<void> {
  await db.query('insert into database_environment (environment) values ($1) on conflict do nothing', [environment])
  await requireEnvironment(db, environment)
}

/** @throws DatabaseUnsuitableError unless the database belongs to this environment */
export async function requireEnvironment(db: Database, environment: EnvironmentName): Promise<void> {
  const [row] = await db.query<{ environment: string }>('select environment from database_environment')
  if (row?.environment === environment) return
  throw new DatabaseUnsuitableError(
    row === undefined
      ? 'This database belongs to no environment yet: run `npm run migrate` as its owner.'
      : `This database belongs to a ${row.environment === 'live' ? 'live service' : 'sandbox'}, and COIN_ENVIRONMENT=${environment}: name another one with DATABASE_URL${environment === 'sandbox' ? ' or DATA_DIR' : ''}.`,
  )
}
