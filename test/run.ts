/**
 * Runs everything that must be green, or a part of it:
 *
 *   npm test                                  all stages
 *   npm test -- --only unit                   tests beside their source; also: api, settlement … (folders of test/), stages, paths
 *   npm test -- test/db/grants                one file, with or without its ending
 *   npm test -- --engine pglite               the suites on one engine only
 *   npm test -- --long --engine pglite        also on PGlite what is left to PostgreSQL otherwise
 *   npm test -- --left                        what `npm test` leaves to `npm run test:long`, and nothing else
 *   npm test -- --costs                       names the dearest files at the end, by processor time
 *
 * Each part must match something. A test that is skipped is named at the end; in CI (CI=true) it is a failure.
 *
 * Every suite runs on PGlite; those that touch a database (they reach test/support/database.ts by imports) run again
 * on PostgreSQL. A first line `// engine: pglite` or `// engine: postgres` ties a suite to one engine;
 * `// engine: postgres; both in test:long` does so unless --long is given.
 *
 * The checks, the suites on PGlite and those on PostgreSQL run at the same time and share the slots: each of them often waits.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgresServer } from './support/postgres-server.ts'
import { describeCosts, notingCosts } from './support/run/costs.ts'
import { processorSeconds } from './support/run/processor-time.ts'
import type { Skip, Tally } from './support/run/reports.ts'
import { type Engine, selectSuites, unmatchedParts } from './support/run/select.ts'
import { createSlots } from './support/run/slots.ts'
import { coresUsed, runCommand, runSuites } from './support/run/stages.ts'
import { temporaryFolder } from './support/temp.ts'

const ROOT = path.join(import.meta.dirname, '..')
/**
 * Where Node keeps what it made of each source, under its checksum: hundreds of modules are loaded by each test file.
 * Among the packages, where nobody else can plant code, and which a new installation empties.
 */
const COMPILED = path.join(ROOT, 'node_modules/.cache/compiled-for-tests')

/**
 * Each database that is made and dropped is a checkpoint, after which every page would be logged whole; none of them is there after a crash.
 * Statistics that are gathered in the middle change plans, and a database that has any is not used again (as-made.ts).
 * Many files keep the databases of all their tests until they end: one process was seen with 53 connections, and up to a dozen run at a time.
 */
const SHARED = { full_page_writes: 'off', max_connections: '600', autovacuum: 'off' }

/** Stage → npm scripts. */
const CHECKS: Readonly<Record<string, readonly string[]>> = {
  types: ['types'],
  lint: ['lint'],
  schema: ['schema:check'],
  contracts: ['contracts:test'],
}

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    engine: { type: 'string' },
    costs: { type: 'boolean' },
    long: { type: 'boolean', default: false },
    left: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
if (values.engine !== undefined && !['pglite', 'postgres'].includes(values.engine)) {
  console.error('--engine is pglite or postgres')
  process.exit(2)
}
const parts = [...values.only.flatMap((part) => part.split(',')), ...positionals]
const suiteParts = parts.filter((part) => !(part in CHECKS))
const unmatched = unmatchedParts(ROOT, suiteParts)
if (unmatched.length > 0) {
  console.error(`Nothing matches ${unmatched.map((part) => `"${part}"`).join(', ')}`)
  process.exit(2)
}
const started = performance.now()
const { long, left } = values
const suites = parts.length === 0 || suiteParts.length > 0 ? selectSuites(ROOT, suiteParts, { long, left }) : []
const engines = (['pglite', 'postgres'] as const).filter(
  (engine) => values.engine === undefined || values.engine === engine,
)
const costs = values.costs === true ? temporaryFolder('costs') : undefined
// Many suites wait, for blocks, processes and deadlines: with as many as there are cores these would be idle.
const slots = createSlots(2 * coresUsed() + 4)
const tallies = await Promise.all([runChecks(), ...engines.map(runOn)])

const total = { passed: 0, failed: 0, skipped: [] as Skip[] }
for (const { passed, failed, skipped } of tallies.flat()) {
  total.passed += passed
  total.failed += failed
  total.skipped.push(...skipped)
}
if (costs !== undefined) console.log(`\n${describeCosts(costs, processorSeconds())}`)
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s`)
for (const { file, name, reason } of total.skipped) console.log(`SKIP  ${file}: ${name} (${reason})`)
if (process.env.CI === 'true' && total.skipped.length > 0) {
  console.log('In CI every test has to run: what is skipped counts as failed.')
  total.failed += total.skipped.length
}
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`)
process.exit(total.failed === 0 && total.passed > 0 ? 0 : 1)

async function runChecks(): Promise<Tally[]> {
  const tallies: Tally[] = []
  const chosen = Object.entries(CHECKS)
    .filter(([stage]) => (parts.length > 0 ? parts.includes(stage) : values.engine === undefined && !left))
    .flatMap(([, scripts]) => scripts)
  await slots.each(chosen.length === 0 ? [] : [chosen], async (scripts) => {
    for (const script of scripts) tallies.push(await runCommand(ROOT, script))
  })
  return tallies
}

async function runOn(engine: Engine): Promise<Tally[]> {
  const chosen = suites.filter((suite) => suite.engines.includes(engine)).map(({ file }) => file)
  if (chosen.length === 0) return []
  const server = engine === 'postgres' ? await startPostgresServer(SHARED, 'memory') : undefined
  const env = {
    NODE_COMPILE_CACHE: COMPILED,
    TEST_PATIENCE_MS: '120000',
    ...(long || left || parts.length > 0 ? {} : { TEST_WAYS: 'two' }),
    TEST_ENGINE: engine,
    ...(server === undefined ? {} : { TEST_POSTGRES_URL: server.url }),
    ...(costs === undefined ? {} : notingCosts(costs, engine)),
  }
  try {
    return [await runSuites(ROOT, engine, chosen, env, slots)]
  } finally {
    await server?.stop()
  }
}
