/** Redeems that were called burnt and are not: they await a batch again. */
import { ORDERS_ACCEPTED } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import { earmarkCtes } from './give-back.sql.ts'
import { lockSigningOf, OrdersMovedError } from './signed.sql.ts'
import { MOVES, STATES } from './states.ts'

const LINE = `insert into signed_orders (order_id, abandoned_batch_id)
  select order_id, $2 from orders where order_id = $1 and status = '${STATES[MOVES.unburn.from].stored}'`

const UNBURN = `with moved as (
    update orders set status = '${STATES[MOVES.unburn.to].stored}', updated_at = now(),
      batch_id = null, batch_index = null, tx_hash = null, block_number = null
    where order_id = $1 and status = '${STATES[MOVES.unburn.from].stored}' returning chain_id, debit_address, amount_micro),
  ${earmarkCtes('+')}
  select chain_id from moved`

/**
 * Makes a burnt redeem await a batch again, with its coin earmarked. Its partner sees it as `processing` still. The caller has asked the
 * chain, and takes its payout away.
 * @param abandonedId it may be rejected once a batch is final under this id
 * @throws OrdersMovedError when it is no burnt redeem; the database's error when no payer was denied its burn
 */
export async function unburnOrder(tx: Queryable, orderId: bigint, abandonedId: bigint | null): Promise<void> {
  await lockSigningOf(tx, [orderId])
  // The line says that it is processing still, so that it comes first.
  await tx.query(LINE, [orderId, abandonedId])
  const [row] = await tx.query<{ chain_id: bigint }>(UNBURN, [orderId])
  if (row === undefined) throw new OrdersMovedError(`order ${orderId} moved`)
  await tx.query(`select pg_notify('${ORDERS_ACCEPTED}', $1)`, [String(row.chain_id)])
}
