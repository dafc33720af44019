/** What a newcomer has: a machine's own Node and npm, an empty npm cache, an empty folder. Whatever is started here is ended here. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'

const STOP_MS = 30_000
/** A folder that `npm run` puts on the path: a newcomer has none yet. */
const OF_A_PROJECT = /node_modules[/\\]\.bin$|node-gyp-bin$/

export type Running = {
  output: () => string
  /** Resolves with the exit code. */
  exited: Promise<number | null>
  running: () => boolean
  /** Ctrl-C at a terminal: every process of the group gets it. Resolves when the command has ended. */
  interrupt(): Promise<void>
}

const groups = new Set<number>()
process.once('exit', () => {
  for (const group of groups) signal(group, 'SIGTERM')
})

/**
 * The environment of a terminal in which nothing of this project has run.
 * @param npmCache an empty folder
 */
export function newcomersEnvironment(npmCache: string): Record<string, string | undefined> {
  const { PATH = '', HOME, USER, LANG, TERM, TMPDIR, npm_config_registry } = process.env
  const own = PATH.split(path.delimiter).filter((folder) => !OF_A_PROJECT.test(folder))
  const npm = { npm_config_registry, npm_config_cache: npmCache, npm_config_update_notifier: 'false' }
  const env = { PATH: own.join(path.delimiter), HOME, USER, LANG, TERM, TMPDIR, ...npm }
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
}

/** Starts a command in a process group of its own, as a terminal does. */
export function startCommand(
  command: string,
  args: readonly string[],
  { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv },
): Running {
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const group = child.pid ?? Number.NaN
  groups.add(group)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  const exited = once(child, 'close').then(([code]) => {
    groups.delete(group)
    return code as number | null
  })
  return {
    output: () => output,
    exited,
    running: () => isRunning(child),
    async interrupt() {
      if (isRunning(child)) signal(group, 'SIGINT')
      const timer = setTimeout(() => signal(group, 'SIGKILL'), STOP_MS)
      await exited
      clearTimeout(timer)
    },
  }
}

/**
 * Runs a command to its end.
 * @returns what it printed
 * @throws Error with what it printed, when it fails or takes longer than `timeoutMs`
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<string> {
  const run = startCommand(command, args, options)
  let late = false
  const timer = setTimeout(() => {
    late = true
    void run.interrupt()
  }, options.timeoutMs)
  const code = await run.exited
  clearTimeout(timer)
  if (code === 0 && !late) return run.output()
  throw new Error(`${command} ${late ? 'took too long' : `ended with ${code}`}: ${run.output()}`)
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch {
    // It has already ended.
  }
}
