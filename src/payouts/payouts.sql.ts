/** Payouts as operators see them, and what operators do with them. */
import { endToEndIdOf } from '../bank-files/end-to-end-id.ts'
import type { Queryable } from '../db/database.ts'
import { REFUNDS } from '../values/house.ts'
import { IS_QUEUED, mayMake } from './moves.ts'
import { type HoldReason, PAYOUT_STATUSES, type Payout, type PayoutStatus, UNPAID_STATUSES } from './payout.ts'
import { wakePayer } from './queue.sql.ts'
import { RESIDUALS } from './residual.sql.ts'
import { ENDS_WITH_RELEASE, HELD_BEFORE } from './said-by-settlers.ts'
import { NEWEST_ATTEMPT } from './unretried.sql.ts'

/** As `refundName`, of one of the refunds of a payout `p`. @param number an expression that counts them from 1 */
export const refundNameOf = (number: string) =>
  `p.payout_id || case when ${number} > 1 then '/' || ${number} else '' end`

/** That of the newest; null without one. */
const REFUND_NAME = `case when p.refunds > 0 then ${refundNameOf('p.refunds')} end`

/** The order that mints its coin back, or did, as operators name orders; null without one. */
export const REFUND_ORDER = `'${REFUNDS}/' || (${REFUND_NAME})`

/** Whether that order is not decided yet: nothing else can settle the payout. */
export const IS_BEING_REFUNDED = `exists (select from orders r where r.integration_id = '${REFUNDS}'
  and r.reference_id = (${REFUND_NAME}) and r.status in ('pending', 'processing'))`

const COLUMNS = `p.payout_id, p.order_id, coalesce(o.integration_id, p.integration_id) as integration_id,
  coalesce(o.reference_id, p.reference_id) as reference_id, p.customer_id, p.amount_sen, p.rail, p.status, p.status_since, p.hold_reason, p.owner,
  p.attempt, p.end_to_end_id, p.burn, p.times_asked, p.next_attempt_at, p.bank_id,
  (select d.bic from bank_details d where d.bank_id = p.bank_id) as bank_bic,
  (select d.account_ending from bank_details d where d.bank_id = p.bank_id) as account_ending, p.rail_reference, p.last_error, p.created_at, p.updated_at,
  ${REFUND_ORDER} as refund_order, ${IS_BEING_REFUNDED} as is_being_refunded`

type PayoutRow = {
  payout_id: string
  order_id: bigint | null
  integration_id: string
  reference_id: string
  customer_id: string
  amount_sen: bigint
  rail: string | null
  status: PayoutStatus
  status_since: Date
  hold_reason: HoldReason | null
  owner: string | null
  attempt: number
  end_to_end_id: string
  burn: string | null
  times_asked: number
  next_attempt_at: Date
  bank_id: string | null
  bank_bic: string | null
  account_ending: string | null
  rail_reference: string | null
  last_error: string | null
  created_at: Date
  updated_at: Date
  refund_order: string | null
  is_being_refunded: boolean
}

function payoutFromRow(row: PayoutRow): Payout {
  return {
    payoutId: row.payout_id,
    orderId: row.order_id,
    integrationId: row.integration_id,
    referenceId: row.reference_id,
    customerId: row.customer_id,
    amountSen: row.amount_sen,
    rail: row.rail,
    status: row.status,
    statusSince: row.status_since,
    holdReason: row.hold_reason,
    owner: row.owner,
    attempt: row.attempt,
    endToEndId: row.end_to_end_id,
    burn: row.burn,
    timesAsked: row.times_asked,
    nextAttemptAt: row.next_attempt_at,
    bankId: row.bank_id,
    bankBic: row.bank_bic,
    accountEnding: row.account_ending,
    railReference: row.rail_reference,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    refundOrder: row.refund_order,
    isBeingRefunded: row.is_being_refunded,
  }
}

export type PayoutPage = {
  status: PayoutStatus | undefined
  /** Only those that are not known to be paid. */
  unpaid?: boolean | undefined
  /** Only those that have had their status for longer. */
  olderThanMs?: number | undefined
  /** Those after this one. */
  after: string | undefined
  limit: number
}

/**
 * Each status by itself, as the index has them: there is none by age over all. No payout has had its status for longer than it has been there, so
 * that those which are too young are left out by their creation, which the index has, and not one by one.
 */
const PAGE = `select ${COLUMNS} from unnest($1::text[]) as s (status) cross join lateral (
    select * from payouts q where q.status = s.status and ($4::float8 is null
        or (q.status_since < now() - $4 * interval '1 ms' and q.created_at < now() - $4 * interval '1 ms'))
      and ($2::text is null or (q.created_at, q.payout_id) > (select a.created_at, a.payout_id from payouts a where a.payout_id = $2))
    order by q.created_at, q.payout_id limit $3) p
  left join orders o on o.order_id = p.order_id order by p.created_at, p.payout_id`

/** At most `limit` payouts, oldest first, of one status when given. */
export async function listPayouts(
  db: Queryable,
  { status, unpaid = false, olderThanMs, after, limit }: PayoutPage,
): Promise<Payout[]> {
  const statuses = status === undefined ? PAYOUT_STATUSES : [status]
  const rows = await db.query<PayoutRow>(`${PAGE} limit $3`, [
    statuses.filter((each) => !unpaid || UNPAID_STATUSES.has(each)),
    after ?? null,
    limit,
    olderThanMs ?? null,
  ])
  return rows.map(payoutFromRow)
}

/** One payout. */
export async function findPayout(db: Queryable, payoutId: string): Promise<Payout | undefined> {
  const [row] = await db.query<PayoutRow>(
    `select ${COLUMNS} from payouts p left join orders o on o.order_id = p.order_id where p.payout_id = $1`,
    [payoutId],
  )
  return row === undefined ? undefined : payoutFromRow(row)
}

/** Says who tends a payout. @returns whether there is such a payout */
export async function assignPayout(tx: Queryable, payoutId: string, owner: string): Promise<boolean> {
  const text = 'update payouts set owner = $2 where payout_id = $1 returning payout_id'
  return (await tx.query(text, [payoutId, owner])).length > 0
}

/** Makes a payout due now that waits to be asked about. One that is being asked about stays with whoever asks. */
export async function bringForward(tx: Queryable, payoutId: string): Promise<void> {
  await tx.query(
    `update payouts set next_attempt_at = now(), updated_at = now() where payout_id = $1 and ${IS_QUEUED}`,
    [payoutId],
  )
  await wakePayer(tx)
}

/** Queues a payout that was rejected or returned as its next attempt: under a new id, to the customer's account and by the rail of that moment. Its row is locked. */
export async function queueAttempt(tx: Queryable, payoutId: string): Promise<void> {
  const [newest] = await tx.query<{ attempt: number; integrationId: string; referenceId: string }>(
    `select ${NEWEST_ATTEMPT} as attempt,
       coalesce(o.integration_id, '${RESIDUALS}') as "integrationId", coalesce(o.reference_id, p.reference_id) as "referenceId"
     from payouts p left join orders o using (order_id) where p.payout_id = $1`,
    [payoutId],
  )
  if (newest === undefined) return
  const next = { ...newest, attempt: newest.attempt + 1 }
  await tx.query(
    `update payouts set status = 'queued', status_since = now(), next_attempt_at = now(), claimed_until = null,
       attempt = $2, end_to_end_id = $3, retries = retries + 1, rail = null, bank_id = null,
       rail_reference = null, updated_at = now()
     where payout_id = $1 and ${mayMake('retry')}`,
    [payoutId, next.attempt, endToEndIdOf(next)],
  )
  await wakePayer(tx)
}

/**
 * Holds a queued payout, or one whose hold would end by itself: it is asked about no more. Once released, it is held again for whatever still holds it. One that
 * is held until people let it go stays held for that: the hold stands in the audit log, and ends with the same release. @returns whether it is held now
 */
export async function holdPayout(tx: Queryable, payoutId: string): Promise<boolean> {
  const rows = await tx.query(
    `update payouts set status = 'held', updated_at = now(),
       hold_reason = case when hold_reason in ('other_attempt', 'burn_not_seen') then hold_reason else 'by_operator' end,
       status_since = case when hold_reason in ('by_operator', 'other_attempt', 'burn_not_seen') then status_since else now() end
     where payout_id = $1 and (${mayMake('hold')} or status || '' = 'held') returning payout_id`,
    [payoutId],
  )
  return rows.length > 0
}

/**
 * Queues a held payout, by what an operator knows:
 * - one that may have been paid before: the rail, which could not say so, is not asked first any more;
 * - one whose burn the chain did not show: the chain is asked again;
 * - one that is held because of an earlier attempt: only once that one has failed.
 * What a settler has said of it ends with that, where others say it while it is so.
 * @returns whether it was one of these, or was held by an operator
 */
export async function releasePayout(tx: Queryable, payoutId: string): Promise<boolean> {
  const rows = await tx.query(
    `update payouts p set status = 'queued', hold_reason = null, ask_first = ask_first and hold_reason <> 'maybe_paid_before',
       status_since = now(), next_attempt_at = now(), updated_at = now(),
       last_error = case when last_error = any ($2::text[]) or starts_with(last_error, $3) then null else last_error end
     where payout_id = $1 and ${mayMake('release')} and (hold_reason in ('maybe_paid_before', 'by_operator', 'burn_not_seen')
       or (hold_reason = 'other_attempt'
         and not exists (select from payout_attempts a where a.payout_id = p.payout_id and a.is_extra)))
     returning payout_id`,
    [payoutId, [...ENDS_WITH_RELEASE], HELD_BEFORE],
  )
  if (rows.length > 0) await wakePayer(tx)
  return rows.length > 0
}

/** How many payouts the rail does not have, by status; each counted up to 100,000. */
export async function countOpenPayouts(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ status: string; payouts: bigint }>(
    `select s.status, (select count(*) from
       (select 1 from payouts p where p.status = s.status limit 100000) counted) as payouts
     from (values ('queued'), ('held'), ('rejected'), ('returned')) as s (status)`,
  )
  return new Map(rows.map(({ status, payouts }) => [status, Number(payouts)]))
}
