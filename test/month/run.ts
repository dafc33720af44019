/**
 * A month of simulated business from the command line (docs/RELIABILITY.md):
 *
 *   npm run month -- --orders 50000 --seed 7         exit 0: every day balanced, every planted error was named
 */
import { mock } from 'node:test'
import { parseArgs } from 'node:util'
import { startPostgresServer } from '../support/postgres-server.ts'
import { auditMonth } from './audit.ts'
import { playMonth } from './month.ts'
import { plantErrors } from './plant.ts'
import { createMonthWorld, FIRST_DAY } from './world.ts'

const { values } = parseArgs({
  options: {
    orders: { type: 'string', default: '50000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
  },
})
const print = (line: string) => console.log(line)
const options = { orders: Number(values.orders), seed: values.seed, print }
print(`month: ${options.orders} orders, seed ${options.seed}`)
const server = await startPostgresServer()
process.env.TEST_POSTGRES_URL = server.url
mock.timers.enable({ apis: ['Date'], now: new Date(`${FIRST_DAY}T00:00:00Z`) })
const startMs = performance.now()
const world = await createMonthWorld(options)
try {
  const month = await playMonth(world, options)
  print(`audited: ${JSON.stringify(await auditMonth(world))}`)
  const planted = await plantErrors(world, month, print)
  const { seen } = month.payments
  print(
    `${JSON.stringify(seen)}, ${planted} errors planted and named, ${Math.round((performance.now() - startMs) / 1_000)} s`,
  )
} finally {
  await world.close()
  await server.stop()
}
