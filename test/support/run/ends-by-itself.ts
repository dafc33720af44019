/**
 * Loaded before a test file: when something keeps the process open long after its last test, this names it and fails.
 * Ending such a process quietly would also end work that nobody awaited and hide its failure.
 */
import type { ChildProcess } from 'node:child_process'
import type { Server, Socket } from 'node:net'
import { after } from 'node:test'
import { endAll, promiseAnEnd } from './at-the-end.ts'
import { noteCostsAtExit } from './costs.ts'

const GRACE_MS = Number(process.env.TEST_END_GRACE_MS ?? 60_000)
/** What every child of the runner has: its own output, and the pipe to its parent. */
const OWN = new Set<unknown>([process.stdin, process.stdout, process.stderr])

noteCostsAtExit()
promiseAnEnd()

after(async () => {
  await endAll()
  setTimeout(() => {
    process.stderr.write(`Still open ${GRACE_MS} ms after the last test: ${whatIsOpen().join(', ')}\n`)
    process.exit(1)
  }, GRACE_MS).unref()
})

function whatIsOpen(): string[] {
  // biome-ignore lint/suspicious/noExplicitAny: the only list of open handles that Node offers
  const handles = (process as any)._getActiveHandles() as object[]
  const named = handles.filter((handle) => !OWN.has(handle)).map(describe)
  const timers = process
    .getActiveResourcesInfo()
    .filter((name) => ['Timeout', 'Immediate', 'FSReqPromise'].includes(name))
  const all = [...named, ...timers]
  return all.length === 0 ? process.getActiveResourcesInfo() : all
}

function describe(handle: object): string {
  const kind = handle.constructor.name
  if (kind === 'ChildProcess') return `child process ${(handle as ChildProcess).spawnargs.slice(0, 4).join(' ')}`
  if (kind === 'Server') return `server on ${JSON.stringify((handle as Server).address())}`
  const { remoteAddress, remotePort, localPort } = handle as Socket
  return remoteAddress === undefined ? kind : `${kind} from port ${localPort} to ${remoteAddress}:${remotePort}`
}
