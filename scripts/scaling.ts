/**
 * What a load needs, from the unit costs that the benchmarks have measured (bench/results): `npm run scaling` prints the
 * table of docs/SCALING.md, `npm run scaling -- --orders-a-day 2000000 --gwei 0.02` that of a load of your own.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'

const RESULTS = path.join(import.meta.dirname, '../bench/results')
const DAY_SECONDS = 86_400
const MONTH_DAYS = 30

/** What is assumed, not measured. */
export type Assumptions = {
  /** The busiest second against the day's average. */
  peak: number
  /** Reads of an order by its partner, for each order. */
  readsAnOrder: number
  /** Each order has two, `pending` and `completed`. */
  deliveriesAnOrder: number
  /** How much of a core is given away at the peak, so that answers stay quick. */
  busyCore: number
  /** How much of a block's gas an issuer gets into blocks that others want too. */
  shareOfBlock: number
  blockGas: number
  blockSeconds: number
  /** Price of a unit of gas. */
  gwei: number
  /** Orders whose wallet never had the coin before. */
  freshWallets: number
}

export const ASSUMPTIONS: Assumptions = {
  ...{ peak: 5, readsAnOrder: 2, deliveriesAnOrder: 2, busyCore: 0.5, shareOfBlock: 0.5 },
  ...{ blockGas: 30_000_000, blockSeconds: 2, gwei: 0.05, freshWallets: 0.1 },
}

/** Measured, of one mint unless named. */
export type Costs = {
  /** Of one API process with the database on the same two cores. */
  acceptsASecond: number
  readsASecond: number
  walBytes: number
  keptBytes: number
  monthlyBytes: number
  gasExisting: number
  gasFresh: number
}

/** Reads the unit costs from the recorded results. @throws Error that names the number that is not there */
export function readCosts(read: (name: string) => string = readResult): Costs {
  const medianOf = (name: string, column: number) => {
    const rows = [...read(name).matchAll(/^\| \d+ \|.*$/gm)].map(([row]) => cells(row)[column] ?? Number.NaN)
    return median(rows)
  }
  const one = (name: string, pattern: RegExp) => {
    const found = pattern.exec(read(name))?.[1]
    if (found === undefined) throw new Error(`bench/results/${name}.md does not have ${pattern.source}`)
    return numberOf(found)
  }
  const table = (name: string) => cells(new RegExp(`^\\| ${name} \\|.*$`, 'm').exec(read('rows'))?.[0] ?? '')
  const monthly = ['events', 'deliveries', 'delivery_attempts', 'batch_attempts', 'remembered_answers']
  return {
    acceptsASecond: medianOf('accept', 2),
    readsASecond: medianOf('read', 2),
    walBytes: one('wal', /WAL of a mint from acceptance to .completed.*: ([\d,]+)/),
    keptBytes: one('rows', /after its retention: ([\d,]+)/),
    monthlyBytes: monthly.map(table).reduce((sum, [, bytes = 0, indexes = 0]) => sum + bytes + indexes, 0),
    gasExisting: one('gas', /mint, existing wallet \| [\d,]+ \| ([\d,]+)/),
    gasFresh: one('gas', /mint, fresh wallet \| [\d,]+ \| ([\d,]+)/),
  }
}

function readResult(name: string): string {
  return readFileSync(path.join(RESULTS, `${name}.md`), 'utf8')
}

/** The cells of a table's row as numbers; words are NaN. */
function cells(row: string): number[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => numberOf(cell.trim()))
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''))
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export type Need = {
  ordersADay: number
  ordersAtPeak: number
  /** Cores of API processes with the database's part of their work. */
  cores: number
  walMegabytesAtPeak: number
  keptTerabytesAYear: number
  monthlyGigabytesAMonth: number
  /** Of the gas that the issuer gets into blocks of one chain. */
  chains: number
  deliveriesAtPeak: number
  /** In the chain's coin. */
  gasCoinADay: number
}

/** What so many orders a day need. */
export function needOf(ordersADay: number, costs: Costs, assumed: Assumptions): Need {
  const ordersAtPeak = (ordersADay / DAY_SECONDS) * assumed.peak
  const secondsAnOrder = 1 / costs.acceptsASecond + assumed.readsAnOrder / costs.readsASecond
  const gas = costs.gasExisting * (1 - assumed.freshWallets) + costs.gasFresh * assumed.freshWallets
  const ordersAChain = (assumed.blockGas * assumed.shareOfBlock) / gas / assumed.blockSeconds
  return {
    ordersADay,
    ordersAtPeak,
    cores: (2 * ordersAtPeak * secondsAnOrder) / assumed.busyCore,
    walMegabytesAtPeak: (ordersAtPeak * costs.walBytes) / 1e6,
    keptTerabytesAYear: (ordersADay * 365 * costs.keptBytes) / 1e12,
    monthlyGigabytesAMonth: (ordersADay * MONTH_DAYS * costs.monthlyBytes) / 1e9,
    chains: ordersAtPeak / ordersAChain,
    deliveriesAtPeak: ordersAtPeak * assumed.deliveriesAnOrder,
    gasCoinADay: (ordersADay * gas * assumed.gwei) / 1e9,
  }
}

/** The needs as a table in Markdown, a column for each load. */
export function describe(needs: readonly Need[]): string {
  const row = (what: string, read: (need: Need) => number) =>
    `| ${what} | ${needs.map((need) => figures(read(need))).join(' | ')} |`
  return [
    `| orders a day | ${needs.map(({ ordersADay }) => ordersADay.toLocaleString('en')).join(' | ')} |`,
    `|---|${needs.map(() => '---:').join('|')}|`,
    row('orders a second at the peak', ({ ordersAtPeak }) => ordersAtPeak),
    row('cores for accepting and reading, the database’s included', ({ cores }) => cores),
    row('write-ahead log at the peak, MB/s', ({ walMegabytesAtPeak }) => walMegabytesAtPeak),
    row('kept for ever, TB a year', ({ keptTerabytesAYear }) => keptTerabytesAYear),
    row('kept by the month and dropped, GB a month', ({ monthlyGigabytesAMonth }) => monthlyGigabytesAMonth),
    row('webhook deliveries a second at the peak', ({ deliveriesAtPeak }) => deliveriesAtPeak),
    row('chains whose blocks hold the peak', ({ chains }) => chains),
    row('gas a day, in the chain’s coin', ({ gasCoinADay }) => gasCoinADay),
  ].join('\n')
}

/** Two significant digits: more would claim to know more. */
function figures(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 6 })
}

export const LOADS = [100_000, 1_000_000, 10_000_000, 100_000_000] as const

if (import.meta.main) {
  const { values } = parseArgs({
    options: { 'orders-a-day': { type: 'string', multiple: true }, gwei: { type: 'string' }, peak: { type: 'string' } },
  })
  const loads = values['orders-a-day']?.map(Number) ?? LOADS
  const assumed = {
    ...ASSUMPTIONS,
    ...(values.gwei === undefined ? {} : { gwei: Number(values.gwei) }),
    ...(values.peak === undefined ? {} : { peak: Number(values.peak) }),
  }
  if ([...loads, assumed.gwei, assumed.peak].every((value) => value > 0 && Number.isFinite(value))) {
    console.log(describe(loads.map((load) => needOf(load, readCosts(), assumed))))
  } else {
    console.error('npm run scaling -- [--orders-a-day N]… [--gwei PRICE] [--peak FACTOR]')
    process.exitCode = 2
  }
}
