import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

/** A local chain of its own. */
export type Anvil = { rpcUrl: string; stop: () => Promise<void> }

const STARTUP_TIMEOUT_MS = 30_000

/**
 * Starts anvil on a free port of 127.0.0.1, mining each transaction as it comes unless told otherwise.
 *
 * @param args further command line arguments, such as `['--chain-id', '1337']`
 * @throws Error when it does not come up within 30 seconds; its output is in the message
 */
export async function startAnvil(args: readonly string[] = []): Promise<Anvil> {
  const launcher = createRequire(import.meta.url).resolve('@foundry-rs/anvil/bin.mjs')
  const child = spawn(process.execPath, [launcher, '--host', '127.0.0.1', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, TARGET_TOOL: 'anvil' },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await exited
  }
  const output: string[] = []
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()))

  const port = await new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), STARTUP_TIMEOUT_MS)
    const settle = (found: string | undefined): void => {
      clearTimeout(timer)
      resolve(found)
    }
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (output.length < 200) output.push(line)
      const match = /^Listening on 127\.0\.0\.1:(\d+)/.exec(line)
      if (match) settle(match[1])
    })
    void exited.then(() => settle(undefined))
  })
  if (port === undefined) {
    await stop()
    throw new Error(`anvil did not start: ${output.join('\n')}`)
  }
  return { rpcUrl: `http://127.0.0.1:${port}`, stop }
}
