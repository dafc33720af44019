/**
 * The writes of a POST about an existing order, each in one statement: the change, the key with its answer, event,
 * deliveries.
 */
import type { Param, Queryable } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { ANNOUNCE_CTES } from '../../webhooks/queue/announce.sql.ts'
import { ADVANCE_CTES } from '../life/accepted.sql.ts'
import type { Order } from '../order.ts'
import type { StoredAnswer } from './answers.sql.ts'
import type { KeyedCall } from './call.ts'
import type { UsageAddition } from './decision.ts'
import { isLostRace, type Written } from './record.sql.ts'

/**
 * CTEs that use the key up and remember its answer. The key, its fingerprint, and the answer's status and body are the four parameters from `first` on.
 *
 * Key and answer have the same instant, by which the answer is found in its month. The answer is inserted from the key's row, so that of two requests
 * with one key the loser violates the key's constraint, which has one name; the answer's is named for its month.
 */
function rememberCtes(order: string, first: number): string {
  return `used_key as (
    insert into idempotency_keys (integration_id, idempotency_key, fingerprint, order_id, answered_at)
    select integration_id, $${first}::text, $${first + 1}::bytea, order_id, now() from ${order}
    returning integration_id),
  remembered as (
    insert into remembered_answers (integration_id, idempotency_key, status, body, created_at)
    select integration_id, $${first}::text, $${first + 2}::smallint, $${first + 3}::text, now() from used_key)`
}

/** Changes a waiting mint unless another request has done so; the rest of the statement depends on that change. */
const ADVANCE = `with ${ADVANCE_CTES},
  ${rememberCtes('advanced', 7)},
  source as (
    select $11::text as event_id, $12::text as type, integration_id, reference_id, amount_micro, null::bytea as tx_hash,
      null::bigint as block_number, $13::timestamptz as happened_at from advanced where $11::text is not null),
  ${ANNOUNCE_CTES}
  select exists (select from planned_deliveries) as deliveries_due from advanced`

const REMEMBER = `with answered as (select $1::bigint as order_id, $2::text as integration_id),
  ${rememberCtes('answered', 3)}
  select false as deliveries_due`

/** Moves a mint out of `payment_pending` to what `order` says (submitted or cancelled), and counts it as `usage` says. */
export async function recordAdvance(
  db: Queryable,
  call: KeyedCall,
  { order, usage }: { order: Order; usage: UsageAddition | undefined },
  answer: StoredAnswer,
  event: OrderEvent | undefined,
): Promise<Written> {
  const change = [order.orderId, order.status, order.updatedAt]
  const counted = [usage?.owner ?? null, usage?.period ?? null, usage?.capMicro ?? null]
  const told = [event?.eventId ?? null, event?.type ?? null, event?.happenedAt ?? null]
  return write(db, ADVANCE, [...change, ...counted, ...answerParams(call, answer), ...told])
}

/** Remembers an answer that changed nothing. */
export async function recordAnswer(
  db: Queryable,
  call: KeyedCall,
  order: Order,
  answer: StoredAnswer,
): Promise<Written> {
  return write(db, REMEMBER, [order.orderId, call.caller.integrationId, ...answerParams(call, answer)])
}

async function write(db: Queryable, text: string, params: readonly Param[]): Promise<Written> {
  try {
    const [row] = await db.query<{ deliveries_due: boolean }>(text, params)
    return row === undefined ? { lost: true } : { lost: false, deliveriesDue: row.deliveries_due }
  } catch (error) {
    if (isLostRace(error)) return { lost: true }
    throw error
  }
}

function answerParams({ idempotencyKey, fingerprint }: KeyedCall, { status, body }: StoredAnswer): Param[] {
  return [idempotencyKey, `\\x${fingerprint}`, status, body]
}
