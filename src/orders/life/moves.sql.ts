/**
 * The moves that write an order's row after its acceptance, one statement each inside the caller's transaction. A move
 * changes only rows in the state from which it starts, and gives back only for those, so repeating it changes nothing.
 * Where an order is before its batch is final stands in its line (signed.sql.ts), and how far its batch is in the batch's own
 * row (settlement's tables).
 */
import type { Queryable } from '../../db/database.ts'
import type { Order } from '../order.ts'
import { type OrderRow, OWN_COLUMNS, orderFromRow } from '../row.sql.ts'
import { COUNTED_COLUMNS, USAGE_CTES } from './give-back.sql.ts'
import type { BatchKey } from './signed.sql.ts'
import { MOVES, STATES } from './states.ts'

/** The columns that a move sets. */
function to(move: 'settle' | 'burn' | 'payOut' | 'refund' | 'fail'): string {
  return `status = '${STATES[MOVES[move].to].stored}', updated_at = now()`
}

/**
 * Out of its batch, an order keeps the place where it was settled, so that the row of its batch is not needed again. Its line
 * goes: the database takes it away as it checks the move by it (`guard_order`).
 */
const PLACE = `batch_id = b.batch_id, batch_index = f.batch_index, tx_hash = decode(substr(b.tx_hash, 3), 'hex'), block_number = b.mined_block`

/** Orders `o` of final batches `b`, in which their lines `f` have them. An adopted mint may be one that was not confirmed. */
function inFinalBatch(move: 'settle' | 'burn' | 'fail'): string {
  const { directions, batch } = MOVES[move]
  const list = directions.map((direction) => `'${direction}'`).join(', ')
  return `f.order_id = o.order_id and b.chain_id = o.chain_id and b.batch_id = f.batch_id and b.status = '${batch}'
      and o.direction in (${list}) and o.status in ('payment_pending', 'pending')`
}

const UNDECIDED = `select ${OWN_COLUMNS}, f.since as signed_since, f.batch_id as signed_batch_id, f.batch_index as signed_batch_index,
    b.status as batch_status
  from batches b, signed_orders f, orders o
  where b.chain_id = $1 and b.batch_id = $2 and f.order_id = any ($3::bigint[]) and o.order_id = f.order_id and ${inFinalBatch('fail')}
  order by f.batch_index`

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

function leaveText(move: 'settle' | 'burn'): string {
  return `update orders o set ${to(move)}, ${PLACE} from signed_orders f, batches b
    where o.order_id = any ($1::bigint[]) and ${inFinalBatch(move)} returning ${OWN_COLUMNS}`
}

const MOVE_TEXTS = {
  settle: leaveText('settle'),
  burn: leaveText('burn'),
  payOut: `update orders o set ${to('payOut')}
    where o.order_id = any ($1::bigint[]) and o.status = '${STATES[MOVES.payOut.from].stored}' returning ${OWN_COLUMNS}`,
}

/** Makes one of the moves that end well: orders of a final batch are completed or sent to their payout, burnt redeems completed. Returns those that moved, as they are now. */
export async function moveOrders(
  tx: Queryable,
  move: keyof typeof MOVE_TEXTS,
  orderIds: readonly bigint[],
): Promise<Order[]> {
  if (orderIds.length === 0) return []
  const rows = await tx.query<OrderRow>(MOVE_TEXTS[move], [orderIds])
  return rows.map(orderFromRow)
}

const FAIL = `with moved as (
    update orders o set ${to('fail')}, ${PLACE}, failure_reason = s.reason
    from unnest($1::bigint[], $2::text[]) as s (order_id, reason), signed_orders f, batches b
    where o.order_id = s.order_id and ${inFinalBatch('fail')}
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

/** A redeem whose coin was minted back is as if it had never been burnt. */
const FAIL_BURNT = `with moved as (
    update orders o set ${to('refund')}, failure_reason = 'refunded'
    where o.order_id = $1 and o.status = '${STATES[MOVES.refund.from].stored}'
      and exists (select from payouts p where p.order_id = o.order_id and p.status = 'refunded')
    returning ${OWN_COLUMNS}, ${COUNTED_COLUMNS}),
  ${USAGE_CTES}
  select * from moved`

/** Fails a burnt redeem whose payout was refunded, and gives its usage back. Undefined when it is not one, or has ended. */
export async function failBurnt(tx: Queryable, orderId: bigint): Promise<Order | undefined> {
  const [row] = await tx.query<OrderRow>(FAIL_BURNT, [orderId])
  return row === undefined ? undefined : orderFromRow(row)
}
