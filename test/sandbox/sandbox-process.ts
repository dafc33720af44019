/** The real program as a user starts it, on free ports and in a folder of its own. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { type GuardedProcess, startGuarded } from '../support/guarded-process.ts'
import { QUICK_WASM } from '../support/quick-wasm.ts'
import { waitFor } from '../support/wait-for.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const START_MS = 180_000
/** What the programs get of this process's environment. */
const OURS = childEnvironment()

export type Sandbox = {
  process: GuardedProcess
  dataDir: string
  /** Ends with `/v1`. */
  baseUrl: string
  /** What it printed. */
  text: string
}

/** Starts the program without waiting for anything. */
export function launch(env: Record<string, string>): Promise<GuardedProcess> {
  return startGuarded(process.execPath, [...QUICK_WASM, path.join(ROOT, 'src/main.ts')], {
    env: { ...OURS, PORT: '0', OPERATOR_PORT: '0', ...env },
    cwd: ROOT,
    orphanSignal: 'TERM',
  })
}

/** Starts a sandbox and waits until it has printed what to try. */
export async function startSandbox(settings: { DATA_DIR: string; DATABASE_URL?: string }): Promise<Sandbox> {
  return await whenStarted(await launch(settings), settings.DATA_DIR)
}

/** The sandbox that a launched program becomes. */
export async function whenStarted(started: GuardedProcess, dataDir: string): Promise<Sandbox> {
  await waitFor(
    'the sandbox to print what to try',
    () => !started.running() || started.output().includes('npm run demo'),
    { timeoutMs: START_MS },
  )
  const text = started.output()
  if (!started.running()) throw new Error(`The sandbox ended: ${text}`)
  return { process: started, dataDir, text, baseUrl: /Base address +(\S+)/.exec(text)?.[1] ?? '' }
}

/**
 * The exit code of a process that ends by itself. Waiting here keeps the test alive, which the process alone does not.
 */
export async function codeOf(program: GuardedProcess): Promise<number | null> {
  await waitFor('a program to end', () => !program.running(), { timeoutMs: START_MS })
  return await program.exited
}

/** Runs a program of the project to its end. */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const program = await startGuarded(command, args, { env: { ...OURS, ...env }, cwd: ROOT })
  return { code: await codeOf(program), output: program.output() }
}

/** The commands that the sandbox printed for pasting, unchanged. */
export function printedCommands(text: string): string {
  const [, afterTitle = ''] = text.split(/paste this into another terminal:\n/)
  return afterTitle.split(/\n\n +The whole story/)[0] ?? ''
}

/** The first shell block under a heading of the README. */
export function readmeCommands(heading: string): string {
  const [, section = ''] = readFileSync(path.join(ROOT, 'README.md'), 'utf8').split(`${heading}\n`)
  return /```sh\n(.*?)```/s.exec(section)?.[1] ?? ''
}

/** The chain process that a data folder records. */
export function chainProcess(dataDir: string): { pid: number; port: number } {
  return JSON.parse(readFileSync(path.join(dataDir, 'chain-process.json'), 'utf8')) as { pid: number; port: number }
}

/** Ends the chain that a killed service left behind, when there is one. */
export function endChain(dataDir: string): void {
  try {
    process.kill(chainProcess(dataDir).pid, 'SIGKILL')
  } catch {
    // It has already ended with its service.
  }
}

/** Coin in existence, in micro units, read from the chain itself. */
export async function supplyOf(dataDir: string): Promise<bigint> {
  const { coin } = JSON.parse(readFileSync(path.join(dataDir, 'contracts.json'), 'utf8')) as { coin: string }
  const totalSupply = '0x18160ddd'
  const rpcUrl = `http://127.0.0.1:${chainProcess(dataDir).port}`
  return BigInt(await rpc<string>(rpcUrl, 'eth_call', [{ to: coin, data: totalSupply }, 'latest']))
}
