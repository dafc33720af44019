/** What test files report: briefly what passed, at length what failed. */
import path from 'node:path'
import { inspect } from 'node:util'

export type Skip = { file: string; name: string; reason: string }
export type Tally = { passed: number; failed: number; skipped: readonly Skip[] }

/** The program that runs several files in its process. */
export const GROUP = path.join(import.meta.dirname, 'group.ts')
const OUTPUT_KEPT = 20_000

/**
 * Adds what a process of tests reports, and tells of each of its files when it has ended.
 * @param names its files, from the root
 */
export async function collect(
  root: string,
  title: string,
  stream: AsyncIterable<TestEvent>,
  reports: Map<string, FileReport>,
  names: readonly string[],
): Promise<void> {
  const reportOf = (file: string) => {
    const known = reports.get(file) ?? emptyReport()
    reports.set(file, known)
    return known
  }
  /** What no file of a group can be blamed for: the end of its process. */
  const whole = names.join(' and ')
  let output = ''
  for await (const { type, data } of stream) {
    const ofGroup = data.file === GROUP
    const own = path.relative(root, data.file ?? data.name ?? '')
    const file = ofGroup ? (names.find((name) => name === data.name) ?? whole) : own
    const hasEnded = ofGroup
      ? data.nesting === 1 && /^test:(pass|fail)$/.test(type)
      : type === 'test:summary' && data.file !== undefined
    if (type === 'test:stdout' || type === 'test:stderr') output = (output + (data.message ?? '')).slice(-OUTPUT_KEPT)
    else if (type === 'test:diagnostic' && data.file !== undefined && LATE.test(data.message ?? '')) {
      reportOf(file).failures.push(data.message ?? '')
    } else if (type === 'test:pass' && isLeftOut(data)) {
      const reason = [data.skip, data.todo].find((text) => typeof text === 'string' && text !== '')
      reportOf(file).skipped.push({ file, name: data.name ?? '', reason: String(reason ?? 'no reason given') })
    } else if (type === 'test:pass' && data.details?.type !== 'suite' && data.name !== data.file && !ofGroup) {
      reportOf(file).passed += 1
    } else if (type === 'test:fail' && data.details?.error?.failureType !== 'subtestsFailed') {
      reportOf(file).failures.push(`${data.name ?? file}\n${indent(describe(data.details?.error))}`)
    }
    if (hasEnded) tell(`${title} ${file}`, reportOf(file), data.duration_ms ?? data.details?.duration_ms ?? 0)
  }
  for (const file of [...names, whole]) reportOf(file).output = output
  if (names.length === 1) return
  if (reportOf(whole).failures.length > 0) tell(`${title} ${whole}`, reportOf(whole), 0)
  else reports.delete(whole)
}

/** The line of a file that has ended. In CI only those of which something failed. */
function tell(name: string, { passed, skipped, failures }: FileReport, tookMs: number): void {
  const left = skipped.length === 0 ? '' : `, ${skipped.length} skipped`
  const outcome = `${name} (${passed} passed${left}, ${(tookMs / 1000).toFixed(1)} s)`
  if (failures.length > 0) console.log(`FAIL  ${outcome}\n${indent(failures.map(shortened).join('\n'))}`)
  else if (process.env.CI !== 'true') console.log(`ok    ${outcome}`)
}

/** A failure after the end of its test is reported only as a diagnostic, but fails the file. */
const LATE = /asynchronous activity after the test ended/

export type FileReport = { passed: number; skipped: Skip[]; failures: string[]; output: string }

function emptyReport(): FileReport {
  return { passed: 0, skipped: [], failures: [], output: '' }
}

/** A skipped test or suite, or one marked `todo`, which may fail unheard and so has not passed. */
function isLeftOut({ skip, todo }: TestEvent['data']): boolean {
  return [skip, todo].some((mark) => mark !== undefined && mark !== false)
}

export type TestEvent = {
  type: string
  data: {
    name?: string
    file?: string
    message?: string
    nesting?: number
    duration_ms?: number
    skip?: string | boolean
    todo?: string | boolean
    details?: { type?: string; duration_ms?: number; error?: Error & { failureType?: string } }
  }
}

/** Counts results and shows in full what failed. A file that passed is not mentioned again. */
export function summarise(title: string, files: readonly string[], reports: ReadonlyMap<string, FileReport>): Tally {
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

export function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, '      ')
}
