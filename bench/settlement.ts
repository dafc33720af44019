/**
 * One settler process with several chains at once, a second one standing by: how many orders of all kinds it gets into each block,
 * compared with what the block's gas allows; what an order costs in processor time; how long a single one takes; and how soon the
 * second settler takes over when the first is killed.
 *
 *   npm run bench -- settlement [--orders 20000, of each chain] [--chains 3] [--seconds 6, between blocks]
 */
import { parseArgs } from 'node:util'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { seedParties } from '../test/settlement/fixture.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { cpuUsOf, cpuUsOfFamily, metered } from './support/cpu.ts'
import { currentLoad, publish, round } from './support/report.ts'
import { fillOf, timeSingles } from './support/settling/blocks.ts'
import { BLOCK_GAS, CONFIRMATIONS, keepTime, startChains } from './support/settling/chains.ts'
import { addFunds, addOrders, countOpen, requireSupply } from './support/settling/orders.ts'
import { startSettlerProcess, untilLeads } from './support/settling/processes.ts'

const { values } = parseArgs({
  options: {
    // Ten thousand would leave two full blocks of each chain.
    orders: { type: 'string', default: '20000' },
    chains: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
  },
})
const [orders, count, seconds] = [Number(values.orders), Number(values.chains), Number(values.seconds)]
const SINGLES = 3
const WAIT = { timeoutMs: 1_800_000, everyMs: 200 }

const loadBefore = currentLoad()
const server = await startPostgresServer()
const db = await openPostgres({ url: server.url, poolSize: 6, statementTimeoutMs: 600_000 })
await migrate(db)
await seedParties(db)
const chains = await startChains(db, count)
const first = await startSettlerProcess(server.url, chains)
await untilLeads(db, first.pid, chains)
const second = await startSettlerProcess(server.url, chains)
const settled = () => waitFor('all orders to be settled', async () => (await countOpen(db, chains)) === 0, WAIT)
try {
  // Coin for the debits, and code that is warm.
  await keepTime(chains, seconds)
  for (const chain of chains) await addFunds(db, chain)
  await settled()
  for (const chain of chains) await addOrders(db, chain, 'warm', Math.min(orders, 1_000))
  await settled()
  const heads = await Promise.all(chains.map(async ({ ask }) => BigInt((await ask('eth_blockNumber')) as string)))

  const meters = {
    settler: () => cpuUsOf(first.pid),
    standby: () => cpuUsOf(second.pid),
    postgres: () => cpuUsOfFamily(server.pid),
    chains: () => chains.reduce((sum, { anvil }) => sum + cpuUsOf(anvil.pid), 0),
  }
  const began = performance.now()
  const { cpuUs } = await metered(meters, async () => {
    await Promise.all(chains.map((chain) => addOrders(db, chain, 'load', orders)))
    await settled()
  })
  const loadMs = performance.now() - began
  const fills = await Promise.all(chains.map((chain, index) => fillOf(db, chain, heads[index] ?? 0n)))
  const singles = (await Promise.all(chains.map((chain) => timeSingles(db, chain, SINGLES, seconds)))).flat()

  for (const chain of chains) await addOrders(db, chain, 'last', Math.min(orders, 1_000))
  await waitFor(
    'a batch under way',
    async () => (await db.query(`select from batches where status = 'signed'`)).length > 0,
    WAIT,
  )
  await first.end('SIGKILL')
  const takeOverMs = await untilLeads(db, second.pid, chains)
  await settled()
  for (const chain of chains) await requireSupply(db, chain)
  report({ fills, singles, cpuUs, loadMs, takeOverMs })
} finally {
  await first.end('SIGTERM', 30_000)
  await second.end('SIGTERM', 30_000)
  await db.close()
  await Promise.all(chains.map(({ anvil }) => anvil.stop()))
  await server.stop()
}

type Found = {
  fills: Awaited<ReturnType<typeof fillOf>>[]
  singles: number[]
  cpuUs: Record<'settler' | 'standby' | 'postgres' | 'chains', number>
  loadMs: number
  takeOverMs: number
}

function report({ fills, singles, cpuUs, loadMs, takeOverMs }: Found): void {
  const all = orders * count
  const perOrder = (us: number) => `${round(us / all)} µs`
  const cores = Object.values(cpuUs).reduce((sum, us) => sum + us, 0) / 1_000 / loadMs
  publish({
    name: 'settlement',
    title: 'Settlement under load, on several chains at once',
    method: `${count} chains with blocks of ${BLOCK_GAS} gas every ${seconds} s; ${orders} orders wait on each, all at once: of ten, four mint to wallets that have coin, two to
fresh ones, two redeem, two transfer. One settler process (the real program) settles all chains, each with a signer and another one standing by; a second settler
stands by. PostgreSQL commits durably; everything is on one machine. "Full blocks" are those between the first and the last with orders, empty ones included.
At the end both have orders again and the first settler is killed (\`kill -9\`) with batches under way.`,
    rows: [
      ['what', ...fills.map((_, index) => `chain ${index + 1}`), 'goal'],
      ['share of what the gas of a full block allows, median', ...fills.map(({ share }) => share.toFixed(3)), '≥ 0.95'],
      ['orders in a full block, median', ...fills.map(({ perBlock }) => perBlock), ''],
      ['what its gas allows', ...fills.map(({ possible }) => possible), ''],
      ['full blocks', ...fills.map(({ blocks }) => blocks), ''],
      ...[
        [
          `accepted → completed ÷ (to the next block + ${CONFIRMATIONS} × ${seconds} s), worst of ${singles.length}`,
          round(Math.max(...singles)),
          '≤ 1.0',
        ],
        ['processor time of an order: settler', perOrder(cpuUs.settler), ''],
        ['processor time of an order: PostgreSQL', perOrder(cpuUs.postgres), ''],
        ['processor time of an order: the chains’ nodes', perOrder(cpuUs.chains), ''],
        ['processor time of the settler standing by, a second', `${round(cpuUs.standby / loadMs)} ms`, ''],
        ['after `kill -9`: all chains are led by the other after', `${round(takeOverMs / 1_000)} s`, ''],
      ].map(([what = '', value = '', goal = '']) => [what, value, ...fills.slice(1).map(() => ''), goal]),
    ],
    measured: { block: Math.min(...fills.map(({ share }) => share)), completed: Math.max(...singles) },
    numbers: {
      settlerUsPerOrder: cpuUs.settler / all,
      postgresUsPerOrder: cpuUs.postgres / all,
      nodesUsPerOrder: cpuUs.chains / all,
      takeOverMs,
    },
    notes: [
      'A block takes a transaction only where the gas that it asks for fits into what is left; so the last batches of a block are smaller ones ([choices](choices.md#the-end-of-a-block)).',
      `After the take-over every order was settled, and on each chain the coin in existence was what the orders say. During the load all of this took ${round(cores)} of the machine’s cores.`,
    ],
    loadBefore,
  })
}
