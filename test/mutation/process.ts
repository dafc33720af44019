/** Runs a command for as long as it is of interest: until it ends, prints a certain text, or its time is up. */
import { spawn } from 'node:child_process'

export type Outcome = {
  /** `stopped`: a line of its output matched `until`. */
  end: 'exited' | 'stopped' | 'timeout'
  code: number | null
  /** The last part of its output. */
  output: string
  durationMs: number
}

type Options = {
  cwd: string
  env: NodeJS.ProcessEnv
  timeoutMs: number
  /** The command is ended as soon as its output matches. */
  until?: RegExp
}

const OUTPUT_KEPT = 20_000
const running = new Set<number>()

/** The command leads a process group of its own, which is ended as a whole. */
export function runToVerdict(command: string, args: readonly string[], options: Options): Promise<Outcome> {
  const began = performance.now()
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const { pid } = child
  if (pid !== undefined) running.add(pid)
  return new Promise((resolve, reject) => {
    let output = ''
    let end: Outcome['end'] = 'exited'
    const stop = (reason: Outcome['end']): void => {
      if (end !== 'exited') return
      end = reason
      endGroup(pid)
    }
    const timer = setTimeout(() => stop('timeout'), options.timeoutMs)
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        output = (output + chunk).slice(-OUTPUT_KEPT)
        if (options.until?.test(output)) stop('stopped')
      })
    }
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      endGroup(pid) // ends whatever it left behind
      if (pid !== undefined) running.delete(pid)
      resolve({ end, code, output, durationMs: performance.now() - began })
    })
  })
}

/** Ends everything that runs, for a program that is interrupted. */
export function endAll(): void {
  for (const pid of running) endGroup(pid)
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has already ended.
  }
}
