/** What each test file costs: each process notes its processor time when it ends, the runner adds up. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { processorSeconds } from './processor-time.ts'

/** Names the folder for the notes; set by the runner, for its test files. */
const FOLDER = 'TEST_COSTS_FOLDER'
const SHOWN = 2000

type Cost = { name: string; seconds: number }

/** The environment in which test files note their costs in `folder`, each under `title` and its path. */
export function notingCosts(folder: string, title: string): Record<string, string> {
  return { [FOLDER]: folder, TEST_COSTS_TITLE: title }
}

/** Called by a test file's process when it ends. Runs started by tests note nothing. */
export function noteCostsAtExit(): void {
  const { TEST_COSTS_FOLDER: folder, TEST_COSTS_TITLE: title } = process.env
  delete process.env[FOLDER]
  if (folder === undefined) return
  process.once('exit', () => {
    const [, started = '', first, ...others] = process.argv
    const file = first === undefined ? path.relative(process.cwd(), started) : `${first} and ${others.length} more`
    const name = `${title} ${file}`
    const cost: Cost = { name, seconds: processorSeconds() }
    writeFileSync(path.join(folder, `${process.pid}.json`), JSON.stringify(cost))
  })
}

/** Lines that name the dearest, and the sum. `total`: what the runner and all that it started have used. */
export function describeCosts(folder: string, total: number): string {
  const costs = readdirSync(folder)
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as Cost)
    .sort((one, other) => other.seconds - one.seconds)
  const noted = costs.reduce((sum, { seconds }) => sum + seconds, 0)
  const lines = costs.slice(0, SHOWN).map(({ name, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${name}`)
  const sum = `${total.toFixed(0)} s of processor time, ${noted.toFixed(0)} s of it in ${costs.length} runs of test files`
  return [sum, ...lines].join('\n')
}
