/**
 * The newcomer's path, timed: what is committed, cloned into an empty folder and installed with an empty npm cache by the machine's
 * own Node, started, and the README's first mint as it is pasted from there, until the order is completed.
 */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { endChain, readmeCommands } from '../test/sandbox/sandbox-process.ts'
import { startGuarded } from '../test/support/guarded-process.ts'
import { freePort } from '../test/support/ports.ts'
import { temporaryFolder } from '../test/support/temp.ts'
import { newcomersEnvironment, type Running, runCommand, startCommand } from './support/newcomer.ts'
import { currentLoad, publish, round } from './support/report.ts'

const ROOT = path.join(import.meta.dirname, '..')
const LONG_MS = 600_000
const START_MS = 180_000
/** A warning that is about the settings of this machine's user. */
const OF_THE_USER = /user config/

const { values } = parseArgs({ options: { load: { type: 'string', multiple: true, default: ['0'] } } })
const loads = values.load.map(Number)
const loadBefore = currentLoad()

type Walk = { node: string; steps: Map<string, number>; firstHealthy: number; loadAfter: number }

/** The whole path, beside so many processes that never rest. */
async function walkBeside(busy: number): Promise<Walk> {
  const others = await Promise.all(
    Array.from({ length: busy }, () => startGuarded(process.execPath, ['-e', 'for (;;);'])),
  )
  try {
    return await walk()
  } finally {
    await Promise.all(others.map((other) => other.end('SIGKILL')))
  }
}

async function walk(): Promise<Walk> {
  const home = temporaryFolder('newcomer')
  const cwd = path.join(home, 'project')
  const [port, operatorPort] = [await freePort(), await freePort()]
  const npmEnv = newcomersEnvironment(path.join(home, 'npm-cache'))
  const env = { ...npmEnv, PORT: String(port), OPERATOR_PORT: String(operatorPort) }
  const steps = new Map<string, number>()
  const timed = async <T>(step: string, work: Promise<T>): Promise<T> => {
    const startedMs = performance.now()
    const result = await work
    steps.set(step, (performance.now() - startedMs) / 1000)
    return result
  }
  const run = (command: string, args: readonly string[], place = cwd) =>
    runCommand(command, args, { cwd: place, env, timeoutMs: LONG_MS })
  const node = (await run('node', ['--version'], home)).trim()
  await timed('`git clone`', run('git', ['clone', '--quiet', '--no-local', ROOT, cwd], home))
  const installing = await timed('`npm ci`', run('npm', ['ci']))
  const warnings = installing.split('\n').filter((line) => /^npm warn/i.test(line) && !OF_THE_USER.test(line))
  if (warnings.length > 0) throw new Error(`npm ci warns: ${warnings.join('\n')}`)

  const origin = `http://127.0.0.1:${port}`
  const first = startCommand('npm', ['start'], { cwd, env })
  try {
    const healthy = timed('`npm start` until `/v1/health` answers 200', whenHealthy(first, origin))
    await timed('`npm start` until it says what it is doing', whenItSays(first, 'Loading the program'))
    await healthy
    await whenItSays(first, 'paste this into another terminal')
    const commands = readmeCommands('## A first mint').replaceAll('http://127.0.0.1:4000', origin)
    const printed = await timed("the README's first mint until it is completed", run('bash', ['-euc', commands]))
    if (!/"status":"completed"/.test(printed) || !/"balance":"10250\.5"/.test(printed)) throw new Error(printed)
    await timed('Ctrl-C', first.interrupt())
    const second = startCommand('npm', ['start'], { cwd, env })
    try {
      await timed('the second `npm start` until `/v1/health` answers 200', whenHealthy(second, origin))
    } finally {
      await second.interrupt()
    }
  } finally {
    await first.interrupt()
    endChain(path.join(cwd, '.data'))
  }
  const firstHealthy = steps.get('`npm start` until `/v1/health` answers 200') ?? Number.NaN
  return { node, steps, firstHealthy, loadAfter: currentLoad() }
}

async function whenItSays(service: Running, text: string): Promise<void> {
  await until(service, async () => service.output().includes(text))
}

async function whenHealthy(service: Running, origin: string): Promise<void> {
  await until(service, async () => {
    const answer = await fetch(`${origin}/v1/health`).catch(() => undefined)
    await answer?.text()
    return answer?.status === 200
  })
}

async function until(service: Running, isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + START_MS
  while (!(await isSo())) {
    if (!service.running() || performance.now() > deadlineMs) throw new Error(`It did not start: ${service.output()}`)
    await sleep(20)
  }
}

const walks: Walk[] = []
for (const busy of loads) walks.push(await walkBeside(busy))
const steps = [...(walks[0]?.steps.keys() ?? [])]
const total = ({ steps }: Walk) =>
  [...steps].filter(([step]) => !/second|Ctrl-C|says what/.test(step)).reduce((sum, [, seconds]) => sum + seconds, 0)
publish({
  name: 'newcomer',
  command: 'npm run newcomer',
  title: 'From clone to the first completed mint',
  method: `What is committed, cloned into an empty folder and installed with an empty npm cache by the machine's own Node (${walks[0]?.node}); then
the README's commands as they stand there, but for the port. Seconds of each step, beside so many processes that never rest. \`npm ci\`
printed no warning.`,
  rows: [
    ['step', ...loads.map((busy) => `${busy} busy processes`)],
    ...steps.map((step) => [step, ...walks.map((one) => round(one.steps.get(step) ?? Number.NaN))]),
    ['**clone to first completed mint**', ...walks.map((one) => `**${round(total(one))}**`)],
    ['load average (1 min) at the end', ...walks.map((one) => round(one.loadAfter))],
  ],
  goal: {
    what: 'seconds from the first `npm start` to healthy, the longest',
    measured: Math.max(...walks.map(({ firstHealthy }) => firstHealthy)),
    bound: 30,
    atLeast: false,
  },
  loadBefore,
})
process.exit()
