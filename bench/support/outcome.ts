/** What a benchmark found, as data beside its table for people: the summary, the charts and `npm run scaling` read it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Goal, GoalName } from '../goals.ts'

/** The folder of the repository's recorded results. */
export const RECORDED = path.join(import.meta.dirname, '../results')

export type Cell = string | number
export type MeasuredGoal = Goal & { measured: number; reached: boolean }

export type Outcome = {
  name: string
  title: string
  command: string
  /** `YYYY-MM-DD`. */
  date: string
  /** When it was published, in UTC. */
  at: string
  commit: string
  machine: string
  versions: Readonly<Record<string, string>>
  loadBefore: number
  loadAfter: number
  /** How long it took. */
  seconds: number
  /** Of the goals in bench/goals.ts, by name. */
  measured: Readonly<Partial<Record<GoalName, number>>>
  /** All goals of the benchmark. */
  goals: readonly MeasuredGoal[]
  /** What else it found, by name. */
  numbers: Readonly<Record<string, number>>
  /** Its table, the first row the header; numbers are not rounded. */
  rows: readonly (readonly Cell[])[]
}

/** Where results go: bench/results, or another folder that BENCH_RESULTS names. */
export function resultsFolder(): string {
  return process.env.BENCH_RESULTS ?? RECORDED
}

/** Writes NAME.json and the text for people as NAME.md. */
export function recordOutcome(outcome: Outcome, text: string): void {
  const folder = resultsFolder()
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, `${outcome.name}.json`), `${JSON.stringify(outcome, undefined, 2)}\n`)
  writeFileSync(path.join(folder, `${outcome.name}.md`), text)
}

/** The recorded outcome of a benchmark, if there is one. */
export function readOutcome(name: string, folder = resultsFolder()): Outcome | undefined {
  const file = path.join(folder, `${name}.json`)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Outcome) : undefined
}
