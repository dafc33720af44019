/**
 * What every benchmark records: machine, versions, load before and after, numbers, and whether the goal was reached.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import path from 'node:path'
import { describeGoal, type Goal, type GoalName, goalOf, isReached } from '../goals.ts'
import { type Cell, type Outcome, recordOutcome } from './outcome.ts'

export type Report = {
  /** Names the file in bench/results. */
  name: string
  /** What was run, when it is not the benchmark of that name. */
  command?: string
  title: string
  /** How it is measured, in Markdown. */
  method: string
  /** Table rows, the first one the header. */
  rows: readonly (readonly Cell[])[]
  /** Measured numbers whose goals are in bench/goals.ts. */
  measured?: Readonly<Partial<Record<GoalName, number>>>
  /** A goal of this benchmark alone. */
  goal?: Goal & { measured: number }
  /** Further numbers that are read by name, as by `npm run scaling` and the charts. */
  numbers?: Readonly<Record<string, number>>
  /** Observations during the run that are needed to understand the numbers. */
  notes?: readonly string[]
  versions?: Readonly<Record<string, string>>
  /** Machine load when the benchmark began. */
  loadBefore: number
}

/** Prints the report, writes bench/results/NAME.md and NAME.json, and makes the process fail when a goal is missed. */
export function publish(report: Report): void {
  const outcome = outcomeOf(report)
  const text = describe(outcome, report)
  console.log(text)
  recordOutcome(outcome, text)
  if (outcome.goals.some(({ reached }) => !reached)) process.exitCode = 1
}

function outcomeOf({ measured = {}, goal, numbers = {}, rows, ...report }: Report): Outcome {
  const shared = (Object.keys(measured) as GoalName[]).map((name) => {
    const { what, against, ...bounds } = goalOf(name)
    return {
      ...bounds,
      what: against === undefined ? what : `${what} ÷ ${against}`,
      measured: measured[name] ?? Number.NaN,
    }
  })
  const now = new Date().toISOString()
  const goals = [...shared, ...(goal === undefined ? [] : [goal])]
  return {
    name: report.name,
    title: report.title,
    command: commandOf(report),
    date: now.slice(0, 10),
    at: now,
    commit: commit(),
    machine: machine(),
    versions: { Node: process.version, ...report.versions },
    loadBefore: report.loadBefore,
    loadAfter: currentLoad(),
    seconds: performance.now() / 1_000,
    measured,
    goals: goals.map(({ what, bound, atLeast, measured: found }) => ({
      what,
      bound,
      atLeast,
      measured: found,
      reached: isReached({ what, bound, atLeast }, found),
    })),
    numbers,
    rows,
  }
}

function describe(outcome: Outcome, { method, notes = [] }: Report): string {
  const { title, rows, goals, command, date, loadBefore, loadAfter } = outcome
  const versions = { Node: outcome.versions.Node, commit: outcome.commit, ...outcome.versions }
  return [
    `# ${title}`,
    '',
    method,
    '',
    tableOf(rows),
    ...goals.map(
      (goal) =>
        `\n**${goal.what}: ${round(goal.measured)}** — goal ${describeGoal(goal)}, ${goal.reached ? 'reached' : 'missed'}.`,
    ),
    ...notes.map((note) => `\n${note}`),
    '',
    `\`${command}\` on ${date}: ${outcome.machine}; ${listed(versions)}.`,
    `Load average (1 min) before ${loadBefore.toFixed(1)}, after ${loadAfter.toFixed(1)}, which includes the benchmark itself.`,
    '',
  ].join('\n')
}

/** A table in Markdown; numbers are rounded. */
export function tableOf([head = [], ...rows]: readonly (readonly Cell[])[]): string {
  const shown = (cell: Cell) => (typeof cell === 'number' ? round(cell) : cell)
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(shown).join(' | ')} |`).join('\n')
}

/** Says on standard output how far a benchmark is: what runs all of them shows it. @param unit what is counted */
export function progress(done: number, of: number, found: object, unit = 'round'): void {
  const shown = Object.entries(found).map(
    ([name, value]) => `${name} ${typeof value === 'number' ? round(value) : value}`,
  )
  console.log(`${unit} ${done} of ${of}: ${shown.join(', ')}`)
}

function commandOf({ name, command }: Pick<Report, 'name' | 'command'>): string {
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

function listed(versions: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(versions)
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
