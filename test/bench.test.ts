// engine: postgres
/** The benchmarks still run: their server, their caller, their seeded orders, their load. How fast is no test's business. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { cpuUsOf, cpuUsOfFamily, metered } from '../bench/support/cpu.ts'
import { applyLoad, type Load } from '../bench/support/load.ts'
import { referenceOf, seedOrders } from '../bench/support/orders.ts'
import { CHAIN_ID, startApi, startBench, WALLET } from '../bench/support/service.ts'

test('a bench seeds orders, reads them and has mints accepted', { timeout: 300_000 }, async () => {
  const bench = await startBench()
  try {
    await seedOrders(bench, 0, 20)
    const api = await startApi(bench, { poolSize: 2 })
    try {
      const job = { port: api.port, connections: 2, warmUpSeconds: 0, seconds: 0.5, apiKey: bench.apiKey }
      const paths = [`/v1/transactions/${referenceOf(7)}`, '/v1/transactions?limit=10']
      await answered(() => applyLoad({ ...job, paths }, 200))
      const mint = { customerId: bench.customerId, amountMyr: '10', walletAddress: WALLET, chainId: CHAIN_ID }
      await answered(() => applyLoad({ ...job, paths: [], mint: { ...mint, fiatConfirmed: true } }, 201))
      const [row] = await bench.db.query<{ accepted: bigint; told: bigint }>(
        `select count(*) as accepted, (select count(*) from events where type = 'mint.pending') as told
         from orders where status = 'pending'`,
      )
      assert.ok(row !== undefined && row.accepted > 0n)
      assert.equal(row.told, row.accepted)
    } finally {
      await api.stop()
    }
  } finally {
    await bench.end()
  }
})

/** On a busy machine the first answer may come after the end: then once more. */
async function answered(load: () => Promise<Load>): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) if ((await load()).perSecond > 0) return
  assert.fail('no answer')
}

/** Enough that no clock that ticks a hundred times a second misses it. */
const BUSY = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);'

test('processor time is that of a process, or of a process with its living and its ended children', async () => {
  const meters = { own: () => cpuUsOf(process.pid), family: () => cpuUsOfFamily(process.pid) }
  const ended = await metered(meters, async () => execFileSync(process.execPath, ['-e', BUSY]))
  const both = await metered(meters, async () => {
    const child = spawn(process.execPath, ['-e', `${BUSY} console.log('done'); setInterval(() => {}, 1000)`])
    await once(child.stdout, 'data')
    return child
  })
  both.result.kill()
  await once(both.result, 'exit')
  for (const { cpuUs } of [ended, both]) assert.ok(cpuUs.family - cpuUs.own >= 190_000, JSON.stringify(cpuUs))
})
