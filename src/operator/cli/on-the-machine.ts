/** What runs on a machine of the service, with the service's settings, and speaks to the database alone: nothing of it can be reached over the network. */
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { type Config, loadConfig } from '../../config.ts'
import type { Database } from '../../db/database.ts'
import { openPglite } from '../../db/pglite.ts'
import { openPostgres } from '../../db/postgres.ts'
import { printJson } from './output.ts'
import { whoRuns } from './who-runs.ts'

/** What was given on the command line, and who runs it. */
export type Given<Name extends string> = Record<Name, string> & { origin: string }

/**
 * Runs a program of this kind: prints what `work` returns, or one line that says why not.
 * @param names the options, all of which must be there
 */
export async function runOnTheMachine<Name extends string>(
  names: readonly Name[],
  work: (db: Database, given: Given<Name>, config: Config) => Promise<object>,
): Promise<void> {
  let db: Database | undefined
  try {
    const given = { ...readOptions(names), origin: whoRuns() }
    const config = loadConfig(process.env)
    db = await openServices(config)
    printJson({ environment: config.environment, ...(await work(db, given, config)) })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  } finally {
    await db?.close()
  }
}

function readOptions<Name extends string>(names: readonly Name[]): Record<Name, string> {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  if (names.some((name) => values[name] === undefined))
    throw new Error(`Give ${names.map((name) => `--${name}`).join(', ')}.`)
  return values as Record<Name, string>
}

async function openServices({ databaseUrl: url, dataDir }: Config): Promise<Database> {
  const logger = pino({ level: 'silent' })
  if (url !== undefined) return await openPostgres({ url, poolSize: 2, logger })
  // Opening one would make it, and nobody would notice that these are not the settings of the service.
  if (existsSync(`${dataDir}/database`)) return await openPglite({ dataDir: `${dataDir}/database`, logger })
  throw new Error(
    `There is no sandbox database in ${dataDir}: run this with the settings of the service, for instance with node --env-file=FILE.`,
  )
}
