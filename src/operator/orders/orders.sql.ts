/** Read-only facts about orders, over the tables of every part that had a hand in them. */
import type { Queryable } from '../../db/database.ts'
import { onLostChain } from '../../db/lost-chains.sql.ts'
import { type Order, type OrderStatus, STATUSES } from '../../orders/order.ts'
import { BATCH_OF_ORDER, ORDER_COLUMNS, type OrderRow, orderFromRow, SHOWN_STATUS } from '../../orders/row.sql.ts'
import type { HoldReason } from '../../payouts/payout.ts'
import { IS_BEING_REFUNDED, REFUND_ORDER } from '../../payouts/payouts.sql.ts'
import { DONE_BY_OTHERS } from '../../settlement/tables/ended-alike.sql.ts'
import { IS_LOST, REMINT_STATUS_OF, WAS_REFUSED } from './lost.sql.ts'
import type { WaitingFacts } from './waiting.ts'

/** `confirmedKeyId`: of a mint that counts in a day's cap, the key whose cap that is. It has confirmed the payment, or one that replaced it has. */
export type OrderWithFacts = { order: Order; confirmedKeyId: string | null; facts: WaitingFacts }

type FactsRow = OrderRow & {
  mint_cap_key_id: string | null
  settler_alive: boolean
  observed_block: bigint | null
  has_tag_conflict: boolean
  held: string | null
  hold_reason: string | null
  hold_details: string | null
  hold_blocked: string[] | null
  hold_age_ms: number | null
  capacity_micro: bigint | null
  signed_batches: bigint
  oldest_signed: bigint | null
  attempts: bigint
  last_answer: string | null
  payout_id: string | null
  payout_status: string | null
  payout_times_asked: number | null
  payout_error: string | null
  payout_hold_reason: HoldReason | null
  payout_refund_order: string | null
  lost_batch: bigint | null
  lost_executed: boolean | null
  lost_refused: boolean | null
  lost_remint: string | null
  lost_remint_status: string | null
  lost_closed: boolean | null
  is_chain_lost: boolean
  is_done_by_others: boolean
}

/** The facts that explain why an order waits. The settler's lease is named `settlement:<chain id>`. */
const FACTS = `
  exists (select 1 from leases l where l.name = 'settlement:' || o.chain_id and l.expires_at > now()) as settler_alive,
  (select c.observed_block from chains c where c.chain_id = o.chain_id) as observed_block,
  exists (select 1 from tag_conflicts t where t.order_id = o.order_id) as has_tag_conflict, ${onLostChain('o.chain_id')} as is_chain_lost,
  exists (select from ${DONE_BY_OTHERS}) as is_done_by_others,
  (select w.reason from order_holds w where w.order_id = o.order_id) as held, h.reason as hold_reason, h.details as hold_details, h.blocked as hold_blocked,
  (extract(epoch from now() - h.seen_at) * 1000)::float8 as hold_age_ms, l.capacity_micro,
  (select count(*) from batches s where s.chain_id = o.chain_id and s.status = 'signed') as signed_batches,
  (select min(s.batch_id) from batches s where s.chain_id = o.chain_id and s.status = 'signed') as oldest_signed,
  coalesce(a.attempts, 0) as attempts, a.last_answer,
  p.payout_id, p.status as payout_status, p.times_asked as payout_times_asked, p.last_error as payout_error,
  p.hold_reason as payout_hold_reason, case when ${IS_BEING_REFUNDED} then ${REFUND_ORDER} end as payout_refund_order,
  lo.batch_id as lost_batch, lo.executed as lost_executed, ${WAS_REFUSED('lo')} as lost_refused, lo.remint as lost_remint, lo.closed_at is not null as lost_closed,
  (${REMINT_STATUS_OF('lo')}) as lost_remint_status, o.mint_cap_key_id`
const FACTS_JOINS = `
  ${BATCH_OF_ORDER}
  left join lateral (
    select count(*) as attempts, (array_agg(t.last_answer order by t.created_at desc))[1] as last_answer
    from batch_attempts t where t.chain_id = o.chain_id and t.batch_id = coalesce(o.batch_id, f.batch_id)) a on true
  left join settlement_holds h on h.chain_id = o.chain_id
  left join chain_limits l on l.chain_id = o.chain_id and l.direction = o.direction
  left join payouts p on p.order_id = o.order_id
  left join lost_orders lo on lo.order_id = o.order_id and not lo.undone`

export type OrderPage = {
  statuses: readonly OrderStatus[]
  integrationId: string | undefined
  /** Only orders that made no progress for this long. */
  idleMs: number | undefined
  /** With `idleMs`: of those that wait for a person, also ones that made progress since. */
  withAwaited: boolean
  /** Also those of these statuses, of ended orders, for which a foreign batch has moved coin. */
  conflicting: readonly OrderStatus[]
  /** Also those of these statuses that the chain has lost, or executed after all. */
  lost: readonly OrderStatus[]
  /** Orders before this one. */
  before: bigint | undefined
  limit: number
}

/** Whether a person must decide about an order, and is to be told. */
const AWAITED = `($8::boolean and (exists (select from order_holds w where w.order_id = o.order_id)
            or exists (select from tag_conflicts t where t.order_id = o.order_id)))`

/**
 * Reads each stored status by itself, because the statuses that few orders have at a time have an index of their own. An order cannot be idle for longer
 * than since its acceptance, so a cheap look at that comes before the look for its batch.
 */
const PAGE = STATUSES.map(
  (stored) => `select o.* from orders o ${BATCH_OF_ORDER}
      where '${stored}' = any ($7::text[]) and o.status = '${stored}' and ${SHOWN_STATUS} = any ($1::text[])
        and ($2::text is null or o.integration_id = $2)
        and ($3::float8 is null or o.created_at < now() - $3 * interval '1 millisecond' or ${AWAITED})
        and ($3::float8 is null or greatest(o.created_at, o.updated_at, f.since, b.moved_at) < now() - $3 * interval '1 millisecond'
          or ${AWAITED})
        and ($4::bigint is null or o.order_id < $4)
      order by o.order_id desc limit $5::int`,
)
  .map((text) => `(${text})`)
  .join(' union all ')

/**
 * Reads every order, whatever its status, in one: read by status, the newest that have ended would be found only behind all that wait. The odd condition is
 * always true, and gives a type to the parameters that only `PAGE` uses.
 */
const PAGE_OF_ALL = `(select o.* from orders o where num_nulls($1::text[], $3::float8, $7::text[], $8::boolean) < 5
      and ($4::bigint is null or o.order_id < $4) order by o.order_id desc limit $5::int)`

/** At most `limit` orders, newest first. */
export async function listOrdersOfAll(db: Queryable, page: OrderPage): Promise<OrderWithFacts[]> {
  const rows = await db.query<FactsRow>(
    `with page as materialized (
      ${isOfAll(page) ? PAGE_OF_ALL : PAGE}
      union all
      (select o.* from tag_conflicts t join orders o on o.order_id = t.order_id
      where o.status = any ($6::text[]) and ($2::text is null or o.integration_id = $2)
        and ($4::bigint is null or o.order_id < $4)
      order by o.order_id desc limit $5::int)
      union all
      (select o.* from lost_orders l join orders o on o.order_id = l.order_id
      where ($2::text is null or o.integration_id = $2) and ($4::bigint is null or o.order_id < $4)
        and ${IS_LOST} and o.status = any ($9::text[])
        and not exists (select from tag_conflicts t where t.order_id = o.order_id)
      order by o.order_id desc limit $5::int)
      order by order_id desc limit $5::int)
    select ${ORDER_COLUMNS}, ${FACTS} from page o ${FACTS_JOINS} order by o.order_id desc limit $5::int`,
    [
      page.statuses,
      page.integrationId ?? null,
      page.idleMs ?? null,
      page.before ?? null,
      page.limit,
      page.conflicting,
      // What was signed is stored as pending.
      page.statuses.includes('processing') ? [...page.statuses, 'pending'] : page.statuses,
      page.withAwaited,
      page.lost,
    ],
  )
  return rows.map(fromRow)
}

function isOfAll({ statuses, integrationId, idleMs }: OrderPage): boolean {
  return STATUSES.every((each) => statuses.includes(each)) && integrationId === undefined && idleMs === undefined
}

/** These orders, newest first. */
export async function listOrdersById(db: Queryable, orderIds: readonly bigint[]): Promise<OrderWithFacts[]> {
  const rows = await db.query<FactsRow>(
    `select ${ORDER_COLUMNS}, ${FACTS} from orders o ${FACTS_JOINS} where o.order_id = any ($1::bigint[]) order by o.order_id desc`,
    [orderIds],
  )
  return rows.map(fromRow)
}

/** One order; undefined when the integration has none with that reference. */
export async function findOrderWithFacts(
  db: Queryable,
  integrationId: string,
  referenceId: string,
): Promise<OrderWithFacts | undefined> {
  const [row] = await db.query<FactsRow>(
    `select ${ORDER_COLUMNS}, ${FACTS} from orders o ${FACTS_JOINS} where o.integration_id = $1 and o.reference_id = $2`,
    [integrationId, referenceId],
  )
  return row === undefined ? undefined : fromRow(row)
}

function fromRow(row: FactsRow): OrderWithFacts {
  const { payout_id: payoutId } = row
  return {
    order: orderFromRow(row),
    confirmedKeyId: row.mint_cap_key_id,
    facts: {
      settlerAlive: row.settler_alive,
      observedBlock: row.observed_block,
      hasTagConflict: row.has_tag_conflict,
      isChainLost: row.is_chain_lost,
      isDoneByOthers: row.is_done_by_others,
      held: row.held,
      hold: holdFrom(row),
      capacityMicro: row.capacity_micro,
      signedBatches: Number(row.signed_batches),
      oldestSigned: row.oldest_signed,
      attempts: Number(row.attempts),
      lastAnswer: row.last_answer,
      lost: lostFrom(row),
      payout:
        payoutId === null
          ? undefined
          : {
              payoutId,
              status: row.payout_status ?? '',
              timesAsked: row.payout_times_asked ?? 0,
              error: row.payout_error,
              holdReason: row.payout_hold_reason,
              refundOrder: row.payout_refund_order,
            },
    },
  }
}

function lostFrom(row: FactsRow) {
  const { lost_batch: batchId, lost_remint: remint, lost_remint_status: remintStatus } = row
  if (batchId === null) return undefined
  const [isClosed, isExecuted] = [row.lost_closed === true, row.lost_executed === true]
  return { batchId, remint, remintStatus, isClosed, isExecuted, wasRefused: row.lost_refused === true }
}

function holdFrom({ hold_reason: reason, hold_details: details, hold_blocked: blocked, hold_age_ms: ageMs }: FactsRow) {
  return reason === null ? undefined : { reason, details, blocked: blocked ?? [], ageMs: ageMs ?? 0 }
}
