/**
 * Runs everything that has to be green, or a part of it:
 *
 *   npm test                                  all stages
 *   npm test -- --only unit                   tests beside their source; also: api, settlement … (folders of test/), stages, paths
 *   npm test -- --engine pglite               the suites on one engine only
 *
 * Every suite runs on PGlite; those that touch a database (they reach test/support/database.ts by imports) run again
 * on PostgreSQL. A first line `// engine: pglite` or `// engine: postgres` ties a suite to one engine.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgresServer } from './support/postgres-server.ts'
import { type Engine, type Suite, selectSuites } from './support/run/select.ts'
import { runCommand, runSuites, type Tally } from './support/run/stages.ts'

const ROOT = path.join(import.meta.dirname, '..')

/** Stage → npm scripts. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['types'],
  lint: ['lint'],
  schema: ['schema:check'],
  contracts: ['contracts:test'],
}

const { values, positionals } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [] }, engine: { type: 'string' } },
  allowPositionals: true,
})
if (values.engine !== undefined && !['pglite', 'postgres'].includes(values.engine)) {
  console.error('--engine is pglite or postgres')
  process.exit(2)
}
const parts = [...values.only.flatMap((part) => part.split(',')), ...positionals]
const started = performance.now()
const total: Tally = { passed: 0, failed: 0 }

for (const [stage, scripts] of Object.entries(CHECKS)) {
  if (parts.length > 0 ? !parts.includes(stage) : values.engine !== undefined) continue
  for (const script of scripts) add(await runCommand(ROOT, script))
}

const suites = selectSuites(
  ROOT,
  parts.filter((part) => !(part in CHECKS)),
)
const suitesWanted = parts.length === 0 || parts.some((part) => !(part in CHECKS))
if (suitesWanted) {
  if (suites.length === 0) {
    console.error(`No test matches ${parts.join(', ')}`)
    total.failed += 1
  }
  if (values.engine !== 'postgres') await runOn('pglite')
  if (values.engine !== 'pglite') await runOn('postgres')
}

console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)

async function runOn(engine: Engine): Promise<void> {
  const chosen = suites.filter((suite) => suite.engines.includes(engine))
  if (chosen.length === 0) return
  const server = engine === 'postgres' ? await startPostgresServer() : undefined
  process.env.TEST_ENGINE = engine
  if (server !== undefined) process.env.TEST_POSTGRES_URL = server.url
  try {
    add(await runSuites(ROOT, `${engine}: ${chosen.length} files`, chosen.map(fileOf)))
  } finally {
    await server?.stop()
  }
}

function fileOf(suite: Suite): string {
  return suite.file
}

function add(tally: Tally): void {
  total.passed += tally.passed
  total.failed += tally.failed
}
