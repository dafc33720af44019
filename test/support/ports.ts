import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Systems give out ports from 32768 (Linux) or 49152 (RFC 6335) on by themselves, also to other suites that listen anywhere. */
const [FIRST, AFTER_LAST] = [10_000, 32_000]
const TRIES = 100

/**
 * A TCP port of 127.0.0.1 that was free a moment ago, and that nobody gets who does not ask for it by its number: what is sent there reaches no other suite.
 * Its user must try another one when it has been taken since.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(FIRST, AFTER_LAST)
    if (await isFree(port)) return port
  }
  throw new Error(`None of ${TRIES} ports was free.`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
