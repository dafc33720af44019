/**
 * Every state move of an order after its acceptance, each inside the caller's transaction. Moves are guarded by the state
 * they start from, so repeating one changes nothing.
 */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../order.ts'
import { ORDER_COLUMNS, type OrderRow, orderFromRow } from '../row.ts'

/** A batch of a chain. */
export type BatchKey = { chainId: number; batchId: bigint }

/** Where a batch was mined. */
export type MinedAt = BatchKey & { txHash: string; blockNumber: bigint }

/** Orders were not in the state that a move starts from. The transaction must be rolled back. */
export class OrdersMovedError extends Error {
  override readonly name = 'OrdersMovedError'
}

/**
 * pending → processing/SUBMITTED, in the transaction that stores the batch's signed bytes.
 * @param orderIds in the sequence of the batch's instructions
 * @throws OrdersMovedError when one of them is no longer pending
 */
export async function submitOrders(
  tx: Queryable,
  { chainId, batchId }: BatchKey,
  orderIds: readonly bigint[],
  txHash: string | null,
): Promise<void> {
  const moved = await tx.query(
    `update orders o set status = 'processing', phase = 'SUBMITTED', batch_id = $2, batch_index = s.position - 1,
       tx_hash = $4, updated_at = now()
     from unnest($3::bigint[]) with ordinality as s (order_id, position)
     where o.order_id = s.order_id and o.chain_id = $1 and o.status = 'pending'
     returning o.order_id`,
    [chainId, batchId, orderIds, txHash],
  )
  if (moved.length !== orderIds.length) throw new OrdersMovedError(`${orderIds.length - moved.length} orders moved`)
}

/** Names another transaction as the one that carries the batch (signed anew under another nonce). */
export async function renameTransaction(tx: Queryable, { chainId, batchId }: BatchKey, txHash: string): Promise<void> {
  await tx.query(
    `update orders set tx_hash = $3, updated_at = now()
     where chain_id = $1 and batch_id = $2 and status = 'processing' and phase = 'SUBMITTED'`,
    [chainId, batchId, txHash],
  )
}

const MOVE_EARMARKS = (sign: '+' | '-') => `
  per_wallet as (
    select chain_id, debit_address, sum(amount_micro)::bigint as amount_micro from moved
    where debit_address is not null group by chain_id, debit_address order by debit_address)
  update wallet_earmarks h set earmarked_micro = h.earmarked_micro ${sign} p.amount_micro,
    epoch = h.epoch + 1, facts_epoch = h.epoch + 1, balance_micro = null
  from per_wallet p where h.chain_id = p.chain_id and h.address = p.debit_address`

/**
 * processing/SUBMITTED → CONFIRMING; releases the earmarks, because balances at the observed block now show the debits.
 * Belongs in the transaction that moves `chains.observed_block` to that block or a later one.
 */
export async function confirmingOrders(
  tx: Queryable,
  { chainId, batchId, txHash, blockNumber }: MinedAt,
): Promise<void> {
  await tx.query(
    `with moved as (
       update orders set phase = 'CONFIRMING', tx_hash = $3, block_number = $4, updated_at = now()
       where chain_id = $1 and batch_id = $2 and status = 'processing' and phase = 'SUBMITTED'
       returning chain_id, debit_address, amount_micro),
     ${MOVE_EARMARKS('-')}`,
    [chainId, batchId, txHash, blockNumber],
  )
}

/** The batch moved to another block: CONFIRMING stays, its transaction and block change. */
export async function relocateOrders(tx: Queryable, { chainId, batchId, txHash, blockNumber }: MinedAt): Promise<void> {
  await tx.query(
    `update orders set tx_hash = $3, block_number = $4, updated_at = now()
     where chain_id = $1 and batch_id = $2 and status = 'processing' and phase = 'CONFIRMING'`,
    [chainId, batchId, txHash, blockNumber],
  )
}

/** CONFIRMING → SUBMITTED after a reorganisation; takes the earmarks again. */
export async function resubmittedOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  await tx.query(
    `with moved as (
       update orders set phase = 'SUBMITTED', block_number = null, updated_at = now()
       where chain_id = $1 and batch_id = $2 and status = 'processing' and phase = 'CONFIRMING'
       returning chain_id, debit_address, amount_micro),
     ${MOVE_EARMARKS('+')}`,
    [chainId, batchId],
  )
}

/** Releases the earmarks of orders that will never be mined. */
export async function releaseEarmarks(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `with moved as (select chain_id, debit_address, amount_micro from orders where order_id = any ($1::bigint[])),
     ${MOVE_EARMARKS('-')}`,
    [orderIds],
  )
}

/** Locks a batch's orders that are not decided yet and returns them in the sequence of their instructions. */
export async function lockUndecided(
  tx: Queryable,
  { chainId, batchId }: BatchKey,
  phase: 'SUBMITTED' | 'CONFIRMING',
): Promise<Order[]> {
  const rows = await tx.query<OrderRow>(
    `select ${ORDER_COLUMNS} from orders o
     where o.chain_id = $1 and o.batch_id = $2 and o.status = 'processing' and o.phase = $3
     order by o.batch_index for update`,
    [chainId, batchId, phase],
  )
  return rows.map(orderFromRow)
}

/** → completed. Returns the orders as they stand now. */
export async function completeOrders(tx: Queryable, orderIds: readonly bigint[]): Promise<Order[]> {
  if (orderIds.length === 0) return []
  const rows = await tx.query<OrderRow>(
    `update orders o set status = 'completed', phase = 'COMPLETED', updated_at = now()
     where o.order_id = any ($1::bigint[]) and o.status = 'processing' returning ${ORDER_COLUMNS}`,
    [orderIds],
  )
  return rows.map(orderFromRow)
}

/** processing → PAYOUT_PENDING: the burn is final, the payout is not yet initiated. No event (contract "Events"). */
export async function awaitPayouts(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  if (orderIds.length === 0) return
  await tx.query(
    `update orders set phase = 'PAYOUT_PENDING', updated_at = now()
     where order_id = any ($1::bigint[]) and status = 'processing'`,
    [orderIds],
  )
}

export type FailedOrder = { orderId: bigint; reason: string }

/** → failed, and gives the usage back that their acceptance took. Returns the orders as they stand now. */
export async function failOrders(tx: Queryable, failures: readonly FailedOrder[]): Promise<Order[]> {
  if (failures.length === 0) return []
  const orderIds = failures.map(({ orderId }) => orderId)
  const rows = await tx.query<OrderRow>(
    `update orders o set status = 'failed', phase = 'FAILED', failure_reason = s.reason, updated_at = now()
     from unnest($1::bigint[], $2::text[]) as s (order_id, reason)
     where o.order_id = s.order_id and o.status = 'processing' returning ${ORDER_COLUMNS}`,
    [orderIds, failures.map(({ reason }) => reason)],
  )
  await giveUsageBack(tx, orderIds)
  return rows.map(orderFromRow)
}

async function giveUsageBack(tx: Queryable, orderIds: readonly bigint[]): Promise<void> {
  await tx.query(
    `update transfer_usage u set committed_micro = greatest(0, u.committed_micro - f.amount_micro)
     from (select key_id, (created_at at time zone 'UTC')::date as day, sum(amount_micro)::bigint as amount_micro
       from orders where order_id = any ($1::bigint[]) and direction = 'TRANSFER' group by 1, 2) f
     where u.key_id = f.key_id and u.day = f.day`,
    [orderIds],
  )
  await tx.query(
    `update withdrawal_usage u set committed_micro = greatest(0, u.committed_micro - f.amount_micro)
     from (select customer_id, date_trunc('month', created_at at time zone 'UTC')::date as month,
         sum(amount_micro)::bigint as amount_micro
       from orders where order_id = any ($1::bigint[]) and direction = 'REDEEM' group by 1, 2) f
     where u.customer_id = f.customer_id and u.month = f.month`,
    [orderIds],
  )
}

/** processing/PAYOUT_PENDING → completed, for one redeem. Undefined when it is not in that state (any more). */
export async function completePaidRedeem(tx: Queryable, orderId: bigint): Promise<Order | undefined> {
  const [row] = await tx.query<OrderRow>(
    `update orders o set status = 'completed', phase = 'COMPLETED', updated_at = now()
     where o.order_id = $1 and o.direction = 'REDEEM' and o.status = 'processing' and o.phase = 'PAYOUT_PENDING'
     returning ${ORDER_COLUMNS}`,
    [orderId],
  )
  return row === undefined ? undefined : orderFromRow(row)
}
