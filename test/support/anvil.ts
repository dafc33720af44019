/** A local chain of its own for a test. */
import { chmodSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type GuardedProcess, startGuarded } from './guarded-process.ts'
import { freePort } from './ports.ts'
import { waitFor } from './wait-for.ts'

const PLATFORM_PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
}
const PORT_ATTEMPTS = 5

export type Anvil = {
  rpcUrl: string
  pid: number
  /** Ends it in order, so that `--state` is written. */
  stop(): Promise<void>
  /** `kill -9`. */
  kill(): Promise<void>
}

export type AnvilOptions = {
  /** Undefined: a block for every transaction. */
  blockTimeSeconds?: number
  /** Default 31337. */
  chainId?: number
  /** Default: a free one. A given port is not replaced when it is taken. */
  port?: number
  args?: readonly string[]
}

/** Starts anvil on 127.0.0.1 and waits until it answers. It ends with the test process at the latest. */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const binary = anvilBinary()
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await freePort())
    const chain = await startGuarded(binary, anvilArguments(options, port))
    const rpcUrl = `http://127.0.0.1:${port}`
    if (await answers(chain, rpcUrl)) {
      return { rpcUrl, pid: chain.pid, stop: () => chain.end('SIGINT'), kill: () => chain.end('SIGKILL') }
    }
    await chain.end('SIGKILL')
    if (attempt === PORT_ATTEMPTS || options.port !== undefined) {
      throw new Error(`anvil did not start: ${chain.output().slice(-2_000)}`)
    }
  }
}

function anvilArguments({ blockTimeSeconds, chainId = 31337, args = [] }: AnvilOptions, port: number): string[] {
  const pace = blockTimeSeconds === undefined ? [] : ['--block-time', String(blockTimeSeconds)]
  return ['--host', '127.0.0.1', '--port', String(port), '--chain-id', String(chainId), '--quiet', ...pace, ...args]
}

/** Another process may listen on the port: only an answer while our own is running counts. */
async function answers(chain: GuardedProcess, rpcUrl: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  return await waitFor('anvil to answer', async () => {
    if (!chain.running()) return 'ended'
    const response = await fetch(rpcUrl, { method: 'POST', body, headers })
    await response.arrayBuffer()
    return response.ok && chain.running() ? 'ready' : undefined
  }).then(
    (state) => state === 'ready',
    () => false,
  )
}

/** The program itself, not its wrapper, whose process id would be another one. */
function anvilBinary(): string {
  const name = PLATFORM_PACKAGES[`${process.platform}-${process.arch}`]
  if (name === undefined) throw new Error(`There is no anvil for ${process.platform} on ${process.arch}`)
  const binary = createRequire(import.meta.url).resolve(`${name}/bin/anvil`)
  chmodSync(binary, 0o755)
  return binary
}
