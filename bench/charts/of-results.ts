/** The charts of the recorded results; one whose numbers are not there is not drawn. Pure. */
import { GOALS, type GoalName, goalOf } from '../goals.ts'
import type { Outcome } from '../support/outcome.ts'
import { round } from '../support/report.ts'
import { barChart } from './bars.ts'
import { lineChart } from './lines.ts'
import type { Point } from './svg.ts'

export type Chart = { file: string; title: string; description: string; svg: string }
type Outcomes = ReadonlyMap<string, Outcome>
type Drawn = Omit<Chart, 'svg'> & { draw(): string }

/** All charts that the results have the numbers for. */
export function chartsOf(outcomes: Outcomes): Chart[] {
  return [goals(outcomes), cpu(outcomes), latency(outcomes), log(outcomes), memory(outcomes)]
    .filter((chart) => chart !== undefined)
    .map(({ draw, ...chart }) => ({ ...chart, svg: draw() }))
}

/** Longer bars are better: what is measured as a share of the goal, or the goal as a share of it. */
function goals(outcomes: Outcomes): Drawn | undefined {
  const bars = (Object.keys(GOALS) as GoalName[]).flatMap((name) => {
    const { bench, short, bound, atLeast } = goalOf(name)
    const measured = outcomes.get(bench)?.measured[name]
    if (measured === undefined || measured === null) return []
    const share = atLeast ? measured / bound : bound / measured
    return [{ label: short, parts: [share], shown: `${round(measured)} (${atLeast ? '≥' : '≤'} ${round(bound)})` }]
  })
  const title = 'How near each number is to its goal'
  const description = bars.map(({ label, shown }) => `${label}: ${shown}`).join('; ')
  const marker = { value: 1, label: 'goal' }
  const format = (value: number) => `${Math.round(value * 100)} %`
  const draw = () => barChart({ title, description, series: ['share'], bars, marker, most: 2, format })
  return bars.length === 0 ? undefined : { file: 'goals.svg', title, description, draw }
}

function cpu(outcomes: Outcomes): Drawn | undefined {
  const [accept, read] = [outcomes.get('accept')?.numbers, outcomes.get('read')?.numbers]
  if (accept === undefined || read === undefined) return undefined
  const bars = [
    { label: 'a mint is accepted', parts: [accept.apiUs, accept.postgresUs] },
    { label: 'a row is inserted by pgbench', parts: [0, accept.insertUs] },
    { label: 'an order is read', parts: [read.apiUs, read.postgresUs] },
    { label: 'a constant is answered', parts: [read.constantUs, 0] },
  ].map(({ label, parts }) => ({ label, parts: parts.map(orZero) }))
  const title = 'Processor time of a request, µs'
  const description = bars.map(({ label, parts }) => `${label}: ${parts.map(round).join(' + ')}`).join('; ')
  const series = ['API process', 'PostgreSQL']
  return {
    file: 'cpu.svg',
    title,
    description,
    draw: () => barChart({ title, description, series, bars, format: round }),
  }
}

function latency(outcomes: Outcomes): Drawn | undefined {
  const bars = (['accept', 'read'] as const).flatMap((name) => {
    const found = outcomes.get(name)?.numbers
    const what = name === 'accept' ? 'mint' : 'read'
    const bar = (label: string, value: number | undefined) => ({ label: `${what}, ${label}`, parts: [orZero(value)] })
    return found === undefined
      ? []
      : [
          bar('half of the rate, p50', found.halfP50Ms),
          bar('half of the rate, p99', found.halfP99Ms),
          bar('as many as go, p50', found.p50Ms),
          bar('as many as go, p99', found.p99Ms),
        ]
  })
  const title = 'How long an answer takes, ms'
  const description = bars.map(({ label, parts }) => `${label}: ${parts.map(round).join()}`).join('; ')
  const draw = () => barChart({ title, description, series: ['ms'], bars, format: round })
  return bars.length === 0 ? undefined : { file: 'latency.svg', title, description, draw }
}

function log(outcomes: Outcomes): Drawn | undefined {
  const found = outcomes.get('wal')?.numbers
  if (found === undefined) return undefined
  const { bound } = goalOf('wal')
  const parts = [orZero(found.accepted), orZero(found.settled)]
  const title = 'What a mint writes to the write-ahead log, bytes'
  const description = `Accepted ${parts.map(round).join(', settled ')}; goal at most ${round(bound)}`
  const bars = [{ label: 'a mint with one endpoint', parts }]
  const marker = { value: bound, label: 'goal' }
  const series = ['accepted', 'settled and completed']
  return {
    file: 'wal.svg',
    title,
    description,
    draw: () => barChart({ title, description, series, bars, marker, format: round }),
  }
}

function memory(outcomes: Outcomes): Drawn | undefined {
  const rows = outcomes.get('memory')?.rows ?? []
  const points = rows.flatMap(([orders, resident]): Point[] =>
    typeof orders === 'number' && typeof resident === 'number' ? [[orders, resident]] : [],
  )
  if (points.length < 2) return undefined
  const { bound } = goalOf('memory')
  const title = 'Memory of the API process, MB'
  const [orders, megabytes] = points.at(-1) ?? [0, 0]
  const description = `${round(megabytes)} MB after ${round(orders)} orders; goal at most ${bound} MB`
  const axes = { x: 'orders accepted', y: 'resident MB' }
  const marker = { value: bound, label: 'goal' }
  return {
    file: 'memory.svg',
    title,
    description,
    draw: () => lineChart({ title, description, axes, points, marker, format: round }),
  }
}

/** A number that an older result does not have. */
function orZero(value: number | undefined | null): number {
  return value ?? 0
}
