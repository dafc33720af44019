/** One run: the real program in several processes under load and faults, then rest, then the verdict. */
import { appendFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../support/random.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import type { FaultSpec } from './faults/catalogue.ts'
import { begin } from './faults/inject.ts'
import { type PlannedFault, planFaults } from './faults/plan.ts'
import { gather } from './gather.ts'
import { isAcknowledged } from './judge/cases.ts'
import type { Evidence, Violation } from './judge/evidence.ts'
import { judge } from './judge/judge.ts'
import { createLoad, type Load } from './load/load.ts'
import { watchMoments } from './moments.ts'
import { progressLine, type Summary, summarise } from './report.ts'
import { mend, settle } from './settle.ts'
import { startWorld, type World } from './world/world.ts'

export type TortureSettings = {
  seed: string
  loadMs: number
  /** The load goes on after its time until so many orders of each direction have been accepted: a busy machine needs longer. */
  leastAccepted?: number
  /** How long after the load everything should have ended; faults are planned so that it can. */
  settleMs: number
  /** When the wait for that is given up. */
  settleLimitMs: number
  clients: number
  /** The average time from the beginning of one fault to the next. */
  faultEveryMs: number
  catalogue: readonly FaultSpec[]
  /** Where logs, decisions and, after a violation, the evidence are kept. */
  folder: string
  print: (line: string) => void
}

export type TortureResult = { summary: Summary; violations: Violation[] }

const PROGRESS_MS = 5_000
/** Anything still on its way when everything was decided would show on chain within this time. */
const REST_MS = 2_500
/** For how much longer than planned a load may go on. */
const GO_ON_MS = atLeast(90_000)

export async function runTorture(settings: TortureSettings): Promise<TortureResult> {
  const { seed, loadMs, settleMs, settleLimitMs, clients, folder, print } = settings
  const random = createRandom(seed)
  const plan = planFaults(random.fork('faults'), { ...settings, loadMs, settleMs, everyMs: settings.faultEveryMs })
  const startedMs = performance.now()
  const world = await startWorld(random, folder, (part) =>
    print(`[${seconds(startedMs).toFixed(1).padStart(6)} s] ${part}`),
  )
  try {
    const decisions = path.join(folder, 'decisions.log')
    writeFileSync(decisions, `seed ${seed}\n${plan.map(describePlanned).join('\n')}\n`)
    const say = (decision: string) => appendFileSync(decisions, `${decision}\n`)
    const load = createLoad(world.parties, random.fork('load'), { clients, servers: world.processes.apiUrls, say })
    await load.open()
    world.chain.endSetup()
    print(
      `[${seconds(startedMs).toFixed(1).padStart(6)} s] opening balances; load for ${loadMs / 1000} s, ${plan.length} faults planned`,
    )
    const watched = watchMoments(world.database.query)
    load.begin()
    const beganMs = performance.now()
    const made: PlannedFault[] = []
    const progress = setInterval(() => print(progressLine(load, seconds(beganMs), made.length)), PROGRESS_MS)
    const faults = injectAll(world, plan, random, {
      begins: (fault) => print(`[${seconds(beganMs).toFixed(1).padStart(6)} s] fault: ${describePlanned(fault)}`),
      made: (fault) => made.push(fault),
    })
    await sleep(loadMs)
    await goOnUntil(load, settings.leastAccepted ?? 0)
    load.end()
    await faults
    clearInterval(progress)
    print(progressLine(load, seconds(beganMs), made.length))
    const settlingMs = performance.now()
    await mend(world)
    const unsettled = await settle(world, load, settleLimitMs)
    print(
      `settled in ${seconds(settlingMs).toFixed(1)} s${unsettled.length === 0 ? '' : `, not: ${unsettled.join(', ')}`}`,
    )
    load.giveUp()
    await load.ended()
    await sleep(REST_MS)
    const moments = await watched()
    const evidence = await gather(world, load, { unsettled, frozenWallets: frozenBy(world, plan), moments })
    const violations = judge(evidence)
    if (violations.length > 0) keep(folder, evidence)
    const { endedAtMs } = world.receiver
    return {
      summary: summarise(evidence, violations, { seed, seconds: seconds(startedMs), faults: made, endedAtMs }),
      violations,
    }
  } finally {
    await world.stop()
  }
}

/** Waits until the load has brought about what a run needs in order to prove something, or for so long that it never will. */
async function goOnUntil(load: Load, least: number): Promise<void> {
  const isEnough = () => {
    const accepted = new Set(
      load.attempts
        .filter((attempt) => attempt.purpose === 'create' && isAcknowledged(attempt))
        .map(({ reference }) => reference),
    )
    const counts = Map.groupBy(
      load.intents.filter(({ reference }) => accepted.has(reference)),
      ({ direction }) => direction,
    )
    return (['MINT', 'REDEEM', 'TRANSFER'] as const).every((direction) => (counts.get(direction)?.length ?? 0) >= least)
  }
  await waitFor(`${least} accepted orders of each direction`, isEnough, { timeoutMs: GO_ON_MS, everyMs: 200 })
}

/**
 * Makes each fault in its time; resolves when the last one has ended. A fault that cannot be made is left out and
 * reported.
 */
async function injectAll(
  world: World,
  plan: readonly PlannedFault[],
  random: Random,
  tell: { begins(fault: PlannedFault): void; made(fault: PlannedFault): void },
): Promise<void> {
  await Promise.all(
    plan.map(async (fault) => {
      await sleep(fault.atMs)
      tell.begins(fault)
      try {
        const end = await begin(world, fault, random.fork(`fault-${fault.atMs}`))
        tell.made(fault)
        await sleep(fault.lastsMs)
        await end()
      } catch (error) {
        tell.begins({ ...fault, name: `not made: ${fault.name}`, target: `${fault.target}: ${String(error)}` })
      }
    }),
  )
}

/** The plan decides, because a freeze that was reported as not made may have been made. */
function frozenBy({ parties }: World, plan: readonly PlannedFault[]): Set<string> {
  const wallets = parties.integrations.flatMap(({ customers }) => customers.map(({ wallet }) => wallet.toLowerCase()))
  return new Set(
    plan.filter(({ name }) => name === 'wallet frozen').map(({ target }) => wallets[Number.parseInt(target, 10)] ?? ''),
  )
}

function describePlanned({ atMs, name, target, lastsMs }: PlannedFault): string {
  return `at ${(atMs / 1000).toFixed(2)} s: ${name} (${target})${lastsMs === 0 ? '' : ` for ${(lastsMs / 1000).toFixed(2)} s`}`
}

function keep(folder: string, evidence: Evidence): void {
  const plain = (_key: string, value: unknown) => {
    if (typeof value === 'bigint') return String(value)
    if (value instanceof Map) return Object.fromEntries(value)
    return value instanceof Set ? [...value] : value
  }
  writeFileSync(path.join(folder, 'evidence.json'), JSON.stringify(evidence, plain, 1))
}

function seconds(sinceMs: number): number {
  return (performance.now() - sinceMs) / 1000
}
