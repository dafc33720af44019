/** What the operating system says about a process. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Whether a process exists and has not ended (a zombie has ended). */
export function isAlive(pid: number): boolean {
  try {
    return startOf(pid) !== undefined
  } catch {
    return exists(pid)
  }
}

/**
 * When a living process started, in a form good only for comparison; undefined when there is no such process. It takes
 * both this and the id to name a process, because ids are reused after a while.
 * @throws what the system says where that cannot be read, because too many files are open for instance: it may be alive
 */
export function startOf(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      // Field 3 of proc(5) is the state, field 22 the start in ticks since boot.
      return fields[0] === 'Z' ? undefined : `${bootId()}:${fields[19]}`
    }
    if (process.platform === 'win32') return process.kill(pid, 0) ? 'running' : undefined
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined
  } catch (error) {
    if (isOutOfFiles(error)) throw error
    return undefined
  }
}

function isOutOfFiles(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(String((error as { code?: unknown }).code))
}

/** Asks without opening a file. */
function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** The command line of a living process; undefined when there is none, or it cannot be read. */
export function commandOf(pid: number): string | undefined {
  if (!isAlive(pid)) return undefined
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'args=', '-ww', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return 'boot'
  }
}
