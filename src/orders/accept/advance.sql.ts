/** The writes of a POST about an order that exists, each one statement: its change, the remembered answer, event, deliveries. */
import type { Param, Queryable } from '../../db/database.ts'
import { violatedConstraint } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { appendEventsCtes } from '../../events/events.sql.ts'
import type { Order } from '../order.ts'
import type { Call, StoredAnswer, Written } from './record.sql.ts'

const REMEMBER_COLUMNS = 'integration_id, idempotency_key, fingerprint, status, body'

/** Changes a waiting mint unless another request has; everything else of the statement hangs on that change. */
const ADVANCE = `with advanced as (
    update orders set status = $2, phase = $3, updated_at = $4
    where order_id = $1 and status = 'payment_pending'
    returning order_id, integration_id),
  remembered as (
    insert into idempotency_keys (${REMEMBER_COLUMNS})
    select integration_id, $5::text, $6::text, $7::smallint, $8::text from advanced),
  source as (
    select $9::text as event_id, $10::text as type, integration_id, order_id, $11::text as payload
    from advanced where $9::text is not null),
  ${appendEventsCtes('source')}
  select exists (select from appended_deliveries) as deliveries_due from advanced`

const REMEMBER = `insert into idempotency_keys (${REMEMBER_COLUMNS})
  values ($1, $2, $3, $4, $5) returning false as deliveries_due`

/** Moves a mint out of `payment_pending` to what `order` says (submitted or cancelled). */
export async function recordAdvance(
  db: Queryable,
  call: Call,
  order: Order,
  answer: StoredAnswer,
  event: OrderEvent | undefined,
): Promise<Written> {
  const change = [order.orderId, order.status, order.phase, order.updatedAt]
  const told = [event?.eventId ?? null, event?.type ?? null, event?.payload ?? null]
  return write(db, ADVANCE, [...change, ...answerParams(call, answer), ...told])
}

/** Remembers an answer that changed nothing. */
export async function recordAnswer(db: Queryable, call: Call, answer: StoredAnswer): Promise<Written> {
  return write(db, REMEMBER, [call.caller.integrationId, ...answerParams(call, answer)])
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

function answerParams({ idempotencyKey, fingerprint }: Call, { status, body }: StoredAnswer): Param[] {
  return [idempotencyKey, fingerprint, status, body]
}
