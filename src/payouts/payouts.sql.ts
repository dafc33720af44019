/** Payouts as operators see them, and what operators do with them. */
import { PAYOUTS_DUE } from '../db/channels.ts'
import type { Queryable } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfSent } from '../ledger/postings.ts'
import type { HoldReason, Payout, PayoutStatus } from './payout.ts'

const COLUMNS = `p.payout_id, p.order_id, p.customer_id, p.amount_sen, p.rail, p.status, p.hold_reason, p.attempts,
  p.next_attempt_at, p.rail_reference, p.last_error, p.created_at, p.updated_at`

type PayoutRow = {
  payout_id: string
  order_id: bigint
  customer_id: string
  amount_sen: bigint
  rail: string | null
  status: PayoutStatus
  hold_reason: HoldReason | null
  attempts: number
  next_attempt_at: Date
  rail_reference: string | null
  last_error: string | null
  created_at: Date
  updated_at: Date
}

function payoutFromRow(row: PayoutRow): Payout {
  return {
    payoutId: row.payout_id,
    orderId: row.order_id,
    customerId: row.customer_id,
    amountSen: row.amount_sen,
    rail: row.rail,
    status: row.status,
    holdReason: row.hold_reason,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    railReference: row.rail_reference,
    lastError: row.last_error,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** At most `limit` payouts, oldest first, of one status when given, after the payout `after` when given. */
export async function listPayouts(
  db: Queryable,
  { status, after, limit }: { status: PayoutStatus | undefined; after: string | undefined; limit: number },
): Promise<Payout[]> {
  const rows = await db.query<PayoutRow>(
    `select ${COLUMNS} from payouts p where ($1::text is null or p.status = $1)
       and ($2::text is null or (p.created_at, p.payout_id) >
         (select a.created_at, a.payout_id from payouts a where a.payout_id = $2))
     order by p.created_at, p.payout_id limit $3`,
    [status ?? null, after ?? null, limit],
  )
  return rows.map(payoutFromRow)
}

/** One payout. */
export async function findPayout(db: Queryable, payoutId: string): Promise<Payout | undefined> {
  const [row] = await db.query<PayoutRow>(`select ${COLUMNS} from payouts p where p.payout_id = $1`, [payoutId])
  return row === undefined ? undefined : payoutFromRow(row)
}

/**
 * Makes a payout due now that was rejected or waits to be asked about; undefined when there is none such. A rejected
 * payout goes to the bank account and through the rail of that moment, because the earlier rail did not take it.
 */
export async function requeuePayout(tx: Queryable, payoutId: string): Promise<Payout | undefined> {
  const [row] = await tx.query<PayoutRow>(
    `update payouts p set status = 'queued', next_attempt_at = now(), updated_at = now(),
       rail = case p.status when 'rejected' then null else p.rail end,
       bank_bic = case p.status when 'rejected' then null else p.bank_bic end,
       bank_account = case p.status when 'rejected' then null else p.bank_account end,
       bank_name = case p.status when 'rejected' then null else p.bank_name end
     where p.payout_id = $1 and p.status in ('queued', 'rejected') returning ${COLUMNS}`,
    [payoutId],
  )
  if (row === undefined) return undefined
  await tx.query(`select pg_notify('${PAYOUTS_DUE}', '')`)
  return payoutFromRow(row)
}

const MAYBE_PAID = `status = 'held' and hold_reason = 'maybe_paid_before'`

/** Queues a payout that an operator knows not to have been paid before; undefined when none waits for that word. */
export async function releasePayout(tx: Queryable, payoutId: string): Promise<Payout | undefined> {
  const [row] = await tx.query<PayoutRow>(
    `update payouts p set status = 'queued', hold_reason = null, next_attempt_at = now(), updated_at = now()
     where p.payout_id = $1 and ${MAYBE_PAID} returning ${COLUMNS}`,
    [payoutId],
  )
  if (row === undefined) return undefined
  await tx.query(`select pg_notify('${PAYOUTS_DUE}', '')`)
  return payoutFromRow(row)
}

/** The rail of payouts that were made without this service's payer. */
const BY_HAND = 'by_hand'

/**
 * Records a payout as paid, under the bank's reference, and books it; undefined when none waits for that word.
 */
export async function markPaidByHand(tx: Queryable, payoutId: string, reference: string): Promise<Payout | undefined> {
  const [row] = await tx.query<PayoutRow & { integration_id: string }>(
    `update payouts p set status = 'sent', hold_reason = null, rail = '${BY_HAND}', rail_reference = $2, updated_at = now()
     where p.payout_id = $1 and ${MAYBE_PAID}
     returning ${COLUMNS}, (select o.integration_id from orders o where o.order_id = p.order_id) as integration_id`,
    [payoutId, reference],
  )
  if (row === undefined) return undefined
  const payout = payoutFromRow(row)
  const sent = { ...payout, integrationId: row.integration_id, rail: BY_HAND, attempt: payout.attempts }
  await recordEntries(tx, [entryOfSent({ ...sent, effectiveAt: new Date() })])
  return payout
}

/** How many payouts the rail does not have, by status; each counted up to 100,000. */
export async function countOpenPayouts(db: Queryable): Promise<Map<string, number>> {
  const rows = await db.query<{ status: string; payouts: bigint }>(
    `select s.status, (select count(*) from
       (select 1 from payouts p where p.status = s.status limit 100000) counted) as payouts
     from (values ('queued'), ('held'), ('rejected')) as s (status)`,
  )
  return new Map(rows.map(({ status, payouts }) => [status, Number(payouts)]))
}
