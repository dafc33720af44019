/**
 * Every move of an order after its acceptance, one statement each inside the caller's transaction. A move changes only rows that
 * are in the state it starts from, and what it gives back hangs on those: repeating it changes nothing.
 */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../order.ts'
import { ORDER_COLUMNS, type OrderRow, orderFromRow } from '../row.ts'
import { earmarkCtes, MOVED_COLUMNS, USAGE_CTES } from './give-back.sql.ts'
import { MOVES, type MoveName, STATES } from './states.ts'

/** A batch of a chain. */
export type BatchKey = { chainId: number; batchId: bigint }

/** Where a batch was mined. */
export type MinedAt = BatchKey & { txHash: string; blockNumber: bigint }

/** Orders were not in the state that a move starts from. The transaction must be rolled back. */
export class OrdersMovedError extends Error {
  override readonly name = 'OrdersMovedError'
}

/** What a move sets. */
function to(move: MoveName): string {
  const { status, phase } = STATES[MOVES[move].to]
  return `status = '${status}', phase = '${phase}', updated_at = now()`
}

/** The rows that a move may change: of its directions, in the state it starts from. */
function from(move: MoveName): string {
  const { status, phase } = STATES[MOVES[move].from]
  const directions = MOVES[move].directions.map((direction) => `'${direction}'`).join(', ')
  return `o.status = '${status}' and o.phase = '${phase}' and o.direction in (${directions})`
}

const OF_BATCH = 'o.chain_id = $1 and o.batch_id = $2'

/** Of a batch that was abandoned; nothing but another batch may take it. */
const AWAITS_AGAIN = `${from('mine')} and o.batch_id is null`

const SUBMIT = `update orders o set ${to('submit')}, batch_id = $2, batch_index = s.batch_index, tx_hash = $4
  from unnest($3::bigint[], $5::int[]) as s (order_id, batch_index)
  where o.order_id = s.order_id and o.chain_id = $1 and (${from('submit')} or ${AWAITS_AGAIN})
  returning o.order_id`

/**
 * Into a batch, in the transaction that stores it; pending → processing where it was in none before.
 * @param orderIds in the sequence of the batch's instructions
 * @param indexes of their instructions
 * @throws OrdersMovedError when one of them no longer awaits settlement
 */
export async function submitOrders(
  tx: Queryable,
  { chainId, batchId }: BatchKey,
  orderIds: readonly bigint[],
  txHash: string | null,
  indexes: readonly number[] = orderIds.map((_, index) => index),
): Promise<void> {
  const moved = await tx.query(SUBMIT, [chainId, batchId, orderIds, txHash, indexes])
  if (moved.length !== orderIds.length) throw new OrdersMovedError(`${orderIds.length - moved.length} orders moved`)
}

const REQUEUE = `update orders o set batch_id = null, batch_index = null, tx_hash = null, updated_at = now()
  where ${OF_BATCH} and ${from('mine')}`

/** The batch can never execute: its orders await another one. They stay `processing`, earmarks and usage stay taken. */
export async function requeueOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  await tx.query(REQUEUE, [chainId, batchId])
}

const MINE = `with moved as (
    update orders o set ${to('mine')}, tx_hash = $3, block_number = $4 where ${OF_BATCH} and ${from('mine')}
    returning ${MOVED_COLUMNS}),
  ${earmarkCtes('-')}
  select count(*) from moved`

/**
 * The batch was mined; gives the earmarks back, because balances at the observed block now show the debits.
 * Belongs in the transaction that moves `chains.observed_block` to that block or a later one.
 */
export async function confirmingOrders(
  tx: Queryable,
  { chainId, batchId, txHash, blockNumber }: MinedAt,
): Promise<void> {
  await tx.query(MINE, [chainId, batchId, txHash, blockNumber])
}

const RELOCATE = `update orders o set tx_hash = $3, block_number = $4, updated_at = now()
  where ${OF_BATCH} and ${from('unmine')}`

/** The batch moved to another block: its orders stay where they are in their lives, their transaction and block change. */
export async function relocateOrders(tx: Queryable, { chainId, batchId, txHash, blockNumber }: MinedAt): Promise<void> {
  await tx.query(RELOCATE, [chainId, batchId, txHash, blockNumber])
}

const UNMINE = `with moved as (
    update orders o set ${to('unmine')}, block_number = null where ${OF_BATCH} and ${from('unmine')}
    returning ${MOVED_COLUMNS}),
  ${earmarkCtes('+')}
  select count(*) from moved`

/** A reorganisation took the batch's block away; takes the earmarks again. */
export async function resubmittedOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  await tx.query(UNMINE, [chainId, batchId])
}

const LOCK_CONFIRMING = `select ${ORDER_COLUMNS} from orders o where ${OF_BATCH} and ${from('fail')}
  order by o.batch_index for update`

/** Locks the orders of a mined batch that are not decided yet, in the sequence of their instructions. */
export async function lockConfirming(tx: Queryable, { chainId, batchId }: BatchKey): Promise<Order[]> {
  const rows = await tx.query<OrderRow>(LOCK_CONFIRMING, [chainId, batchId])
  return rows.map(orderFromRow)
}

function endText(move: 'settle' | 'burn' | 'payOut'): string {
  return `update orders o set ${to(move)} where o.order_id = any ($1::bigint[]) and ${from(move)} returning ${ORDER_COLUMNS}`
}

const END_TEXTS = { settle: endText('settle'), burn: endText('burn'), payOut: endText('payOut') }

/** Moves orders that give nothing back. Returns those that moved, as they stand now. */
export async function moveOrders(
  tx: Queryable,
  move: keyof typeof END_TEXTS,
  orderIds: readonly bigint[],
): Promise<Order[]> {
  if (orderIds.length === 0) return []
  const rows = await tx.query<OrderRow>(END_TEXTS[move], [orderIds])
  return rows.map(orderFromRow)
}

const FAIL = `with moved as (
    update orders o set ${to('fail')}, failure_reason = s.reason
    from unnest($1::bigint[], $2::text[]) as s (order_id, reason)
    where o.order_id = s.order_id and ${from('fail')}
    returning ${ORDER_COLUMNS}),
  ${USAGE_CTES}
  select * from moved order by order_id`

export type FailedOrder = { orderId: bigint; reason: string }

/** Fails orders of a mined batch, and gives their usage back. Returns those that moved, as they stand now. */
export async function failOrders(tx: Queryable, failures: readonly FailedOrder[]): Promise<Order[]> {
  if (failures.length === 0) return []
  const rows = await tx.query<OrderRow>(FAIL, [
    failures.map(({ orderId }) => orderId),
    failures.map(({ reason }) => reason),
  ])
  return rows.map(orderFromRow)
}
