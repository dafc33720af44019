/**
 * Processor time (user and system) that processes of this machine take, as Linux counts it. What an operation costs in it
 * says more on a shared machine than how many are done in a second.
 */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Of /proc/PID/stat, counted from the field after the name. */
const PARENT = 1
const OWN = [11, 12] as const
const ENDED_CHILDREN = [13, 14] as const

const tickUs = 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))

/** Microseconds that a process has taken so far, with all its threads. */
export function cpuUsOf(pid: number): number {
  return sum(statOf(pid), OWN)
}

/** The same to the nanosecond, where `cpuUsOf` counts ticks; only of threads that live. */
export function cpuUsOfThreads(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((total, thread) => total + onProcessorUs(`/proc/${pid}/task/${thread}/schedstat`), 0)
}

function onProcessorUs(file: string): number {
  return Number(readFileSync(file, 'utf8').split(' ')[0]) / 1_000
}

/**
 * Microseconds that a process, its living children and its ended ones have taken so far: with the postmaster's id those
 * of a PostgreSQL server, whose connections each have a process.
 */
export function cpuUsOfFamily(pid: number): number {
  const own = statOf(pid)
  const living = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .reduce((total, child) => total + cpuUsOfChild(Number(child), pid), 0)
  // One that ended meanwhile was counted twice or not at all.
  if (sum(statOf(pid), ENDED_CHILDREN) !== sum(own, ENDED_CHILDREN)) return cpuUsOfFamily(pid)
  return living + sum(own, [...OWN, ...ENDED_CHILDREN])
}

function cpuUsOfChild(pid: number, parent: number): number {
  try {
    const stat = statOf(pid)
    return stat[PARENT] === parent ? sum(stat, [...OWN, ...ENDED_CHILDREN]) : 0
  } catch {
    // It has ended.
    return 0
  }
}

/** What each process took during some work, and what the work came to. */
export type Metered<T, Name extends string> = { result: T; cpuUs: Record<Name, number> }

/** Does `work` and says how many microseconds each meter advanced by meanwhile. */
export async function metered<T, Name extends string>(
  meters: Readonly<Record<Name, () => number>>,
  work: () => Promise<T>,
): Promise<Metered<T, Name>> {
  const names = Object.keys(meters) as Name[]
  const before = names.map((name) => meters[name]())
  const result = await work()
  const taken = names.map((name, index) => [name, meters[name]() - (before[index] ?? 0)] as const)
  return { result, cpuUs: Object.fromEntries(taken) as Record<Name, number> }
}

function sum(stat: readonly number[], fields: readonly number[]): number {
  return fields.reduce((total, field) => total + (stat[field] ?? Number.NaN), 0) * tickUs
}

/** The fields after the name, which may hold spaces and parentheses. */
function statOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
}
