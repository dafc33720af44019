/** Puts load on a server of this machine, from a process of its own. */
import { spawn } from 'node:child_process'
import path from 'node:path'

export type LoadJob = {
  port: number
  connections: number
  warmUpSeconds: number
  seconds: number
  apiKey: string
  /** Paths to read at random, unless `mint` is given. */
  paths: readonly string[]
  /** The body of new mints, without its reference. */
  mint?: Readonly<Record<string, unknown>>
  /** Requests a second, at random instants; without it each connection sends its next one when the last is answered. */
  rate?: number
}

export type Load = {
  /** All answers, those of the warm-up included: what the server's processor time was taken for. */
  answered: number
  perSecond: number
  /** Answers by status. */
  statuses: Record<string, number>
  p50Ms: number
  p99Ms: number
  /** The length of the body of one answer. */
  bytes: number
}

/** Runs a job to its end. @throws Error when any answer has another status than `status` */
export async function applyLoad(job: LoadJob, status: number): Promise<Load> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'load-process.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(JSON.stringify(job))
  const output = (await child.stdout.toArray()).join('')
  if (output === '') throw new Error('the load generator failed')
  const load = JSON.parse(output) as Load
  if (Object.keys(load.statuses).some((seen) => seen !== String(status))) {
    throw new Error(`answers other than ${status}: ${JSON.stringify(load.statuses)}`)
  }
  return load
}
