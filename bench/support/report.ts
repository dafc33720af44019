/**
 * What every benchmark records: machine, versions, load before and after, numbers, and whether the goal was reached.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'

const RESULTS = path.join(import.meta.dirname, '../results')

export type Report = {
  /** Names the file in bench/results. */
  name: string
  /** What was run, when it is not the benchmark of that name. */
  command?: string
  title: string
  /** How it is measured, in Markdown. */
  method: string
  /** Table rows, the first one the header. */
  rows: readonly (readonly (string | number)[])[]
  goal: { what: string; measured: number; bound: number; atLeast: boolean }
  /** Observations during the run that are needed to understand the numbers. */
  notes?: readonly string[]
  versions?: Readonly<Record<string, string>>
  /** Machine load when the benchmark began. */
  loadBefore: number
}

/** Prints the report, writes bench/results/NAME.md, and makes the process fail when the goal is missed. */
export function publish(report: Report): void {
  const { what, measured, bound, atLeast } = report.goal
  const isReached = atLeast ? measured >= bound : measured <= bound
  const [head = [], ...rows] = report.rows
  const table = [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)
  const text = [
    `# ${report.title}`,
    '',
    report.method,
    '',
    ...table,
    '',
    `**${what}: ${round(measured)}** — goal ${atLeast ? 'at least' : 'at most'} ${bound}, ${isReached ? 'reached' : 'missed'}.`,
    ...(report.notes ?? []).map((note) => `\n${note}`),
    '',
    `\`${commandOf(report)}\` on ${new Date().toISOString().slice(0, 10)}: ${machine()}; ${versions(report.versions)}.`,
    `Load average (1 min) before ${report.loadBefore.toFixed(1)}, after ${currentLoad().toFixed(1)}, which includes the benchmark itself.`,
    '',
  ].join('\n')
  console.log(text)
  writeFileSync(path.join(RESULTS, `${report.name}.md`), text)
  if (!isReached) process.exitCode = 1
}

function commandOf({ name, command }: Report): string {
  const given = process.argv.slice(2)
  if (command === undefined) return ['npm run bench --', name, ...given].join(' ')
  return [command, ...(given.length === 0 ? [] : ['--', ...given])].join(' ')
}

/** The machine's load average over the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** Three significant digits, thousands separated. */
export function round(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-US')
  return String(Number(value.toPrecision(3)))
}

function machine(): string {
  const all = cpus()
  return `${all.length} × ${all[0]?.model.trim() ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`
}

function versions(more: Readonly<Record<string, string>> = {}): string {
  return Object.entries({ Node: process.version, commit: commit(), ...more })
    .map(([what, version]) => `${what} ${version}`)
    .join(', ')
}

/** The commit of the checkout, if it is one. */
function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')).version
  }
}
