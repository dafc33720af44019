/** Idempotency-Keys: the answer that one was given, and keys that are used up for something other than an order. */
import type { Queryable, Row } from '../../db/database.ts'
import type { MonthlyTable } from '../../db/monthly.ts'
import { type OrderRow, OWN_COLUMNS, orderFromRow } from '../row.sql.ts'
import type { CallKey, KeyedCall } from './call.ts'
import { firstAnswerOf } from './first-answer.ts'

export const REMEMBERED_ANSWERS = {
  name: 'remembered_answers',
  instantColumn: 'created_at',
  fillPercent: 100,
  awaited: 'false',
  decided: 'true',
} as const satisfies MonthlyTable

export type StoredAnswer = { status: number; body: string }

/** `answer` is undefined once its retention is over. */
export type GivenAnswer = { fingerprint: string; answer: StoredAnswer | undefined }

/** An answer lies in the partition of its own month, so no other is read. */
const GIVEN = `select encode(k.fingerprint, 'hex') as fingerprint, k.first_answer, r.status as answer_status, r.body, ${OWN_COLUMNS}
  from idempotency_keys k
  left join orders o on o.order_id = k.order_id and k.first_answer is not null
  left join remembered_answers r on r.integration_id = k.integration_id and r.idempotency_key = k.idempotency_key
    and r.created_at = k.answered_at
  where k.integration_id = $1 and k.idempotency_key = $2`

/**
 * The earlier answer to the call's Idempotency-Key; keys are scoped to the integration.
 * @returns undefined for a key that was never used
 * @throws DatabaseUnavailableError
 */
export async function findGivenAnswer(
  db: Queryable,
  { caller, idempotencyKey }: CallKey,
): Promise<GivenAnswer | undefined> {
  const [row] = await db.query(GIVEN, [caller.integrationId, idempotencyKey])
  return row === undefined ? undefined : { fingerprint: row.fingerprint as string, answer: answerOf(row) }
}

function answerOf(row: Row): StoredAnswer | undefined {
  if (row.first_answer === 'payment_pending' || row.first_answer === 'pending') {
    return firstAnswerOf(orderFromRow(row as OrderRow), row.first_answer)
  }
  if (row.body === null) return undefined
  return { status: row.answer_status as number, body: row.body as string }
}

/** In place of an order's id: no order has it. */
const NO_ORDER = 0

/**
 * Uses a key up for something that is no order, so that no order can be created with it.
 * @param call.fingerprint 64 hex digits
 * @returns false when the key has been used
 */
export async function useKeyElsewhere(
  db: Queryable,
  { caller, idempotencyKey, fingerprint }: KeyedCall,
): Promise<boolean> {
  const rows = await db.query(
    `insert into idempotency_keys (integration_id, idempotency_key, fingerprint, order_id, answered_at)
     values ($1, $2, $3, $4, now()) on conflict do nothing returning integration_id`,
    [caller.integrationId, idempotencyKey, `\\x${fingerprint}`, NO_ORDER],
  )
  return rows.length > 0
}
