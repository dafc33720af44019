/**
 * A month of business, played day by day through the service's own doors: orders through the statements that accept them,
 * batches through settlement's tables, payouts through the rail of bank files, the bank's reports and statements as files, and
 * operators over their API. The chains and the bank are scripted, and beside them the test keeps what the books must say.
 */
import assert from 'node:assert/strict'
import { addDays } from '../../src/bank-files/day.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { formatAmount } from '../../src/money.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { sealBooks } from '../support/seal-books.ts'
import { placeOrders } from './business.ts'
import type { Settled } from './chain.ts'
import { createPayments, type Payments } from './payments.ts'
import { createStatements, type Statements } from './statements.ts'
import { stealAndExplain } from './theft.ts'
import { DAYS, FIRST_DAY, type MonthOptions, type MonthWorld } from './world.ts'

export type Month = { payments: Payments; statements: Statements; differences: readonly Difference[] }
export type Difference = { kind: string; subject: string; message: string }

const LOST_ON = 12
const FOUND_ON = 15
const STOLEN_ON = 20

/** Plays the month. After every day the books are what they must be, to the sen, and reconcile says nothing that was not planted. */
export async function playMonth(world: MonthWorld, { orders, print = () => {} }: MonthOptions): Promise<Month> {
  const payments = createPayments(world)
  const statements = createStatements(world, payments)
  const reports = new Map<string, unknown>()
  statements.open()
  let differences: readonly Difference[] = []
  for (let day = 1; day <= DAYS; day += 1) {
    const date = addDays(FIRST_DAY, day - 1)
    world.setClock(`${date}T02:00:00Z`)
    await payments.tend()
    world.bank.returnPaid()
    if (day % 3 === 0) world.bank.settlePending()
    await placeOrders(world, day, Math.floor((orders * day) / DAYS) - Math.floor((orders * (day - 1)) / DAYS))
    const minted: Settled[] = []
    for (const chain of world.chains) {
      await chain.settle((batch) => {
        payments.settled(batch)
        minted.push(
          ...batch.done.filter(({ direction, integrationId }) => direction === 'MINT' && integrationId !== REFUNDS),
        )
      })
    }
    if (day === STOLEN_ON) await stealAndExplain(world)
    if (day % 5 === 0) await payments.holdOne()
    await payments.hand()
    statements.deposit(minted, day === 7)
    if (day % 10 === 0) statements.feesAndCharges()
    world.setClock(`${date}T12:00:00Z`)
    await statements.endDay({ lost: day === LOST_ON, arrives: day === FOUND_ON })
    differences = await closeDay(world, { date, payments, statements, reports })
    print(
      `${date}: ${minted.length} mints, ${payments.cases().length} payouts to tend, ${differences.length} differences, all expected`,
    )
  }
  // What is closed stays as it was said then.
  for (const [date, report] of reports) assert.deepEqual(await world.ask('GET', `/close?date=${date}`), report)
  assert.deepEqual(world.bank.askedTwice(), [])
  return { payments, statements, differences }
}

/** Seals and closes the day, and compares everything. */
async function closeDay(
  world: MonthWorld,
  {
    date,
    payments,
    statements,
    reports,
  }: { date: string; payments: Payments; statements: Statements; reports: Map<string, unknown> },
): Promise<readonly Difference[]> {
  const { db, expected, ask } = world
  while ((await sealBooks(db, 1_000)).sealed > 0);
  await ask('POST', '/ledger/close', { through: date })
  const report = await ask('GET', `/close?date=${date}`)
  assert.equal(report.closed, true)
  reports.set(date, report)
  const flows = expected
    .endDay()
    .map((flow) =>
      Object.fromEntries(
        Object.entries(flow).map(([name, value]) => [name, typeof value === 'bigint' ? formatAmount(value) : value]),
      ),
    )
  assert.deepEqual(byOwner(report.flows), byOwner(flows), `what moved on ${date}`)
  assert.deepEqual(await balancesOf(world), expected.balances(), `the books at the end of ${date}`)
  if (statements.waiting().length === 0 && date !== addDays(FIRST_DAY, LOST_ON - 1)) {
    assert.equal(expected.balance('reserve:main'), world.bank.balanceSen() * 10_000n)
  }
  const differences = await findDifferences(world)
  const planted = [
    ...payments.cases().map(({ status, payoutId }) => `payout_${status} ${payoutId}`),
    ...(payments.held() === undefined ? [] : [`payout_held ${payments.held()}`]),
    ...statements.waiting().map((subject) => `statement_missing ${subject}`),
  ]
  assert.deepEqual(differences.map(nameOf).sort(), planted.sort(), `what differs on ${date}`)
  return differences
}

export const nameOf = ({ kind, subject }: Difference) => `${kind} ${subject}`

/** What the command `reconcile` finds. */
export async function findDifferences(world: MonthWorld): Promise<readonly Difference[]> {
  world.showChains()
  return (await world.ask('GET', '/reconcile')).differences
}

async function balancesOf({ db }: MonthWorld): Promise<Record<string, string>> {
  const balances = (await readBalances(db)).filter(({ balanceMicro }) => balanceMicro !== 0n)
  return Object.fromEntries(balances.map(({ kind, owner, balanceMicro }) => [`${kind}:${owner}`, String(balanceMicro)]))
}

function byOwner(flows: readonly Record<string, unknown>[]): Record<string, unknown> {
  return Object.fromEntries(
    flows.map(({ integrationId, chainId, ...rest }) => [`${String(integrationId)} ${String(chainId)}`, rest]),
  )
}
