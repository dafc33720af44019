/**
 * `npm run -s break-glass -- --name N --reason T`: a new admin when all have lost their tokens. It runs on a machine of the
 * service, with the service's settings, and speaks to the database alone: nothing of it can be reached over the network.
 */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { loadConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { openPglite } from '../../db/pglite.ts'
import { openPostgres } from '../../db/postgres.ts'
import { breakGlass } from '../break-glass.ts'
import { printJson } from './output.ts'
import { whoRuns } from './who-runs.ts'

let db: Database | undefined
try {
  const { name, reason } = parseArgs({ options: { name: { type: 'string' }, reason: { type: 'string' } } }).values
  if (name === undefined || reason === undefined) throw new Error('Give --name and --reason.')
  const { databaseUrl: url, dataDir, environment } = loadConfig(process.env)
  // Opening one would make it, and nobody would notice that these are not the settings of the service.
  if (url === undefined && !existsSync(`${dataDir}/database`)) {
    throw new Error(
      `There is no sandbox database in ${dataDir}: run this with the settings of the service, for instance with node --env-file=FILE.`,
    )
  }
  const logger = pino({ level: 'silent' })
  db = await (url === undefined
    ? openPglite({ dataDir: `${dataDir}/database`, logger })
    : openPostgres({ url, poolSize: 2, logger }))
  printJson({ environment, ...(await breakGlass(db, { name, reason, origin: whoRuns() })) })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await db?.close()
}
