/** Read-only facts about what was done with one order: batch, attempts, payout, events, deliveries. */
import type { Queryable, Row } from '../../db/database.ts'
import { eventIdsOf } from '../../events/event.ts'
import { formatAmount, SEN_IN_MICRO } from '../../money.ts'
import type { Order } from '../../orders/order.ts'
import { REFUND_ORDER } from '../../payouts/payouts.sql.ts'

const MAX_SHOWN = 100

/** Everything on record, except signed bytes; each list holds the latest 100, oldest first. */
export async function readHistory(db: Queryable, order: Order) {
  const [batch, attempts, payout, events, deliveries] = await Promise.all([
    readBatch(db, order),
    readAttempts(db, order),
    readPayout(db, order.orderId),
    readEvents(db, eventIdsOf(order)),
    readDeliveries(db, eventIdsOf(order)),
  ])
  return { batch, attempts, payout, events, deliveries }
}

async function readBatch(db: Queryable, { chainId, batchId }: Order) {
  if (batchId === null) return null
  const [row] = await db.query<Row>(
    `select batch_id::text as "batchId", status, signer, nonce::text as nonce, digest, order_count as "orderCount", is_foreign as "isForeign",
      mined_block::text as "minedBlock", mined_hash as "minedHash", tx_hash as "txHash",
      created_at as "createdAt", finalized_at as "finalizedAt"
    from batches where chain_id = $1 and batch_id = $2`,
    [chainId, batchId],
  )
  return row ?? null
}

function readAttempts(db: Queryable, { chainId, batchId }: Order): Promise<Row[]> {
  if (batchId === null) return Promise.resolve([])
  return db.query(
    `select * from (
      select tx_hash as "txHash", nonce::text as nonce, max_fee_per_gas::text as "maxFeePerGasWei",
        max_priority_fee_per_gas::text as "maxPriorityFeePerGasWei", gas_limit::text as "gasLimit",
        created_at as "createdAt", last_broadcast_at as "lastBroadcastAt", last_answer as "lastAnswer"
      from batch_attempts where chain_id = $1 and batch_id = $2 order by created_at desc limit ${MAX_SHOWN}) latest
    order by "createdAt"`,
    [chainId, batchId],
  )
}

async function readPayout(db: Queryable, orderId: bigint) {
  const [row] = await db.query<Row & { amount_sen: bigint }>(
    `select payout_id as "payoutId", amount_sen, rail, status, status_since as "since", owner,
      attempt, end_to_end_id as "endToEndId", times_asked as "timesAsked", rail_reference as "railReference",
      last_error as "lastError", next_attempt_at as "nextAttemptAt", created_at as "createdAt", updated_at as "updatedAt",
      ${REFUND_ORDER} as "refundOrder"
    from payouts p where order_id = $1`,
    [orderId],
  )
  if (row === undefined) return null
  const { amount_sen: amountSen, ...payout } = row
  return { ...payout, amountMyr: formatAmount(amountSen * SEN_IN_MICRO) }
}

function readEvents(db: Queryable, eventIds: readonly string[]): Promise<Row[]> {
  return db.query(
    `select event_id as "eventId", type, created_at as "createdAt" from events where event_id = any ($1::text[])
    order by event_seq limit ${MAX_SHOWN}`,
    [eventIds],
  )
}

function readDeliveries(db: Queryable, eventIds: readonly string[]): Promise<Row[]> {
  return db.query(
    `select * from (
      select d.delivery_id::text as "deliveryId", d.event_id as "eventId", e.type, d.endpoint_id as "endpointId", d.status,
        d.attempts, case when d.status = 'due' then d.next_attempt_at end as "nextAttemptAt", t.http_status as "httpStatus",
        t.error as "lastError", coalesce(d.created_at, d.event_at) as "createdAt"
      from events e join webhook_endpoints w on w.integration_id = e.integration_id
      join deliveries d on d.endpoint_id = w.endpoint_id and d.event_at = e.created_at and d.event_id = e.event_id
      left join lateral (
        select a.http_status, a.error from delivery_attempts a where a.delivery_id = d.delivery_id
        order by a.attempt desc limit 1) t on true
      where e.event_id = any ($1::text[]) order by d.delivery_id desc limit ${MAX_SHOWN}) latest
    order by "createdAt", "deliveryId"`,
    [eventIds],
  )
}
