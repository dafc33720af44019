/**
 * How many orders a settler gets into each block under load, compared with what the block's gas limit allows at an
 * order's gas cost; and how long a single order takes. Prints the figures and writes bench/results/settlement.md.
 *
 *   node bench/settlement.ts [orders, default 10000] [block seconds, default 1]
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Hex, hexToBigInt } from 'viem'
import { wallet } from '../test/settlement/fixture.ts'
import { startScenario } from '../test/settlement/scenario.ts'
import { waitFor } from '../test/support/wait-for.ts'

const COUNT = Number(process.argv[2] ?? 10_000)
const BLOCK_SECONDS = Number(process.argv[3] ?? 1)
const BLOCK_GAS = 30_000_000n

const s = await startScenario({
  engine: 'postgres',
  anvil: { args: ['--gas-limit', String(BLOCK_GAS)] },
  config: { pollIntervalMs: 50 },
})
try {
  await s.rpc('evm_setIntervalMining', BLOCK_SECONDS)
  await insertMints(COUNT)
  await s.settle({ times: {} })
  await waitFor('all orders to be completed', allDone, { timeoutMs: 300_000, everyMs: 200 })
  const load = await measureBlocks()
  const latencies = await measureSingles(8)
  report(load, latencies)
} finally {
  await s.end()
}

function report(load: Awaited<ReturnType<typeof measureBlocks>>, singles: number[]): void {
  const lines = [
    '# Settlement under load',
    '',
    `Written by \`node bench/settlement.ts ${COUNT} ${BLOCK_SECONDS}\`: ${COUNT} mints to 500 wallets wait, anvil makes a block of`,
    `${BLOCK_GAS} gas every ${BLOCK_SECONDS} s, PostgreSQL with durable commits, everything on one machine.`,
    '',
    '| what | goal | measured |',
    '|---|---|---|',
    `| orders per block, of what its gas allows (median of full blocks) | ≥ 0.9 | ${load.medianShare.toFixed(3)} |`,
    `| orders per full block | | ${load.perBlock.map(({ orders }) => orders).join(', ')} |`,
    `| POST → completed ÷ (time to next block + confirmations × block time), worst of ${singles.length} | ≤ 1.3 | ${Math.max(...singles).toFixed(3)} |`,
    '',
  ]
  console.log(lines.join('\n'))
  writeFileSync(path.join(import.meta.dirname, 'results/settlement.md'), lines.join('\n'))
}

async function insertMints(count: number): Promise<void> {
  const addresses = Array.from({ length: 500 }, (_, index) => wallet(index))
  const [template = 0n] = await s.place({ direction: 'MINT', amountMicro: 1n, to: addresses[0] ?? wallet(0) })
  await s.db.query(
    `insert into orders (integration_id, reference_id, direction, status, chain_id, network, token_address,
       wallet_address, customer_id, key_id, amount_micro)
     select integration_id, 'load-000' || n, 'MINT', 'pending', chain_id, network, token_address,
       ($2::text[])[1 + n % 500], customer_id, key_id, 1000000
     from orders, generate_series(2, $3::int) n where order_id = $1`,
    [template, addresses, count],
  )
}

async function allDone(): Promise<boolean> {
  const [row] = await s.db.query<{ open: bigint }>(
    `select count(*) as open from orders where chain_id = 31337 and status <> 'completed'`,
  )
  return row?.open === 0n
}

async function measureBlocks() {
  const rows = await s.db.query<{ mined_block: bigint; orders: bigint }>(
    `select mined_block, sum(order_count)::bigint as orders from batches where chain_id = 31337 group by 1 order by 1`,
  )
  // The first block takes what was ready, and the last two what was left: none of them is "under load".
  const full = rows.slice(1, -1)
  const perBlock: { orders: number; possible: number; share: number }[] = []
  for (const { mined_block, orders } of full) {
    const block = (await s.rpc('eth_getBlockByNumber', `0x${mined_block.toString(16)}`, false)) as { gasUsed: Hex }
    const gasPerOrder = Number(hexToBigInt(block.gasUsed)) / Number(orders)
    const possible = Number(BLOCK_GAS) / gasPerOrder
    perBlock.push({ orders: Number(orders), possible: Math.round(possible), share: Number(orders) / possible })
  }
  const shares = perBlock.map(({ share }) => share).sort((a, b) => a - b)
  return { blocks: rows.length, perBlock, medianShare: shares[Math.floor(shares.length / 2)] ?? 0 }
}

async function measureSingles(count: number): Promise<number[]> {
  const ratios: number[] = []
  for (let index = 0; index < count; index += 1) {
    await new Promise((resolve) => setTimeout(resolve, 137 * index))
    const before = Number(((await s.rpc('eth_blockNumber')) as Hex) ?? 0)
    const started = performance.now()
    const [order] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(1) })
    await waitFor('the next block', async () => Number((await s.rpc('eth_blockNumber')) as Hex) > before, {
      everyMs: 5,
    })
    const nextBlockMs = performance.now() - started
    await s.until(order, 'completed')
    ratios.push((performance.now() - started) / (nextBlockMs + s.config.confirmations * BLOCK_SECONDS * 1_000))
  }
  return ratios
}
