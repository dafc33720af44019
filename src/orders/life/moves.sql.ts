/**
 * The moves that write an order's row after its acceptance, one statement each inside the caller's transaction. A move
 * changes only rows in the state from which it starts, and gives back only for those, so repeating it changes nothing.
 * How far a batch is, and so how far its orders are, stands in the batch's own row (settlement's tables).
 */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../order.ts'
import { type OrderRow, OWN_COLUMNS, orderFromRow } from '../row.sql.ts'
import { COUNTED_COLUMNS, earmarkCtes, USAGE_CTES } from './give-back.sql.ts'
import { MOVES, STATES } from './states.ts'

/** A batch of a chain. */
export type BatchKey = { chainId: number; batchId: bigint }

/** Orders were not in the state from which a move starts. The transaction must be rolled back. */
export class OrdersMovedError extends Error {
  override readonly name = 'OrdersMovedError'
}

type RowMove = 'submit' | 'settle' | 'payOut' | 'fail'

/** The columns that a move sets. */
function to(move: RowMove): string {
  return `status = '${STATES[MOVES[move].to].status}', updated_at = now()`
}

/**
 * The rows that a move may change, of orders `o` and their batches `b`: those of its directions in the state from which
 * it starts.
 */
function from(move: RowMove): string {
  const { directions, batch } = MOVES[move]
  const list = directions.map((direction) => `'${direction}'`).join(', ')
  return `o.status = '${STATES[MOVES[move].from].status}' and o.direction in (${list})
    and b.chain_id = o.chain_id and b.status = '${batch}'`
}

/** An ended order keeps the place where it was settled, so that the row of its batch is not needed again. */
const PLACE = 'tx_hash = b.tx_hash, block_number = b.mined_block'
/** A redeem whose coin was minted back is as if it had never been burnt. */
const UNPAID = `not exists (select from payouts p where p.order_id = o.order_id and p.status <> 'refunded')`

/** An order of an abandoned batch, which only another batch may take. */
const AWAITS_AGAIN = `(o.status = 'processing' and o.batch_id is null and b.chain_id = o.chain_id and b.status = 'signed')`

const SUBMIT = `with moved as (
    update orders o set ${to('submit')}, batch_id = b.batch_id, batch_index = s.position - 1
    from batches b cross join lateral unnest(b.order_ids) with ordinality as s (order_id, position)
    where b.chain_id = $1 and b.batch_id = $2 and o.order_id = s.order_id and (${from('submit')} and o.held is null or ${AWAITS_AGAIN})
    returning o.order_id)
  select b.order_count - (select count(*) from moved) as missing from batches b where b.chain_id = $1 and b.batch_id = $2`

/**
 * Puts orders into their batch, in the transaction that stores it with its signed bytes; pending → processing for those
 * that were in no batch before.
 * @throws OrdersMovedError when one of its orders no longer awaits settlement
 */
export async function submitOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  const [row] = await tx.query<{ missing: bigint }>(SUBMIT, [chainId, batchId])
  if (row?.missing !== 0n) throw new OrdersMovedError(`batch ${batchId}: ${row?.missing ?? 'all'} orders moved`)
}

const REQUEUE = `update orders o set batch_id = null, batch_index = null, updated_at = now()
  from batches b cross join lateral unnest(b.order_ids) as s (order_id)
  where b.chain_id = $1 and b.batch_id = $2 and b.status = '${MOVES.requeue.batch}' and o.order_id = s.order_id
    and o.chain_id = b.chain_id and o.batch_id = b.batch_id and o.status = 'processing'`

/**
 * Takes orders out of an abandoned batch, so that they await another one. They stay `processing`, and keep earmarks and
 * usage.
 */
export async function requeueOrders(tx: Queryable, { chainId, batchId }: BatchKey): Promise<void> {
  await tx.query(REQUEUE, [chainId, batchId])
}

const ADOPT = `with moved as (
    update orders o set status = 'processing', updated_at = now(), held = null, batch_id = b.batch_id, batch_index = $4
    from batches b
    where b.chain_id = $1 and b.batch_id = $2 and b.is_foreign and b.status = '${MOVES.adopt.batch}' and o.order_id = $3
      and o.chain_id = b.chain_id and (o.status in ('payment_pending', 'pending') or (o.status = 'processing' and o.batch_id is null))
    returning o.chain_id, o.debit_address, o.amount_micro),
  ${earmarkCtes('-')}
  select count(*) as orders from moved`

/**
 * Puts an order into the final foreign batch that has settled it, as the instruction of this index, and gives its
 * earmark back. It must be decided in the same transaction.
 * @throws OrdersMovedError when it no longer awaits settlement
 */
export async function adoptOrder(
  tx: Queryable,
  { chainId, batchId }: BatchKey,
  orderId: bigint,
  index: number,
): Promise<void> {
  const [row] = await tx.query<{ orders: bigint }>(ADOPT, [chainId, batchId, orderId, index])
  if (row?.orders !== 1n) throw new OrdersMovedError(`order ${orderId} moved`)
}

const UNDECIDED = `select ${OWN_COLUMNS} from batches b join orders o on o.batch_id = b.batch_id
  where b.chain_id = $1 and b.batch_id = $2 and o.order_id = any ($3::bigint[]) and ${from('fail')} and ${UNPAID}
  order by o.batch_index`

/**
 * The orders of a final batch that are not decided yet, in the order of their instructions. The transaction that made
 * the batch final is the only one to decide them.
 */
export async function readUndecided(
  tx: Queryable,
  { chainId, batchId }: BatchKey,
  orderIds: readonly bigint[],
): Promise<Order[]> {
  const rows = await tx.query<OrderRow>(UNDECIDED, [chainId, batchId, orderIds])
  return rows.map(orderFromRow)
}

function completeText(move: 'settle' | 'payOut'): string {
  return `update orders o set ${to(move)}, ${PLACE} from batches b
  where o.order_id = any ($1::bigint[]) and b.batch_id = o.batch_id and ${from(move)} returning ${OWN_COLUMNS}`
}

const COMPLETE_TEXTS = { settle: completeText('settle'), payOut: completeText('payOut') }

/** Completes orders of final batches. Returns those that moved, as they are now. */
export async function completeOrders(
  tx: Queryable,
  move: keyof typeof COMPLETE_TEXTS,
  orderIds: readonly bigint[],
): Promise<Order[]> {
  if (orderIds.length === 0) return []
  const rows = await tx.query<OrderRow>(COMPLETE_TEXTS[move], [orderIds])
  return rows.map(orderFromRow)
}

const FAIL = `with moved as (
    update orders o set ${to('fail')}, ${PLACE}, failure_reason = s.reason
    from unnest($1::bigint[], $2::text[]) as s (order_id, reason), batches b
    where o.order_id = s.order_id and b.batch_id = o.batch_id and ${from('fail')} and ${UNPAID}
    returning ${OWN_COLUMNS}, ${COUNTED_COLUMNS}),
  ${USAGE_CTES}
  select * from moved order by order_id`

export type FailedOrder = { orderId: bigint; reason: string }

/** Fails orders of a final batch, and gives their usage back. Returns those that moved, as they are now. */
export async function failOrders(tx: Queryable, failures: readonly FailedOrder[]): Promise<Order[]> {
  if (failures.length === 0) return []
  const rows = await tx.query<OrderRow>(FAIL, [
    failures.map(({ orderId }) => orderId),
    failures.map(({ reason }) => reason),
  ])
  return rows.map(orderFromRow)
}
