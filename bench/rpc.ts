/**
 * Calls that settlement sends to one node, by method: standing by, idle, for one order, and under load. Providers bill each call.
 *
 *   npm run bench -- rpc [orders, default 2000] [blocks of idling, default 30]
 */

import { wallet } from '../test/settlement/fixture.ts'
import { startScenario } from '../test/settlement/scenario.ts'
import { type FaultyRpc, startFaultyRpc } from '../test/support/faulty-rpc.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { currentLoad, publish } from './support/report.ts'

const COUNT = Number(process.argv[2] ?? 2_000)
const IDLE_BLOCKS = Number(process.argv[3] ?? 30)
const WAIT = { timeoutMs: 300_000, everyMs: 50 }

type Part = { what: string; calls: readonly string[]; blocks: number; orders: number }

const loadBefore = currentLoad()
const s = await startScenario({ engine: 'postgres', config: { pollIntervalMs: 200, confirmations: 12 } })
let node: FaultyRpc | undefined
let standby: FaultyRpc | undefined
try {
  node = await startFaultyRpc(s.config.rpcUrls[0] ?? '', () => ({ kind: 'none' }))
  await s.rpc('evm_setIntervalMining', 1)
  await s.settle({ config: { rpcUrls: [node.url] }, times: {} })
  const [first] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(0) })
  await s.until(first, 'completed')
  standby = await startFaultyRpc(s.config.rpcUrls[0] ?? '', () => ({ kind: 'none' }))
  await s.settle({ config: { rpcUrls: [standby.url] }, times: {} })
  await blocksPass(3)
  const since = standby.seen.length
  const idle = await during('idle', 0, () => blocksPass(IDLE_BLOCKS))
  const parts = [
    { ...idle, what: 'standing by', calls: standby.seen.slice(since) },
    idle,
    await during('one mint', 1, async () => {
      const [order] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(1) })
      await s.until(order, 'completed')
    }),
    await during(`${COUNT} mints at once`, COUNT, async () => {
      await insertMints(COUNT)
      await waitFor('all orders to be completed', async () => (await countOpen()) === 0n, WAIT)
    }),
  ]
  report(parts)
} finally {
  await s.end()
  await node?.close()
  await standby?.close()
}

async function head(): Promise<number> {
  return Number(await s.rpc('eth_blockNumber'))
}

async function blocksPass(count: number): Promise<void> {
  const end = (await head()) + count
  await waitFor(`block ${end}`, async () => (await head()) >= end, WAIT)
}

async function during(what: string, orders: number, act: () => Promise<void>): Promise<Part> {
  const from = node?.seen.length ?? 0
  const began = await head()
  await act()
  return { what, orders, blocks: Math.max(1, (await head()) - began), calls: node?.seen.slice(from) ?? [] }
}

async function insertMints(count: number): Promise<void> {
  await s.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, customer_id, key_id, amount_micro)
     select integration_id, 'load-000' || n, 'MINT', 'pending', chain_id, network, token_address, wallet_address, customer_id, key_id, 1000000
     from (select * from orders where chain_id = 31337 order by order_id limit 1) o, generate_series(1, $1::int) n`,
    [count],
  )
}

async function countOpen(): Promise<bigint> {
  const [row] = await s.db.query<{ open: bigint }>(
    `select count(*) as open from orders where chain_id = 31337 and status <> 'completed'`,
  )
  return row?.open ?? 0n
}

function report(parts: readonly Part[]): void {
  const methods = [...new Set(parts.flatMap(({ calls }) => calls))].sort()
  const countOf = ({ calls }: Part, method: string) => calls.filter((one) => one === method).length
  const [, idle, , load] = parts as [Part, Part, Part, Part]
  const perBlock = (part: Part) => part.calls.length / part.blocks
  publish({
    name: 'rpc',
    title: 'Calls to a node',
    method: `All JSON-RPC requests that a settler of one chain with one node sends it, while anvil makes a block each second and the settler looks for
one every 200 ms; 12 confirmations. "Standing by" is what a second settler sends meanwhile, while the first is idle. Each further node of the chain gets as many, but for what only one is asked for.`,
    rows: [
      ['', ...parts.map(({ what, blocks }) => `${what} (${blocks} blocks)`)],
      ...methods.map((method) => [`\`${method}\``, ...parts.map((part) => countOf(part, method))]),
      ['all', ...parts.map(({ calls }) => calls.length)],
      ['a block', ...parts.map((part) => perBlock(part).toFixed(1))],
      ['an order', ...parts.map(({ orders, calls }) => (orders === 0 ? '' : (calls.length / orders).toFixed(3)))],
    ],
    goal: {
      what: 'calls a block under load, against idle',
      measured: perBlock(load) / perBlock(idle),
      bound: 10,
      atLeast: false,
    },
    loadBefore,
  })
}
