/** The sandbox's own chain: an anvil process that keeps its state in the data folder. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { commandOf, isAlive } from '../../process-table.ts'
import { StartError } from '../../start/start-failure.ts'
import { FUNDED_ACCOUNTS } from '../accounts.ts'
import { readKept } from '../kept-file.ts'
import { anvilBinary } from './anvil-binary.ts'
import { patientRpc, rpc } from './rpc.ts'
import { createStateCopier, recoverState } from './state-copy.ts'

export const SANDBOX_CHAIN_ID = 31337
const START_ATTEMPTS = 5
const START_MS = 60_000
/** How long a chain that runs already may take to answer: it is ended when it does not, and begins again from its state. */
const ORPHAN_MS = 20_000
const STOP_MS = 10_000

export type LocalChain = {
  rpcUrl: string
  /** Lets it answer nothing for so long, or for as long as it was told before, whichever ends later. */
  silence(ms: number): void
  /** Ends it properly, so that its newest state is written. */
  stop(): Promise<void>
}

type Running = { pid: number; port: number }

/**
 * Starts the chain of a data folder, or takes over the one that a killed service left running, so that nothing is lost.
 * @param mayAsk settles when the chain may be asked: what blocks this thread before lets calls run into their time limits,
 *   although the chain answers
 * @throws StartError when it does not come up, and what `mayAsk` rejects with
 */
export async function startLocalChain(
  dataDir: string,
  logger: Logger,
  mayAsk: Promise<unknown> = Promise.resolve(),
): Promise<LocalChain> {
  const files = filesOf(dataDir)
  const orphan = findOrphan(files)
  // The service may have been killed while it kept its chain silent.
  if (orphan !== undefined) wake(orphan.pid)
  if (orphan !== undefined) await mayAsk
  if (orphan !== undefined && (await answers(orphan.port, ORPHAN_MS, () => isAlive(orphan.pid)))) {
    logger.info({ chainPid: orphan.pid }, 'took over the local chain that an earlier run left behind')
    return chainOf(orphan, files, logger)
  }
  if (orphan !== undefined) await end(orphan.pid)
  recoverState(files.state, logger)
  for (let attempt = 1; attempt <= START_ATTEMPTS; attempt += 1) {
    const running = launch(await freePort(), files)
    await mayAsk.catch(async (error: unknown) => {
      await end(running.pid)
      throw error
    })
    if (await answers(running.port, START_MS, () => isAlive(running.pid))) {
      const chain = chainOf(running, files, logger)
      await patientRpc(chain.rpcUrl, 'evm_setTime', [nowSeconds()])
      return chain
    }
    await end(running.pid)
  }
  throw new StartError(
    `The local chain did not start. Its log is ${files.log}; \`npm run sandbox:reset\` starts afresh.`,
  )
}

/** Ends the chain that a killed service left running, if there is one. */
export async function endOrphan(dataDir: string): Promise<void> {
  const orphan = findOrphan(filesOf(dataDir))
  if (orphan !== undefined) await end(orphan.pid)
}

function filesOf(dataDir: string) {
  return {
    state: path.resolve(dataDir, 'chain-state.json'),
    running: path.resolve(dataDir, 'chain-process.json'),
    log: path.resolve(dataDir, 'chain.log'),
    genesis: path.resolve(dataDir, 'chain-genesis'),
  }
}

/**
 * The genesis block gets the same time at every start: anvil makes it anew each time, and a different time would make a
 * different block, by which the chain could no longer be recognised.
 */
function launch(port: number, files: { state: string; running: string; log: string; genesis: string }): Running {
  const genesisTime = readKept(
    files.genesis,
    () => String(nowSeconds()),
    (text) => /^\d{1,15}$/.test(text),
  )
  const log = openSync(files.log, 'w', 0o600)
  const child = spawn(
    anvilBinary(),
    [
      '--host',
      '127.0.0.1',
      '--port',
      String(port),
      '--chain-id',
      String(SANDBOX_CHAIN_ID),
      '--timestamp',
      genesisTime,
      '--accounts',
      String(FUNDED_ACCOUNTS),
      '--state',
      files.state,
      '--state-interval',
      '1',
      '--no-mining',
      '--gas-limit',
      '60000000',
      '--quiet',
    ],
    // The chain gets a process group of its own: Ctrl-C must reach only the service, which ends the chain last.
    { stdio: ['ignore', log, log], detached: true },
  )
  child.on('error', () => {})
  child.unref()
  closeSync(log)
  const running = { pid: child.pid ?? -1, port }
  writeFileSync(files.running, JSON.stringify(running), { mode: 0o600 })
  return running
}

/** The process that an earlier run recorded, if it is alive and works on this very state file. */
function findOrphan(files: { state: string; running: string }): Running | undefined {
  if (!existsSync(files.running)) return undefined
  try {
    const running = JSON.parse(readFileSync(files.running, 'utf8')) as Running
    return commandOf(running.pid)?.includes(files.state) === true ? running : undefined
  } catch {
    return undefined
  }
}

function chainOf({ pid, port }: Running, files: { state: string; running: string }, logger: Logger): LocalChain {
  const copier = createStateCopier(files.state, logger)
  copier.start()
  let silentUntilMs = 0
  let waking: NodeJS.Timeout | undefined
  return {
    rpcUrl: `http://127.0.0.1:${port}`,
    silence(ms) {
      silentUntilMs = Math.max(silentUntilMs, performance.now() + ms)
      clearTimeout(waking)
      if (isAlive(pid)) process.kill(pid, 'SIGSTOP')
      waking = setTimeout(() => wake(pid), silentUntilMs - performance.now())
    },
    async stop() {
      clearTimeout(waking)
      wake(pid)
      await copier.stop()
      await end(pid)
      rmSync(files.running, { force: true })
    },
  }
}

/** Lets a process go on that was stopped. */
function wake(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGCONT')
}

async function end(pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    if (!isAlive(pid)) return
    process.kill(pid, signal)
    const deadline = performance.now() + STOP_MS
    while (isAlive(pid) && performance.now() < deadline) await sleep(20)
  }
}

async function answers(port: number, timeoutMs: number, isRunning: () => boolean): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  while (isRunning() && performance.now() < deadline) {
    const chainId = await rpc<string>(`http://127.0.0.1:${port}`, 'eth_chainId').catch(() => undefined)
    if (chainId !== undefined) return Number(chainId) === SANDBOX_CHAIN_ID && isRunning()
    await sleep(25)
  }
  return false
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new StartError('No free port for the local chain.')
  return address.port
}
