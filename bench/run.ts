/**
 * `npm run bench` measures every number to reach and writes the summary, bench/results/README.md, with its charts:
 *
 *   npm run bench                            everything, recorded in bench/results
 *   npm run bench -- --only accept,read      some of it; the summary keeps the other rows as recorded
 *   npm run bench -- --summary               only the summary and the charts, from what is recorded
 *   npm run bench -- --quick                 small sizes and one round, into a temporary folder: only whether it works
 *   npm run bench -- --quick --results DIR   … into a folder of your choice
 *   npm run bench -- NAME [arguments]        one benchmark
 *
 * What is recorded in bench/results changes the table of docs/SCALING.md, too. Ends with 1 when a benchmark failed, with 3 when a goal is missed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { choose } from './summary/plan.ts'
import { runAll, timeLeft } from './summary/run-all.ts'
import { writeSummary } from './summary/write.ts'
import { RECORDED, readOutcome, resultsFolder } from './support/outcome.ts'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !['run.ts', 'goals.ts'].includes(file))
  .map((file) => path.basename(file, '.ts'))
const [name = '', ...args] = process.argv.slice(2)
process.exit(names.includes(name) ? runNamed() : await runSummary())

function runNamed(): number {
  const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, `${name}.ts`), ...args], {
    stdio: 'inherit',
  })
  return status ?? 1
}

async function runSummary(): Promise<number> {
  const options = readOptions()
  if (options === undefined) return 2
  const { quick, folder, choice } = options
  // Whoever ends this ends what it runs.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const { chosen, leftOut } = choice
  for (const { name: one, why } of leftOut) console.log(`${one} is left out: ${why}`)
  const seconds = chosen.reduce((sum, one) => sum + one.seconds, 0)
  if (chosen.length > 0) console.log(`${chosen.map((one) => one.name).join(', ')}: ${timeLeft(seconds)}`)
  const ran = await runAll(chosen, folder, console.log)
  const summary = writeSummary(folder, quick)
  if (quick) console.log(summary)
  console.log(`The summary is ${path.join(folder, 'README.md')}.`)
  if (folder === RECORDED) {
    spawnSync(process.execPath, [path.join(import.meta.dirname, '../scripts/scaling.ts'), '--write'], {
      stdio: 'inherit',
    })
    console.log('The table of docs/SCALING.md follows from it.')
  }
  const failed = ran.filter((one) => 'failure' in one)
  for (const { name: one, failure } of failed) console.error(`FAILED ${one}: ${failure}`)
  const found = ran.flatMap((one) => ('outcome' in one && !quick ? one.outcome.goals : []))
  const missed = found.filter(({ reached }) => !reached)
  for (const { what } of missed) console.log(`missed: ${what}`)
  if (failed.length > 0) return 1
  return missed.length > 0 ? 3 : 0
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        quick: { type: 'boolean', default: false },
        summary: { type: 'boolean', default: false },
        results: { type: 'string' },
      },
    })
    const { quick, summary, results } = values
    const only = values.only.flatMap((one) => one.split(','))
    const choice = choose({ only, quick, summary }, (one) => readOutcome(one)?.seconds)
    const folder = results ?? (quick ? mkdtempSync(path.join(tmpdir(), 'coin-bench-')) : resultsFolder())
    mkdirSync(folder, { recursive: true })
    return { quick, folder: path.resolve(folder), choice }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}
npm run bench -- [--only NAME,NAME] [--quick] [--results FOLDER] [--summary], or NAME [arguments] with one of ${names.join(', ')}`)
    return undefined
  }
}
