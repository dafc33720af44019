/**
 * The writes of a POST, each one statement: the order's change, the remembered answer, usage, earmark, event and deliveries
 * together or not at all. Every text is constant, so that it can be prepared.
 */
import type { Param, Queryable } from '../../db/database.ts'
import { violatedConstraint } from '../../db/database.ts'
import type { OrderEvent } from '../../events/event.ts'
import { appendEventsCtes } from '../../events/store.ts'
import type { Order } from '../order.ts'
import type { PostCall } from './call.ts'
import type { Acceptance, EarmarkAddition, NewOrder, UsageAddition } from './decision.ts'

/** A violated one of these means that a concurrent request or the settler was first: read again, decide again. */
const RACE_CONSTRAINTS: ReadonlySet<string | undefined> = new Set([
  'orders_reference_unique',
  'idempotency_keys_unique',
  'transfer_usage_within_cap',
  'withdrawal_usage_within_cap',
  'wallet_earmarks_within_balance',
  'wallet_earmarks_facts_current',
])

/** What a write came to: `lost` means that nothing was written because another request was first. */
export type Written = { lost: true } | { lost: false; deliveriesDue: boolean }

type Call = Pick<PostCall, 'caller' | 'idempotencyKey' | 'fingerprint'>
export type StoredAnswer = { status: number; body: string }

const ORDER_PARAMS = 16
const ANSWER_PARAMS = 4

const NEW_ORDER = `new_order as (
    insert into orders (integration_id, reference_id, direction, status, phase, chain_id, network, token_address,
      wallet_address, debit_address, customer_id, key_id, amount_micro, fee_micro, bank_reference, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
    returning order_id, integration_id)`

const COUNTERS = {
  transfer: { table: 'transfer_usage', owner: 'key_id', period: 'day' },
  withdrawal: { table: 'withdrawal_usage', owner: 'customer_id', period: 'month' },
}

type Parts = { event: boolean; counter: UsageAddition['counter'] | undefined; earmark: boolean }

const ACCEPT_TEXTS = new Map<string, string>()

/** The accepting statement: order $1–$16, answer $17–$20, then event, usage and earmark as far as there are any. */
function acceptText(parts: Parts): string {
  const name = `${parts.event} ${parts.counter} ${parts.earmark}`
  const known = ACCEPT_TEXTS.get(name)
  if (known !== undefined) return known
  let next = ORDER_PARAMS + ANSWER_PARAMS + 1
  const ctes = [NEW_ORDER, rememberCte(ORDER_PARAMS + 1, '$1')]
  if (parts.event) {
    ctes.push(eventCtes(next, 'new_order'))
    next += 3
  }
  if (parts.counter !== undefined) {
    ctes.push(usageCte(parts.counter, next))
    next += 3
  }
  if (parts.earmark) ctes.push(earmarkCte(next))
  const text = `with ${ctes.join(',\n  ')}\n  ${selectWritten('new_order', parts.event)}`
  ACCEPT_TEXTS.set(name, text)
  return text
}

function rememberCte(first: number, integration: string): string {
  return `remembered as (
    insert into idempotency_keys (integration_id, idempotency_key, fingerprint, status, body)
    values (${integration}, $${first}, $${first + 1}, $${first + 2}, $${first + 3}))`
}

function eventCtes(first: number, orders: string): string {
  return `source as (
    select $${first}::text as event_id, $${first + 1}::text as type, o.integration_id, o.order_id, $${first + 2}::text as payload
    from ${orders} o),
  ${appendEventsCtes('source')}`
}

function usageCte(counter: UsageAddition['counter'], first: number): string {
  const { table, owner, period } = COUNTERS[counter]
  return `usage as (
    insert into ${table} (${owner}, ${period}, committed_micro, cap_micro)
    values ($${first}, $${first + 1}::text::date, $13, $${first + 2})
    on conflict (${owner}, ${period}) do update
      set committed_micro = ${table}.committed_micro + excluded.committed_micro, cap_micro = excluded.cap_micro)`
}

/** A fresh row has epoch 0, as the facts of an absent row say. */
function earmarkCte(first: number): string {
  return `earmark as (
    insert into wallet_earmarks (chain_id, address, earmarked_micro, facts_epoch, epoch, balance_micro)
    values ($6, $10, $13, $${first}, $${first}, $${first + 1})
    on conflict (chain_id, address) do update
      set earmarked_micro = wallet_earmarks.earmarked_micro + excluded.earmarked_micro,
        facts_epoch = excluded.facts_epoch, balance_micro = excluded.balance_micro)`
}

function selectWritten(orders: string, event: boolean): string {
  const due = event ? 'exists (select from appended_deliveries)' : 'false'
  return `select order_id, ${due} as deliveries_due from ${orders}`
}

/** Changes a waiting mint unless another request has; everything else of the statement hangs on that change. */
function advanceText(event: boolean): string {
  return `with advanced as (
    update orders set status = $2, phase = $3, updated_at = $4
    where order_id = $1 and status = 'payment_pending'
    returning order_id, integration_id),
  remembered as (
    insert into idempotency_keys (integration_id, idempotency_key, fingerprint, status, body)
    select integration_id, $5::text, $6::text, $7::smallint, $8::text from advanced)
  ${event ? `, ${eventCtes(9, 'advanced')}` : ''}
  ${selectWritten('advanced', event)}`
}

const ADVANCE_WITH_EVENT = advanceText(true)
const ADVANCE_QUIETLY = advanceText(false)

const REMEMBER = `insert into idempotency_keys (integration_id, idempotency_key, fingerprint, status, body)
  values ($1, $2, $3, $4, $5) returning true as written`

/** Records a new order with everything that belongs to its acceptance. */
export async function recordAcceptance(
  db: Queryable,
  call: Call,
  { order, usage, earmark }: Acceptance,
  answer: StoredAnswer,
  event: OrderEvent | undefined,
): Promise<Written> {
  const text = acceptText({ event: event !== undefined, counter: usage?.counter, earmark: earmark !== undefined })
  const params = [
    ...orderParams(order),
    ...answerParams(call, answer),
    ...eventParams(event),
    ...usageParams(usage),
    ...earmarkParams(earmark),
  ]
  return write(db, text, params)
}

/** Moves a mint out of `payment_pending` to what `order` says (submitted or cancelled). */
export async function recordAdvance(
  db: Queryable,
  call: Call,
  order: Order,
  answer: StoredAnswer,
  event: OrderEvent | undefined,
): Promise<Written> {
  const params = [order.orderId, order.status, order.phase, order.updatedAt, ...answerParams(call, answer)]
  return write(db, event ? ADVANCE_WITH_EVENT : ADVANCE_QUIETLY, [...params, ...eventParams(event)])
}

/** Remembers an answer that changed nothing. */
export async function recordAnswer(db: Queryable, call: Call, answer: StoredAnswer): Promise<Written> {
  return write(db, REMEMBER, [call.caller.integrationId, ...answerParams(call, answer)])
}

async function write(db: Queryable, text: string, params: readonly Param[]): Promise<Written> {
  try {
    const [row] = await db.query(text, params)
    return row === undefined ? { lost: true } : { lost: false, deliveriesDue: row.deliveries_due === true }
  } catch (error) {
    if (RACE_CONSTRAINTS.has(violatedConstraint(error))) return { lost: true }
    throw error
  }
}

/** $1–$16 of a new order. */
export function orderParams(order: NewOrder): Param[] {
  return [
    order.integrationId,
    order.referenceId,
    order.direction,
    order.status,
    order.phase,
    order.chainId,
    order.network,
    order.tokenAddress,
    order.walletAddress,
    order.debitAddress,
    order.customerId,
    order.keyId,
    order.amountMicro,
    order.feeMicro,
    order.bankReference,
    order.createdAt,
  ]
}

/** The remembered answer: key, fingerprint, status, body. */
export function answerParams({ idempotencyKey, fingerprint }: Call, { status, body }: StoredAnswer): Param[] {
  return [idempotencyKey, fingerprint, status, body]
}

function eventParams(event: OrderEvent | undefined): Param[] {
  return event === undefined ? [] : [event.eventId, event.type, event.payload]
}

function usageParams(usage: UsageAddition | undefined): Param[] {
  return usage === undefined ? [] : [usage.owner, usage.period, usage.capMicro]
}

function earmarkParams(earmark: EarmarkAddition | undefined): Param[] {
  return earmark === undefined ? [] : [earmark.epoch, earmark.balanceMicro]
}
