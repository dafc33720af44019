/** What the operating system says of a process. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process exists and has not ended (a zombie has). */
export function isAlive(pid: number): boolean {
  if (pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileOrEmpty(`/proc/${pid}/status`))
}

/** The command line of a living process; undefined when there is none, or it cannot be asked. */
export function commandOf(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined
  if (process.platform === 'linux') return readFileOrEmpty(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')
  try {
    return execFileSync('ps', ['-o', 'args=', '-ww', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

function readFileOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
