/**
 * Runs commands of the operator (`coin …`). Starting Node and loading the program costs ten times what a command does, so only the first use
 * of each in a test process is a process of its own: later ones share one, each with its own arguments, environment, output and exit code.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { childEnvironment } from '../support/child-environment.ts'
import { atLeast } from '../support/wait-for.ts'

export type CliResult = { code: number | null; stdout: string; stderr: string }

export const CLI = path.join(import.meta.dirname, '../../src/operator/cli.ts')
const SHARED = path.join(import.meta.dirname, 'shared-commands.ts')
const TIMEOUT_MS = atLeast(60_000)
/** What the command line itself reads; anything else may change Node. */
const READ = /^(OPERATOR_\w+|DATA_DIR)$/

const used = new Set<string>()
let shared: ChildProcess | undefined
let busy = false

/**
 * @param env what it adds to the variables that every process needs
 * @param input what is on standard input; with it a command is always a process of its own
 */
export async function runCommand(
  args: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
  input?: string,
): Promise<CliResult> {
  const command = args.slice(0, 2).join(' ')
  const isNew = !used.has(command)
  used.add(command)
  if (isNew || busy || input !== undefined || !Object.keys(env).every((name) => READ.test(name)))
    return await asProcess(args, env, input ?? '')
  busy = true
  try {
    return await inShared(args, env)
  } finally {
    busy = false
  }
}

async function asProcess(args: readonly string[], env: NodeJS.ProcessEnv, input: string): Promise<CliResult> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...childEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  })
  child.stdin.on('error', () => {}).end(input)
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

async function inShared(args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliResult> {
  shared ??= fork(SHARED, { env: childEnvironment(), execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const child = shared
  child.ref()
  child.channel?.ref()
  const waiting = new AbortController()
  const { signal } = waiting
  const late = setTimeout(() => child.kill('SIGKILL'), TIMEOUT_MS)
  try {
    child.send({ args, env })
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error(`The process of further commands ended during: coin ${args.join(' ')}`)
    })
    const [result] = (await Promise.race([once(child, 'message', { signal }), ended])) as [CliResult]
    return result
  } catch (error) {
    shared = undefined
    throw error
  } finally {
    clearTimeout(late)
    waiting.abort()
    // It ends with this process, which does not wait for it.
    child.unref()
    child.channel?.unref()
  }
}
