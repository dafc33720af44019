/**
 * The writes of a POST about an existing order, each in one statement: the change, the key with its answer, event,
 * deliveries.
 */
import type { Param, Queryable } from '../../db/database.ts'
import { violatedConstraint } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { appendEventsCtes } from '../../events/events.sql.ts'
import type { Order } from '../order.ts'
import type { StoredAnswer } from './answers.sql.ts'
import type { Call, Written } from './record.sql.ts'

/** The key and its answer have the same instant, by which the answer is found in its month. */
function rememberCtes(order: string): string {
  return `used_key as (
    insert into idempotency_keys (integration_id, idempotency_key, fingerprint, order_id, answered_at)
    select integration_id, $2::text, $3::bytea, order_id, now() from ${order}),
  remembered as (
    insert into remembered_answers (integration_id, idempotency_key, status, body, created_at)
    select integration_id, $2::text, $4::smallint, $5::text, now() from ${order})`
}

/** Changes a waiting mint unless another request has done so; the rest of the statement depends on that change. */
const ADVANCE = `with advanced as (
    update orders set status = $6, updated_at = $7
    where order_id = $1 and status = 'payment_pending'
    returning order_id, integration_id),
  ${rememberCtes('advanced')},
  source as (
    select $8::text as event_id, $9::text as type, integration_id, order_id, $10::text as payload
    from advanced where $8::text is not null),
  ${appendEventsCtes('source')}
  select exists (select from appended_deliveries) as deliveries_due from advanced`

const REMEMBER = `with answered as (select $1::bigint as order_id, $6::text as integration_id),
  ${rememberCtes('answered')}
  select false as deliveries_due`

/** Moves a mint out of `payment_pending` to what `order` says (submitted or cancelled). */
export async function recordAdvance(
  db: Queryable,
  call: Call,
  order: Order,
  answer: StoredAnswer,
  event: OrderEvent | undefined,
): Promise<Written> {
  const change = [order.status, order.updatedAt]
  const told = [event?.eventId ?? null, event?.type ?? null, event?.payload ?? null]
  return write(db, ADVANCE, [...answerParams(call, order, answer), ...change, ...told])
}

/** Remembers an answer that changed nothing. */
export async function recordAnswer(db: Queryable, call: Call, order: Order, answer: StoredAnswer): Promise<Written> {
  return write(db, REMEMBER, [...answerParams(call, order, answer), call.caller.integrationId])
}

async function write(db: Queryable, text: string, params: readonly Param[]): Promise<Written> {
  try {
    const [row] = await db.query<{ deliveries_due: boolean }>(text, params)
    return row === undefined ? { lost: true } : { lost: false, deliveriesDue: row.deliveries_due }
  } catch (error) {
    if (violatedConstraint(error) === 'idempotency_keys_unique') return { lost: true }
    throw error
  }
}

function answerParams({ idempotencyKey, fingerprint }: Call, order: Order, { status, body }: StoredAnswer): Param[] {
  return [order.orderId, idempotencyKey, `\\x${fingerprint}`, status, body]
}
