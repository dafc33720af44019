/** Runs benchmarks one after another, each in a process of its own, and says how far it is. One that fails stops no other. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Outcome, readOutcome } from '../support/outcome.ts'
import type { Chosen } from './plan.ts'

/** One that takes so many times longer than it should, and half an hour, hangs. */
const PATIENCE = 5
const LEAST_PATIENCE_SECONDS = 1_800

/** A round that is over, or a goal with its number. */
const TELLING = /^\w+ [\d.]+ of [\d.]+: |^\*\*/
/** How often it says that it still works. */
const HEARTBEAT_MS = 30_000

export type Ran = { name: string; outcome: Outcome } | { name: string; failure: string }

/** @param folder where results are written */
export async function runAll(chosen: readonly Chosen[], folder: string, say: (line: string) => void): Promise<Ran[]> {
  const ran: Ran[] = []
  for (const [index, one] of chosen.entries()) {
    const after = chosen.slice(index + 1).reduce((sum, { seconds }) => sum + seconds, 0)
    const began = performance.now()
    const where = (): string => {
      const left = after + Math.max(0, one.seconds - (performance.now() - began) / 1_000)
      return `[${index + 1}/${chosen.length} ${one.name}, ${timeLeft(left)}]`
    }
    say(`${where()} begins`)
    const result = await runOne(one, folder, (line) => say(`${where()} ${line}`))
    ran.push(result)
    say(`${where()} ${'failure' in result ? `FAILED: ${result.failure}` : 'is measured'}`)
  }
  return ran
}

/** `about 12 min left`. */
export function timeLeft(seconds: number): string {
  return seconds < 60 ? 'less than a minute left' : `about ${Math.round(seconds / 60)} min left`
}

async function runOne({ name, args, seconds }: Chosen, folder: string, say: (line: string) => void): Promise<Ran> {
  const before = readOutcome(name, folder)?.at
  const child = spawn(process.execPath, [path.join(import.meta.dirname, `../${name}.ts`), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BENCH_RESULTS: folder },
  })
  const stopWithUs = () => child.kill('SIGTERM')
  process.once('exit', stopWithUs)
  const limitSeconds = Math.max(LEAST_PATIENCE_SECONDS, PATIENCE * seconds)
  const timer = setTimeout(() => child.kill('SIGKILL'), limitSeconds * 1_000)
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000)
  })
  let last = ''
  createInterface({ input: child.stdout }).on('line', (text) => {
    if (TELLING.test(text)) say(text)
    else last = text
  })
  const heartbeat = setInterval(() => say(last === '' ? '…' : `… ${last}`), HEARTBEAT_MS)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(timer)
  clearInterval(heartbeat)
  process.off('exit', stopWithUs)
  const outcome = readOutcome(name, folder)
  if (outcome === undefined || outcome.at === before) {
    const how = signal === null ? `it ended with ${code}` : `it was ended by ${signal} (limit ${limitSeconds} s)`
    return { name, failure: `${how} and published nothing. ${errors.trim()}` }
  }
  const isMissed = outcome.goals.some(({ reached }) => !reached)
  if (code === 0 || (code === 1 && isMissed)) return { name, outcome }
  return { name, failure: `it published its numbers and ended with ${code ?? signal}. ${errors.trim()}` }
}
