/** What blocks held, compared with what their gas allows, and how long a single order takes. */
import { type Hex, hexToBigInt } from 'viem'
import { ORDERS_ACCEPTED } from '../../../src/db/channels.ts'
import type { Database } from '../../../src/db/database.ts'
import { placeOrders, wallet } from '../../../test/settlement/fixture.ts'
import { waitFor } from '../../../test/support/wait-for.ts'
import { median } from '../report.ts'
import { type BenchChain, BLOCK_GAS, CONFIRMATIONS } from './chains.ts'

export type Fill = { blocks: number; orders: number; perBlock: number; possible: number; share: number }

/**
 * Of the blocks of a chain with batches after one block: how many orders they hold, and what the gas limit allows at the gas that an
 * order of the same block took. The first block takes what was ready and the last one what was left: neither is under load.
 */
export async function fillOf(db: Database, { chainId, ask }: BenchChain, after: bigint): Promise<Fill> {
  const rows = await db.query<{ mined_block: bigint; orders: bigint }>(
    `select mined_block, sum(order_count)::bigint as orders from batches
     where chain_id = $1 and mined_block > $2 group by 1 order by 1`,
    [chainId, after],
  )
  const full = await Promise.all(
    rows.slice(1, -1).map(async ({ mined_block, orders }) => {
      const block = (await ask('eth_getBlockByNumber', `0x${mined_block.toString(16)}`, false)) as { gasUsed: Hex }
      const possible = Number((BLOCK_GAS * orders) / hexToBigInt(block.gasUsed))
      return { orders: Number(orders), possible, share: Number(orders) / possible }
    }),
  )
  const skipped = await countEmpty(rows.map(({ mined_block }) => mined_block))
  return {
    blocks: full.length + skipped,
    orders: full.reduce((sum, { orders }) => sum + orders, 0),
    perBlock: median(full.map(({ orders }) => orders)),
    possible: median(full.map(({ possible }) => possible)),
    // Blocks between them that hold nothing count as such.
    share: median([...full.map(({ share }) => share), ...Array<number>(skipped).fill(0)]),
  }
}

async function countEmpty(numbers: readonly bigint[]): Promise<number> {
  const [first, last] = [numbers[0], numbers.at(-1)]
  return first === undefined || last === undefined ? 0 : Number(last - first) + 1 - numbers.length
}

/** Places a mint now and then, and says so as acceptance does: the time until it is completed ÷ (time to the next block + confirmations × block time). */
export async function timeSingles(
  db: Database,
  one: BenchChain,
  count: number,
  blockSeconds: number,
): Promise<number[]> {
  const { chain, ask } = one
  const head = async () => Number(await ask('eth_blockNumber'))
  const ratios: number[] = []
  for (let index = 0; index < count; index += 1) {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * blockSeconds * 1_000))
    const before = await head()
    const began = performance.now()
    const [order = 0n] = await placeOrders(db, chain.config, [{ direction: 'MINT', amountMicro: 1n, to: wallet(1) }])
    await db.query('select pg_notify($1, $2)', [ORDERS_ACCEPTED, String(one.chainId)])
    await waitFor('the next block', async () => (await head()) > before, { timeoutMs: 120_000, everyMs: 10 })
    const nextBlockMs = performance.now() - began
    const isCompleted = async () =>
      (await db.query(`select from orders where order_id = $1 and status = 'completed'`, [order])).length === 1
    await waitFor('completion', isCompleted, { timeoutMs: 120_000, everyMs: 10 })
    ratios.push((performance.now() - began) / (nextBlockMs + CONFIRMATIONS * blockSeconds * 1_000))
  }
  return ratios
}
