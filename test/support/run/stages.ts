/** Runs npm scripts and test files; reports briefly what passed and at length what failed. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import { QUICK_WASM } from '../quick-wasm.ts'
import { groupsOf } from './groups.ts'
import { collect, type FileReport, GROUP, indent, summarise, type Tally, type TestEvent } from './reports.ts'
import { slotsOf } from './select.ts'
import { createSlots, type Slots } from './slots.ts'

/** For one file. The longest, a little torture, takes three minutes on a busy machine. */
const TEST_TIMEOUT_MS = 420_000
/** For a whole pass over the suites: what hangs is ended long before, and a machine with much else to do is no failure. */
const PASS_TIMEOUT_MS = 90 * 60_000
const COMMAND_TIMEOUT_MS = 15 * 60_000
/** For the compiler and the linter, which are Go: beside the suites, what threads repeat and collectors do costs time, not memory. */
const FRUGAL = { GOMAXPROCS: '1', GOGC: '400' }
const OUTPUT_KEPT = 20_000
const PRELOADED = ['untracked-promises.ts', 'ends-by-itself.ts'].map((file) => path.join(import.meta.dirname, file))

/** Two to four. */
export function coresUsed(): number {
  return Math.min(4, Math.max(2, availableParallelism()))
}

/** Runs an npm script of the project; its output is shown only when it fails. Counts as one. */
export async function runCommand(root: string, script: string): Promise<Tally> {
  const began = performance.now()
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  if (scripts[script] === undefined) {
    console.log(`FAIL  ${script}: package.json has no such script`)
    return { passed: 0, failed: 1, skipped: [] }
  }
  const child = spawn('npm', ['run', '--silent', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...FRUGAL },
    timeout: COMMAND_TIMEOUT_MS,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_KEPT)
    })
  }
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${script} (${seconds(began)})`)
  if (code !== 0) console.log(indent(output))
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [] }
}

/**
 * Runs test files, each in a process of its own, or with others that load the same (groups.ts).
 * @param title begins each line, for several passes may run at the same time
 * @param slots how many at a time; passes may share them
 */
export async function runSuites(
  root: string,
  title: string,
  files: readonly string[],
  env: Readonly<Record<string, string>> = {},
  slots: Slots = createSlots(coresUsed()),
): Promise<Tally> {
  console.log(`${title}: ${files.length} files`)
  const reports = new Map<string, FileReport>()
  const signal = AbortSignal.timeout(PASS_TIMEOUT_MS)
  const runGroup = async (group: readonly string[]) => {
    const [first = GROUP] = group
    const names = group.map((file) => path.relative(root, file))
    const alone = group.length === 1
    const stream = run({
      files: [alone ? first : GROUP],
      argv: alone ? [] : names,
      cwd: root,
      // In a group, one that hangs is ended after the time of one (group.ts).
      timeout: group.length * TEST_TIMEOUT_MS,
      execArgv: [...QUICK_WASM, ...PRELOADED.flatMap((file) => ['--import', file])],
      env: { ...process.env, ...env },
      signal,
    })
    await collect(root, title, stream as AsyncIterable<TestEvent>, reports, names)
  }
  await slots.each(groupsOf(root, files), runGroup, ([first = '']) => slotsOf(path.relative(root, first)))
  return summarise(
    title,
    files.map((file) => path.relative(root, file)),
    reports,
  )
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`
}
