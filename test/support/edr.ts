/** A local chain of another kind than anvil, for a test: Hardhat's EDR. */
import path from 'node:path'
import { startGuarded } from './guarded-process.ts'
import { waitFor } from './wait-for.ts'

const LISTENING = /Listening on (127\.0\.0\.1:\d+)/

/**
 * Starts it on 127.0.0.1, with a block a second, and waits until it listens. It ends with the test process at the latest.
 * @throws Error with its output when it ends instead
 */
export async function startEdr({ chainId }: { chainId: number }): Promise<{ rpcUrl: string; stop(): Promise<void> }> {
  const program = path.join(import.meta.dirname, 'edr/serve.ts')
  const chain = await startGuarded(process.execPath, [program, String(chainId)])
  const address = await waitFor('EDR to listen', () => {
    return chain.running() ? LISTENING.exec(chain.output())?.[1] : 'ended'
  })
  if (address === 'ended') throw new Error(`EDR did not start: ${chain.output().slice(-2_000)}`)
  return { rpcUrl: `http://${address}`, stop: () => chain.end('SIGTERM') }
}
