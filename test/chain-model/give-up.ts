/**
 * What operators do where the chain has lost a final batch that nobody signs again, or has others under its id: they give it up, and make good
 * what is lost with it.
 */
import type { RpcNode } from '../../src/chain/node.ts'
import { ChainError } from '../../src/chain-errors.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow } from '../../src/orders/row.sql.ts'
import { giveUpBatch } from '../../src/settlement/explain/explain.ts'
import { makeGood } from '../../src/settlement/explain/make-good.ts'
import { proveReplaced } from '../../src/settlement/explain/replaced.ts'
import { REMINTS } from '../../src/values/house.ts'

type Chain = { config: ChainConfig; nodes: readonly RpcNode[] }

/** Gives up what the settler has named, if the operators' own nodes say the same. @returns which and why, where that was not said before */
export async function giveUpReplaced(
  db: Database,
  chain: Chain,
  say: (what: string) => void,
): Promise<{ batchId: bigint; how: 'replaced' | 'gone' } | undefined> {
  const { chainId } = chain.config
  const [hold] = await db.query<{ id: string | null }>(
    `select coalesce(details::jsonb ->> 'otherUnderFinalBatch', details::jsonb ->> 'lostForeignBatch') as id from settlement_holds where chain_id = $1 and reason = 'batch-conflict'`,
    [chainId],
  )
  if (hold === undefined || hold.id === null) return undefined
  const batchId = BigInt(hold.id)
  const replaced = await proveReplaced(db, chain, batchId).catch((error: unknown) => {
    if (error instanceof ChainError) return 'unknown'
    throw error
  })
  if (replaced !== 'replaced' && replaced !== 'gone') {
    say(`batch ${batchId} is not given up: ${replaced}`)
    return undefined
  }
  const done = await db.transaction((tx) => giveUpBatch(tx, { chainId, batchId }, 'the chain has lost it', replaced))
  say(`batch ${batchId} is given up (${replaced}): ${JSON.stringify(done)}`)
  return done === 'given_up' ? { batchId, how: replaced } : undefined
}

/** Makes good the mints that are lost, as far as it can be done yet. */
export async function makeGoodLost(db: Database, chainId: number, say: (what: string) => void): Promise<void> {
  const rows = await db.query<OrderRow>(
    `select ${ORDER_COLUMNS} from lost_orders l join orders o on o.order_id = l.order_id ${BATCH_OF_ORDER}
     where l.chain_id = $1 and o.direction = 'MINT' order by l.order_id`,
    [chainId],
  )
  for (const order of rows.map(orderFromRow)) {
    const done = await db.transaction((tx) => makeGood(tx, order, undefined))
    if (typeof done === 'object' && 'remint' in done) say(`${order.referenceId} is minted again as ${done.remint}`)
  }
}

/** Whether a lost mint is still to be made good. */
export async function areAnyLost(db: Database, chainId: number): Promise<boolean> {
  const rows = await db.query(
    `select from lost_orders l join orders o using (order_id)
     left join orders r on r.integration_id = '${REMINTS}' and r.reference_id = l.remint
     where l.chain_id = $1 and o.direction = 'MINT' and r.status is distinct from 'completed' limit 1`,
    [chainId],
  )
  return rows.length > 0
}

export async function countRemints(db: Database, chainId: number): Promise<number> {
  const minted = `select from orders where chain_id = $1 and integration_id = '${REMINTS}' and status = 'completed'`
  return (await db.query(minted, [chainId])).length
}
