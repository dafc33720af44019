/** A local chain of its own for a test. */
import { chmodSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GuardedProcess, startGuarded } from './guarded-process.ts'
import { temporaryFolder } from './temp.ts'
import { waitFor } from './wait-for.ts'

const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
}
const LISTENING = /Listening on (127\.0\.0\.1:\d+)/

export type Anvil = {
  rpcUrl: string
  pid: number
  /** Ends it properly, so that `--state` is written. */
  stop(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
}

export type AnvilOptions = {
  /** Undefined: a block for every transaction. */
  blockTimeSeconds?: number
  /** Default 31337. */
  chainId?: number
  /** Default: a free one. */
  port?: number
  args?: readonly string[]
}

const started: GuardedProcess[] = []

/** How many of those that were started since the last time have not ended. */
export function anvilsLeft(): number {
  return started.splice(0).filter((chain) => chain.running()).length
}

/**
 * Starts anvil on 127.0.0.1 and waits until it listens. It ends with the test process at the latest.
 * @throws Error with its output when it ends instead
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const folder = temporaryFolder('anvil')
  const chain = await startGuarded(anvilBinary(), anvilArguments(options), {
    outputFile: path.join(folder, 'output'),
    orphanRemoves: folder,
  })
  started.push(chain)
  // Anvil's own output counts, not an answer on the port, which may come from another chain.
  const address = await waitFor('anvil to listen', () => {
    if (!chain.running()) return 'ended'
    return LISTENING.exec(chain.output())?.[1]
  })
  if (address === 'ended') throw new Error(`anvil did not start: ${chain.output().slice(-2_000)}`)
  return {
    rpcUrl: `http://${address}`,
    pid: chain.pid,
    stop: () => chain.end('SIGINT'),
    kill: () => chain.end('SIGKILL'),
  }
}

/** With port 0 anvil itself takes a free one. */
function anvilArguments({ blockTimeSeconds, chainId = 31337, port = 0, args = [] }: AnvilOptions): string[] {
  const pace = blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)]
  return ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), ...pace, ...args]
}

/** The program itself, not its wrapper, which would have a different process id. */
function anvilBinary(): string {
  const name = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) throw new Error(`There is no anvil for ${process.platform} on ${process.arch}`)
  const binary = createRequire(import.meta.url).resolve(`${name}/bin/anvil`)
  if ((statSync(binary).mode & 0o111) === 0) chmodSync(binary, 0o755)
  return binary
}

/**
 * Makes blocks until it is stopped, the next one when the last is there: requests that pile up on a busy machine let a node answer nothing else.
 * @param mine makes one; where it fails, it is asked again
 * @returns stops it
 */
export function keepMining(mine: () => Promise<unknown>, pauseMs: number): () => void {
  const stopping = new AbortController()
  void (async () => {
    while (!stopping.signal.aborted) await Promise.all([mine().catch(() => {}), sleep(pauseMs)])
  })()
  return () => stopping.abort()
}
