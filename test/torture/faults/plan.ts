/** Seed → what happens when. Pure: the same seed and settings give the same plan. */
import type { Random } from '../../support/random.ts'
import type { FaultSpec } from './catalogue.ts'

export type PlannedFault = { atMs: number; lastsMs: number; name: string; target: string }

export type PlanSettings = {
  catalogue: readonly FaultSpec[]
  /** How long there is load. */
  loadMs: number
  /** How long everything may take to come to its end afterwards. */
  settleMs: number
  /** The average time from the beginning of one fault to the next. */
  everyMs: number
}

/**
 * Faults in the order in which they begin. None begins or ends after the load, or needs more time to recover than there
 * is.
 */
export function planFaults(random: Random, { catalogue, loadMs, settleMs, everyMs }: PlanSettings): PlannedFault[] {
  const plan: PlannedFault[] = []
  const busyUntilMs = new Map<string, number>()
  for (let atMs = gap(random, everyMs); atMs < loadMs; atMs += gap(random, everyMs)) {
    const possible = catalogue.filter(({ group, lastsMs, recoversMs }) => {
      const endMs = atMs + lastsMs[1]
      return (busyUntilMs.get(group) ?? 0) <= atMs && endMs <= loadMs && endMs + recoversMs <= loadMs + settleMs
    })
    if (possible.length === 0) continue
    const { name, group, targets, lastsMs } = random.weighted(possible)
    const planned = { atMs, lastsMs: random.between(...lastsMs), name, target: random.pick(targets) }
    busyUntilMs.set(group, atMs + planned.lastsMs)
    plan.push(planned)
  }
  return plan
}

/** Exponential, so that faults also come close together; never more than five times the average. */
function gap(random: Random, everyMs: number): number {
  return Math.round(Math.min(-Math.log(1 - random.next()), 5) * everyMs)
}
