/** Many accepted mints in one statement: orders, remembered answers, events and deliveries, all of them or none. */
import type { Param, Queryable } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { appendEventsCtes } from '../../events/store.ts'
import type { PostCall } from './call.ts'
import type { NewOrder } from './decision.ts'
import { answerParams, orderParams, type StoredAnswer, type Written } from './record.sql.ts'

export type NewMint = {
  call: Pick<PostCall, 'caller' | 'idempotencyKey' | 'fingerprint'>
  order: NewOrder
  answer: StoredAnswer
  /** Undefined for a mint that still waits for its payment. */
  event: OrderEvent | undefined
}

const ORDER_COLUMNS = `integration_id, reference_id, direction, status, phase, chain_id, network, token_address,
  wallet_address, debit_address, customer_id, key_id, amount_micro, fee_micro, bank_reference, created_at`

/**
 * Every statement takes references, and then keys, in the same order: two that share some wait for one another, but not
 * in a circle.
 */
const RECORD_MINTS = `with mint as materialized (
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::text[], $16::timestamptz[],
      $17::text[], $18::text[], $19::smallint[], $20::text[], $21::text[], $22::text[], $23::text[])
    as m (${ORDER_COLUMNS}, idempotency_key, fingerprint, answer_status, answer_body, event_id, event_type, payload)),
  new_order as (
    insert into orders (${ORDER_COLUMNS})
    select ${ORDER_COLUMNS} from mint order by integration_id, reference_id
    returning order_id, integration_id, reference_id),
  remembered as (
    insert into idempotency_keys (integration_id, idempotency_key, fingerprint, status, body)
    select integration_id, idempotency_key, fingerprint, answer_status, answer_body
    from mint order by integration_id, idempotency_key),
  source as (
    select m.event_id, m.event_type as type, m.integration_id, o.order_id, m.payload
    from mint m join new_order o on o.integration_id = m.integration_id and o.reference_id = m.reference_id
    where m.event_id is not null),
  ${appendEventsCtes('source')}
  select exists (select from appended_deliveries) as deliveries_due`

/**
 * Records new mints with everything that belongs to their acceptance.
 * @throws the database's error, a violated constraint included, when any of them cannot be recorded: then none are
 */
export async function recordMints(db: Queryable, mints: readonly NewMint[]): Promise<Written> {
  const rows = mints.map(({ call, order, answer, event }) => [
    ...orderParams(order),
    ...answerParams(call, answer),
    ...[event?.eventId ?? null, event?.type ?? null, event?.payload ?? null],
  ])
  const columns = (rows[0] ?? []).map((_value, column) => rows.map((row) => row[column] ?? null))
  const [row] = await db.query(RECORD_MINTS, columns as Param[])
  return { lost: false, deliveriesDue: row?.deliveries_due === true }
}
