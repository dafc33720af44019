/** The settlers of a life: those that die are followed by others, and those that sleep wake while others work. */
import { pino } from 'pino'
import { createSigner } from '../../src/chain/signer.ts'
import { keyOf } from '../settlement/fixture.ts'
import type { Random } from '../support/random.ts'
import { createProcess, type Mishap, type Process, type ProcessDeps } from './process.ts'

export type Line = { level: number; msg: string } & { [field: string]: unknown }

export const SIGNERS = [createSigner(keyOf('signer')), createSigner(keyOf('second'))]
const ERROR = 50

function requireNone(processes: readonly Process[]): void {
  const [intrusion] = processes.flatMap((each) => each.intrusions())
  if (intrusion !== undefined) throw new Error(intrusion)
}

export type Settlers = ReturnType<typeof createSettlers>

/** @param deps of each; `mishap` of the next round of one */
export function createSettlers(
  deps: Omit<ProcessDeps, 'name' | 'logger'>,
  count: number,
  { random, mishap, say }: { random: Random; mishap: () => Mishap | undefined; say: (what: string) => void },
) {
  const lines: Line[] = []
  const logger = pino({ level: 'warn' }, { write: keep })
  function keep(text: string): void {
    const { time, pid, hostname, ...line } = JSON.parse(text) as Line
    lines.push(line)
    if (line.level >= ERROR) say(`    log: ${JSON.stringify(line).slice(0, 300)}`)
  }
  let started = 0
  let hasWoken = false
  const start = (): Process => {
    started += 1
    return createProcess({ ...deps, logger, name: `settler-${started}` })
  }
  const processes = Array.from({ length: count }, start)
  let leader = ''

  async function wake(process: Process): Promise<void> {
    say(`${process.name} wakes`)
    hasWoken = true
    const others = processes.filter((each) => each !== process && !each.isAsleep())
    await Promise.all([process.wake(), ...others.map((each) => each.round())])
    requireNone(processes)
  }

  async function round(process: Process, at: number, next: Mishap | undefined): Promise<void> {
    const ended = await process.round(next)
    requireNone([process])
    if (ended === 'asleep') say(`${process.name} sleeps`)
    else if (ended instanceof Error) say(`  ${process.name}: ${ended.name} ${ended.message.slice(0, 160)}`)
    if (!process.isDead()) return
    say(`${process.name} was ${next?.what} at ${next?.at}`)
    await process.end()
    processes[at] = start()
  }

  return {
    lines,
    states: () => processes.map((each) => [each.name, each.isDead(), each.isAsleep(), each.state()]),
    /** Whether any woke since this was asked last: what it wrote then is of what it had seen before it slept. */
    wokeLately(): boolean {
      const woke = hasWoken
      hasWoken = false
      return woke
    },
    /** Whether the one that leads has done so before, and is awake. */
    areSteady(): boolean {
      const leads = processes.find((each) => each.state().leading && !each.isAsleep() && !each.isDead())
      const isNew = leads?.name !== leader
      leader = leads?.name ?? ''
      return !isNew && leader !== ''
    },
    /** @param isCalm nothing befalls them */
    async rounds(times: number, isCalm = false): Promise<void> {
      for (let turn = 0; turn < times; turn += 1) {
        for (const [at, process] of processes.entries()) {
          if (!process.isAsleep()) await round(process, at, isCalm ? undefined : mishap())
          else if (isCalm || !random.chance(0.7)) await wake(process)
        }
      }
    },
    /** Ends all, and starts others. */
    async replace(between: () => Promise<void>): Promise<void> {
      await this.end()
      await between()
      for (const at of processes.keys()) processes[at] = start()
    },
    async end(): Promise<void> {
      await Promise.all(processes.map((each) => each.end()))
    },
  }
}
