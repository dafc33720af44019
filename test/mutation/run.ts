/**
 * Makes small faults in the code that moves money, one at a time, and reports those that no test notices:
 *
 *   npm run mutate -- --room payouts                   all faults of a room
 *   npm run mutate -- --room settlement --sample 20    twenty of them, drawn by --seed (default 1)
 *   npm run mutate -- --file payouts/news.ts           those of the files whose names contain this
 *   npm run mutate -- --id 3f0a12bc45                  one of them; with --tests FILE to ask that test alone
 *   npm run mutate -- --room payouts --again only what the last run did not notice or did not reach
 *   npm run mutate -- --listed                         faults that once went unnoticed, each against its test
 *   npm run mutate -- --list --room life               names and changes, without trying them
 *
 * docs/RELIABILITY.md says what the words mean and what to do with a survivor.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts'
import type { Engine } from '../support/run/select.ts'
import { measureTests, nameOf } from './baseline.ts'
import { choose } from './choose.ts'
import { faultsOf, readEquivalents, reasonsOf, toEntry } from './equivalents.ts'
import type { Verdict } from './judge.ts'
import { tryListed } from './listed.ts'
import { describeChange, type Mutant } from './mutant.ts'
import { endAll } from './process.ts'
import { mutantsOf, ROOMS, sourcesOf } from './rooms.ts'
import { describeScore, percentOf, type Result, recordScores, scoresOf } from './score.ts'
import { type RoomTest, testsOf } from './tests.ts'
import { tryAll } from './try-all.ts'
import { openVerdicts, type Verdicts } from './verdicts.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const RESULTS = path.join(ROOT, '.data/mutation/last.json')
const VERDICTS = path.join(ROOT, '.data/mutation/verdicts')
const SCORE = path.join(ROOT, 'docs/RELIABILITY.md')

const { values: options } = parseArgs({
  options: {
    room: { type: 'string', multiple: true, default: [] },
    file: { type: 'string', multiple: true, default: [] },
    id: { type: 'string', multiple: true, default: [] },
    tests: { type: 'string', multiple: true, default: [] },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '1' },
    engine: { type: 'string' },
    /** The run fails when a smaller percentage of the faults is noticed. */
    least: { type: 'string', default: '0' },
    /** Only faults that once went unnoticed: listed.json. */
    listed: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    /** Faults that an earlier run of the room noticed are not tried again. */
    again: { type: 'boolean', default: false },
  },
})

const unknown = options.room.filter((room) => !(room in ROOMS))
if (unknown.length > 0) fail(`--room is one of ${Object.keys(ROOMS).join(', ')}`)
if (options.engine !== undefined && !['pglite', 'postgres'].includes(options.engine))
  fail('--engine is pglite or postgres')
const sample = options.sample === undefined ? undefined : count('--sample', options.sample)
const jobs = count('--jobs', options.jobs)

const all = Object.entries(ROOMS).flatMap(([name, room]) =>
  sourcesOf(ROOT, room).flatMap((file) => mutantsOf(ROOT, name, file)),
)
const equivalents = readEquivalents(ROOT)
const faults = faultsOf(equivalents, all)
if (faults.length > 0) fail(faults.join('\n'))
const reasons = reasonsOf(equivalents)
const chosen = Object.keys(ROOMS)
  .filter((room) => options.room.length === 0 || options.room.includes(room))
  .map((room) => ({ files: options.file, ids: options.id, sample, seed: options.seed, room }))
  .flatMap((choice) => choose(all.filter(({ room }) => room === choice.room), choice)) // biome-ignore format: one line
if (chosen.length === 0) fail('No mutant matches')

if (options.listed) process.exitCode = (await tryListed(ROOT, options.file)) ? 0 : 1
else if (options.list) for (const mutant of chosen) console.log(tell(mutant))
else process.exitCode = (await run()) ? 0 : 1

async function run(): Promise<boolean> {
  const spaces = Array.from({ length: jobs }, () => createWorkspace(ROOT))
  let server: PostgresServer | undefined
  const stop = async (): Promise<void> => {
    endAll()
    await server?.stop()
    await Promise.all(spaces.map((space) => space.remove()))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(130)))
  try {
    const results: Result[] = []
    for (const room of new Set(chosen.map((mutant) => mutant.room))) {
      const mutants = chosen.filter((mutant) => mutant.room === room)
      const listed = mutants.filter(({ id }) => reasons.has(id))
      for (const mutant of listed)
        results.push({ mutant, verdict: { kind: 'equivalent', reason: reasons.get(mutant.id) ?? '' } })
      const verdicts = openVerdicts(VERDICTS, room)
      if (!options.again) verdicts.forget()
      const known = verdicts.known()
      const others = mutants.filter(({ id }) => !reasons.has(id))
      results.push(...others.flatMap((mutant) => withVerdict(mutant, known.get(mutant.id))))
      const toTry = others.filter(({ id }) => !known.has(id))
      if (toTry.length === 0) continue
      const tests = testsFor(room, toTry)
      if (tests.some(({ engine }) => engine === 'postgres')) server ??= await startPostgresServer({}, 'memory')
      results.push(...(await tryRoom(room, toTry, tests, spaces, server?.url, verdicts)))
    }
    return finish(results)
  } finally {
    await stop()
  }
}

function withVerdict(mutant: Mutant, verdict: Verdict | undefined): Result[] {
  return verdict === undefined ? [] : [{ mutant, verdict }]
}

/** PGlite has one connection, so faults of locking can only be seen on PostgreSQL. */
function engineFor({ operator }: Mutant): Engine {
  return (options.engine as Engine | undefined) ?? (operator === 'sql-lock' ? 'postgres' : 'pglite')
}

function testsFor(room: string, mutants: readonly Mutant[]): RoomTest[] {
  const own = ROOMS[room]
  if (own === undefined) throw new Error(`no room ${room}`)
  const wanted = options.tests.length > 0 ? { ...own, tests: options.tests } : own
  const engines = new Set(mutants.map(engineFor))
  const tests = [...engines].flatMap((engine) => testsOf(ROOT, wanted, engine))
  if (tests.length === 0) throw new Error(`${room}: no test matches ${wanted.tests.join(', ')}`)
  return [...new Map(tests.map((test) => [nameOf(test), test])).values()]
}

async function tryRoom(
  room: string,
  mutants: readonly Mutant[],
  tests: readonly RoomTest[],
  spaces: readonly Workspace[],
  postgresUrl: string | undefined,
  verdicts: Verdicts,
): Promise<Result[]> {
  const [first] = spaces
  if (first === undefined) throw new Error('no workspace')
  console.log(`${room}: ${mutants.length} faults, ${tests.length} test files`)
  const measured = await measureTests(first, tests, postgresUrl, (test) =>
    console.log(`  passes in ${seconds(test.durationMs)}: ${nameOf(test)}`),
  )
  const suits = (mutant: Mutant) => (test: RoomTest) => test.engine === undefined || isFor(mutant, test, measured)
  return await tryAll({
    spaces,
    mutants,
    testsOf: (mutant) => measured.filter(suits(mutant)),
    postgresUrl,
    tell: (result, done, durationMs) => {
      const { mutant, verdict } = result
      verdicts.add(result)
      const by = 'by' in verdict ? ` by ${verdict.by}` : ''
      const place = `${mutant.file}:${mutant.line} ${mutant.operator} ${mutant.id}`
      console.log(`${done}/${mutants.length} ${verdict.kind} ${place}${by} (${seconds(durationMs)})`)
    },
  })
}

/** Whether a test is run for a mutant: on the engine of the fault, or, when tied to the other engine, on that. */
function isFor(mutant: Mutant, test: RoomTest, tests: readonly RoomTest[]): boolean {
  const engine = engineFor(mutant)
  return test.engine === engine || !tests.some((other) => other.file === test.file && other.engine === engine)
}

function finish(results: readonly Result[]): boolean {
  const survivors = results.filter(({ verdict }) => verdict.kind === 'survived')
  for (const { mutant, verdict } of survivors) {
    const note = verdict.kind === 'survived' && !verdict.reached ? ' (no test runs this place)' : ''
    console.log(`\nSURVIVED ${tell(mutant)}${note}`)
  }
  const scores = scoresOf(results)
  mkdirSync(path.dirname(RESULTS), { recursive: true })
  const entries = survivors.map(({ mutant }) => toEntry(mutant))
  writeFileSync(
    RESULTS,
    `${JSON.stringify({ seed: options.seed, sample, scores, survivors: entries, results }, null, 2)}\n`,
  )
  const how = sample === undefined ? 'all' : `sample ${sample}, seed ${options.seed}`
  if (options.record) writeFileSync(SCORE, recordScores(readFileSync(SCORE, 'utf8'), scores, how))
  console.log(
    `\n${scores.map(describeScore).join('\n')}\nDetails, and survivors as entries of equivalent.json: ${path.relative(ROOT, RESULTS)}`,
  )
  const low = scores.filter((score) => percentOf(score) < Number(options.least))
  for (const { room } of low) console.log(`${room}: less than ${options.least} % are noticed`)
  return low.length === 0
}

function tell(mutant: Mutant): string {
  const change = describeChange(readFileSync(path.join(ROOT, mutant.file), 'utf8'), mutant)
  return `${mutant.id} ${mutant.file}:${mutant.line} ${mutant.operator}\n${change.replace(/^/gm, '    ')}`
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function count(name: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) fail(`${name} is a whole number of at least 1`)
  return number
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}
