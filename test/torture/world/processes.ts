/** The real program in several processes, each started again when it ends, as a service manager would. */
import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type GuardedProcess, startGuarded } from '../../support/guarded-process.ts'
import { freePort } from '../../support/ports.ts'
import { atLeast, waitFor } from '../../support/wait-for.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const RESTART_MS = 500
/** How long the program gives itself to stop; and how long it is waited for. */
export const STOPPED_WITHIN_MS = Math.min(atLeast(25_000), 600_000)
const STOP_MS = STOPPED_WITHIN_MS + 5_000

/** Name → COIN_ROLES: what a run of torture starts. */
export const ROLES: Readonly<Record<string, string>> = {
  'api-1': 'api,operator',
  'api-2': 'api',
  'settler-1': 'settler',
  'settler-2': 'settler',
  payer: 'payer',
  courier: 'courier',
}

export type Processes = {
  /** The addresses of the API processes, whether they are up or down. */
  apiUrls: readonly string[]
  /** The address at which the process `api-1` answers operators. */
  operatorOrigin: string
  /** Stops a process with a signal; it stays down until `start`. */
  stop(name: string, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
  start(name: string): void
  /** Whether it has started and answers, as far as is known. */
  serves(name: string): boolean
  /** Freezes a process, or lets it continue. */
  signal(name: string, signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves when every process serves. */
  allServe(): Promise<void>
  /** Stops all of them properly. */
  stopAll(): Promise<{ name: string; code: number | null }[]>
  /** Processes that ended by themselves after they had served, with their last words. */
  deaths: string[]
  /** Lines of level fatal in all logs, and those of a database user who may not do what the process does. */
  fatals(): string[]
}

type State = {
  name: string
  env: Record<string, string>
  log: string
  operatorOrigin: string
  wanted: boolean
  serves: boolean
  current: GuardedProcess | undefined
  loop: Promise<void> | undefined
}

/**
 * Starts all processes without waiting for them; see `allServe`.
 * @param roles name → COIN_ROLES; one of them is `api-1`
 * @param databaseUrlOf the address at which a process with these roles finds the database
 */
export async function startProcesses(
  env: Record<string, string>,
  folder: string,
  databaseUrlOf: (roles: string) => string,
  roles: Readonly<Record<string, string>> = ROLES,
): Promise<Processes> {
  const deaths: string[] = []
  const states = new Map<string, State>()
  for (const [name, role] of Object.entries(roles)) {
    states.set(name, await prepare(name, { ...env, DATABASE_URL: databaseUrlOf(role), COIN_ROLES: role }, folder))
  }
  const stateOf = (name: string): State => {
    const state = states.get(name)
    if (state === undefined) throw new Error(`there is no process ${name}`)
    return state
  }
  for (const state of states.values()) run(state, deaths)
  return {
    apiUrls: [...states.values()]
      .filter(({ env: { COIN_ROLES } }) => COIN_ROLES?.split(',').includes('api'))
      .map(({ env: { PORT } }) => `http://127.0.0.1:${PORT}`),
    operatorOrigin: stateOf('api-1').operatorOrigin,
    async stop(name, signal) {
      const state = stateOf(name)
      state.wanted = false
      state.serves = false
      await state.current?.end(signal, STOP_MS)
    },
    start: (name) => run(stateOf(name), deaths),
    serves: (name) => stateOf(name).serves,
    signal(name, signal) {
      const { current } = stateOf(name)
      if (current?.running() === true) process.kill(current.pid, signal)
    },
    async allServe() {
      await Promise.all(
        [...states.values()].map((state) =>
          waitFor(`${state.name} to serve (log ${state.log})`, () => state.serves, {
            timeoutMs: atLeast(60_000),
            everyMs: 50,
          }),
        ),
      )
    },
    async stopAll() {
      return await Promise.all(
        [...states.values()].map(async (state) => {
          state.wanted = false
          await state.current?.end('SIGTERM', STOP_MS)
          return { name: state.name, code: (await state.current?.exited) ?? null }
        }),
      )
    },
    deaths,
    fatals: () => [...states.values()].flatMap(({ log }) => fatalLines(log)),
  }
}

async function prepare(name: string, env: Record<string, string>, folder: string): Promise<State> {
  const dataDir = path.join(folder, name)
  mkdirSync(dataDir, { recursive: true })
  const operatorPort = String(await freePort())
  return {
    name,
    env: {
      ...env,
      PORT: String(await freePort()),
      OPERATOR_PORT: operatorPort,
      DATA_DIR: dataDir,
    },
    log: path.join(folder, `${name}.log`),
    operatorOrigin: `http://127.0.0.1:${operatorPort}`,
    wanted: false,
    serves: false,
    current: undefined,
    loop: undefined,
  }
}

function run(state: State, deaths: string[]): void {
  state.wanted = true
  state.loop = (state.loop ?? Promise.resolve()).then(async () => {
    while (state.wanted) {
      await runOnce(state, deaths)
      if (state.wanted) await sleep(RESTART_MS)
    }
  })
}

/** One life of a process. An end before it served is no death: it may refuse to start while the database is away. */
async function runOnce(state: State, deaths: string[]): Promise<void> {
  const begin = sizeOf(state.log)
  const current = await startGuarded(process.execPath, [path.join(ROOT, 'src/main.ts')], {
    env: state.env,
    cwd: ROOT,
    outputFile: state.log,
  })
  state.current = current
  void watchStart(state, current)
  const code = await current.exited
  const died = state.serves && state.wanted
  state.serves = false
  appendFileSync(state.log, `--- ended with code ${code}${state.wanted ? '' : ', as told'}\n`)
  if (died) deaths.push(`${state.name} ended with ${code}: ${readFileSync(state.log, 'utf8').slice(begin).slice(-600)}`)
}

async function watchStart(state: State, current: GuardedProcess): Promise<void> {
  while (current.running()) {
    const isUp = await fetch(`${state.operatorOrigin}/livez`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp && current.running()) {
      state.serves = true
      return
    }
    await sleep(100)
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

function fatalLines(log: string): string[] {
  if (sizeOf(log) === 0) return []
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => /"level":"?(fatal|60)"?|permission denied for|must be owner of/.test(line))
    .map((line) => `${path.basename(log, '.log')}: ${line.slice(0, 500)}`)
}
