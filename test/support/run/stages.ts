/** Runs npm scripts and test files; reports briefly what passed and at length what failed. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'
import { QUICK_WASM } from '../quick-wasm.ts'
import { slotsOf } from './select.ts'
import { createSlots, type Slots } from './slots.ts'

export type Skip = { file: string; name: string; reason: string }
export type Tally = { passed: number; failed: number; skipped: readonly Skip[] }

/** For one file. The longest, a minute of torture, takes three minutes on a busy machine. */
const TEST_TIMEOUT_MS = 420_000
/** For a whole pass over the suites: far more than it takes, far less than CI allows. */
const PASS_TIMEOUT_MS = 30 * 60_000
const COMMAND_TIMEOUT_MS = 15 * 60_000
const OUTPUT_KEPT = 20_000
const ENDS_BY_ITSELF = path.join(import.meta.dirname, 'ends-by-itself.ts')

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
 * Runs test files, each in a process of its own.
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
  const runOne = async (file: string) => {
    const stream = run({
      files: [file],
      timeout: TEST_TIMEOUT_MS,
      execArgv: [...QUICK_WASM, '--import', ENDS_BY_ITSELF],
      env: { ...process.env, ...env },
      signal,
    })
    await collect(root, title, stream as AsyncIterable<TestEvent>, reports)
  }
  await slots.each(files, runOne, (file) => slotsOf(path.relative(root, file)))
  return summarise(
    title,
    files.map((file) => path.relative(root, file)),
    reports,
  )
}

async function collect(
  root: string,
  title: string,
  stream: AsyncIterable<TestEvent>,
  reports: Map<string, FileReport>,
): Promise<void> {
  const reportOf = (file: string) => {
    const known = reports.get(file) ?? emptyReport()
    reports.set(file, known)
    return known
  }
  for await (const { type, data } of stream) {
    const file = path.relative(root, data.file ?? data.name ?? '')
    if (type === 'test:stdout' || type === 'test:stderr') {
      const report = reportOf(file)
      report.output = (report.output + (data.message ?? '')).slice(-OUTPUT_KEPT)
    } else if (type === 'test:summary' && data.file !== undefined) {
      const { passed, skipped, failures } = reportOf(file)
      const left = skipped.length === 0 ? '' : `, ${skipped.length} skipped`
      const took = `${((data.duration_ms ?? 0) / 1000).toFixed(1)} s`
      const outcome = `${title} ${file} (${passed} passed${left}, ${took})`
      if (failures.length > 0) console.log(`FAIL  ${outcome}\n${indent(failures.map(shortened).join('\n'))}`)
      else if (process.env.CI !== 'true') console.log(`ok    ${outcome}`)
    } else if (type === 'test:diagnostic' && data.file !== undefined && LATE.test(data.message ?? '')) {
      reportOf(file).failures.push(data.message ?? '')
    } else if (type === 'test:pass' && isLeftOut(data)) {
      const reason = [data.skip, data.todo].find((text) => typeof text === 'string' && text !== '')
      reportOf(file).skipped.push({ file, name: data.name ?? '', reason: String(reason ?? 'no reason given') })
    } else if (type === 'test:pass' && data.details?.type !== 'suite' && data.name !== data.file) {
      reportOf(file).passed += 1
    } else if (type === 'test:fail') {
      const { error } = data.details ?? {}
      if (error?.failureType === 'subtestsFailed') continue
      reportOf(file).failures.push(`${data.name ?? file}\n${indent(describe(error))}`)
    }
  }
}

/** A failure after the end of its test is reported only as a diagnostic, but fails the file. */
const LATE = /asynchronous activity after the test ended/

type FileReport = { passed: number; skipped: Skip[]; failures: string[]; output: string }

function emptyReport(): FileReport {
  return { passed: 0, skipped: [], failures: [], output: '' }
}

/** A skipped test or suite, or one marked `todo`, which may fail unheard and so has not passed. */
function isLeftOut({ skip, todo }: TestEvent['data']): boolean {
  return [skip, todo].some((mark) => mark !== undefined && mark !== false)
}

type TestEvent = {
  type: string
  data: {
    name?: string
    file?: string
    message?: string
    duration_ms?: number
    skip?: string | boolean
    todo?: string | boolean
    details?: { type?: string; error?: Error & { failureType?: string } }
  }
}

/** Counts results and shows in full what failed. A file that passed is not mentioned again. */
function summarise(title: string, files: readonly string[], reports: ReadonlyMap<string, FileReport>): Tally {
  const tally = { passed: 0, failed: 0, skipped: [] as Skip[] }
  for (const file of new Set([...files, ...reports.keys()])) {
    const report = reports.get(file) ?? emptyReport()
    if (report.passed + report.skipped.length + report.failures.length === 0) report.failures.push('no test ran')
    tally.passed += report.passed
    tally.failed += report.failures.length
    tally.skipped.push(...report.skipped)
    if (report.failures.length === 0) continue
    console.log(`\nFAIL  ${title} ${file}`)
    for (const failure of report.failures) console.log(indent(failure))
    if (report.output !== '') console.log(indent(`output:\n${report.output}`))
  }
  return tally
}

function describe(error: Error | undefined): string {
  const cause = error?.cause ?? error
  return cause instanceof Error || typeof cause === 'object' ? inspect(cause, { depth: 4 }) : String(cause)
}

/** Enough of a failure to know it by: the end of a run that is cut off tells nothing. */
function shortened(failure: string): string {
  const lines = failure.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return lines.join('\n').slice(0, 600)
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ')
}

function seconds(began: number): string {
  return `${((performance.now() - began) / 1000).toFixed(1)} s`
}
