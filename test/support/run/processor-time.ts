/** How much processor time a process and all that it started have used, on Linux; elsewhere the process alone is known. */
import { readdirSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100

type Process = { parent: number; seconds: number }

/** Seconds, in user mode and in the system, of `pid`, of its children that have ended, and of those that still run. */
export function processorSeconds(pid: number = process.pid): number {
  if (process.platform !== 'linux') return ownSeconds()
  const all = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), readProcess(name)] as const),
  )
  const sum = (of: number): number => {
    const children = [...all].filter(([, one]) => one?.parent === of).map(([child]) => child)
    return (all.get(of)?.seconds ?? 0) + children.reduce((total, child) => total + sum(child), 0)
  }
  return sum(pid)
}

function ownSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Undefined when it has ended in the meantime. */
function readProcess(pid: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const ticks = fields.slice(11, 15).reduce((total, field) => total + field, 0)
    return { parent: fields[1] ?? 0, seconds: ticks / TICKS_PER_SECOND }
  } catch {
    return undefined
  }
}
