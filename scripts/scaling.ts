/**
 * What a load needs, from the unit costs that the benchmarks have measured (bench/results): `npm run scaling` prints the
 * table of docs/SCALING.md, `npm run scaling -- --write` puts it there, and `npm run scaling -- --orders-a-day 2000000 --gwei 0.02`
 * prints that of a load of your own.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type Outcome, readOutcome } from '../bench/support/outcome.ts'

const DOCUMENT = path.join(import.meta.dirname, '../docs/SCALING.md')
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
  peak: 5,
  readsAnOrder: 2,
  deliveriesAnOrder: 2,
  busyCore: 0.5,
  shareOfBlock: 0.5,
  blockGas: 30_000_000,
  blockSeconds: 2,
  gwei: 0.05,
  freshWallets: 0.1,
}

/** Measured, of one mint unless named. */
export type Costs = {
  /** Processor time in µs of one, in the process that does it and in PostgreSQL. */
  acceptUs: number
  readUs: number
  deliveryUs: number
  walBytes: number
  keptBytes: number
  monthlyBytes: number
  gasExisting: number
  gasFresh: number
}

type Found = Pick<Outcome, 'measured' | 'numbers'>

/** Reads the unit costs from the recorded results. @throws Error that names the number that is not there */
export function readCosts(read: (name: string) => Found | undefined = (name) => readOutcome(name)): Costs {
  const number = (name: string, key: string) => {
    const found = read(name)
    const value = found?.numbers[key] ?? (found?.measured as Readonly<Record<string, number>> | undefined)?.[key]
    if (typeof value !== 'number') throw new Error(`bench/results/${name}.json does not have ${key}`)
    return value
  }
  return {
    acceptUs: number('accept', 'apiUs') + number('accept', 'postgresUs'),
    readUs: number('read', 'apiUs') + number('read', 'postgresUs'),
    deliveryUs: number('webhooks', 'courierUs') + number('webhooks', 'postgresUs'),
    walBytes: number('wal', 'wal'),
    keptBytes: number('rows', 'kept'),
    monthlyBytes: number('rows', 'monthly'),
    gasExisting: number('gas', 'existing'),
    gasFresh: number('gas', 'fresh'),
  }
}

export type Need = {
  ordersADay: number
  ordersAtPeak: number
  /** Cores of API processes and couriers with the database's part of their work. */
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
  const { readsAnOrder, deliveriesAnOrder } = assumed
  const usAnOrder = costs.acceptUs + readsAnOrder * costs.readUs + deliveriesAnOrder * costs.deliveryUs
  const gas = costs.gasExisting * (1 - assumed.freshWallets) + costs.gasFresh * assumed.freshWallets
  const ordersAChain = (assumed.blockGas * assumed.shareOfBlock) / gas / assumed.blockSeconds
  return {
    ordersADay,
    ordersAtPeak,
    cores: (ordersAtPeak * usAnOrder) / 1e6 / assumed.busyCore,
    walMegabytesAtPeak: (ordersAtPeak * costs.walBytes) / 1e6,
    keptTerabytesAYear: (ordersADay * 365 * costs.keptBytes) / 1e12,
    monthlyGigabytesAMonth: (ordersADay * MONTH_DAYS * costs.monthlyBytes) / 1e9,
    chains: ordersAtPeak / ordersAChain,
    deliveriesAtPeak: ordersAtPeak * deliveriesAnOrder,
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
    row('cores for accepting, reading and delivering, the database’s included', ({ cores }) => cores),
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

const MARKED = /(<!-- scaling: .*-->\n\n)[\s\S]*?(\n\n<!-- end of scaling -->)/

/** The document with another table. */
export function withTable(document: string, table: string): string {
  return document.replace(MARKED, (_found, before: string, after: string) => `${before}${table}${after}`)
}

/** The table that a document shows. */
export function tableIn(document: string): string | undefined {
  return MARKED.exec(document)?.[0].split('\n\n')[1]
}

export const LOADS = [100_000, 1_000_000, 10_000_000, 100_000_000] as const

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      write: { type: 'boolean', default: false },
      'orders-a-day': { type: 'string', multiple: true },
      gwei: { type: 'string' },
      peak: { type: 'string' },
    },
  })
  const loads = values['orders-a-day']?.map(Number) ?? LOADS
  const assumed = {
    ...ASSUMPTIONS,
    ...(values.gwei === undefined ? {} : { gwei: Number(values.gwei) }),
    ...(values.peak === undefined ? {} : { peak: Number(values.peak) }),
  }
  if ([...loads, assumed.gwei, assumed.peak].every((value) => value > 0 && Number.isFinite(value))) {
    const table = describe(loads.map((load) => needOf(load, readCosts(), assumed)))
    if (values.write) writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), table))
    console.log(table)
  } else {
    console.error('npm run scaling -- [--write] [--orders-a-day N]… [--gwei PRICE] [--peak FACTOR]')
    process.exitCode = 2
  }
}
