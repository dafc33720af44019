/** Payouts with all their attempts, locked, and where the payment that a bank speaks of is found. */
import type { Queryable } from '../db/database.ts'
import { isRefundOpen } from '../orders/life/refund.sql.ts'
import { findLostRefund, type LostRefund, refundName } from './lost-refunds.sql.ts'
import type { KnownPayout } from './news.ts'
import type { AttemptStatus, PayoutStatus } from './payout.ts'
import { hasIdOfAnother } from './twins.sql.ts'

/** One payment of a payout. */
export type PaymentKey = { payoutId: string; attempt: number }

/** The name under which lines of statements belong to a payment by a rail. One by hand: `byHandName`. */
export function paymentName({ payoutId, attempt }: PaymentKey): string {
  return `${payoutId}/${attempt}`
}

/** The payment that was asked for under this end-to-end id, or else those that are to be: one, as long as no two ids collide. Of null, as in a line that names none, there is none. */
export async function findPayments(
  db: Queryable,
  endToEndId: string | null,
): Promise<(PaymentKey & { amountSen: bigint; integrationId: string })[]> {
  if (endToEndId === null) return []
  const rows = await db.query<{ payout_id: string; attempt: number; amount_sen: bigint; integration_id: string }>(
    `select k.payout_id, k.attempt, p.amount_sen, coalesce(o.integration_id, p.integration_id) as integration_id from (
       select payout_id, attempt from payouts q where end_to_end_id = $1
         and not ${hasIdOfAnother('q')}
       union select payout_id, attempt from payout_attempts where end_to_end_id = $1) k
     join payouts p using (payout_id) left join orders o using (order_id) order by 1, 2`,
    [endToEndId],
  )
  return rows.map((row) => ({
    payoutId: row.payout_id,
    attempt: row.attempt,
    amountSen: row.amount_sen,
    integrationId: row.integration_id,
  }))
}

/** Whether the payment under this end-to-end id is not known to be with its rail: it was refused, or nobody has heard. */
export async function isNotTaken(db: Queryable, endToEndId: string): Promise<boolean> {
  const rows = await db.query(
    `select from payout_attempts where end_to_end_id = $1 and status in ('asked', 'rejected')`,
    [endToEndId],
  )
  return rows.length > 0
}

/** Whether the payment under this end-to-end id counts as paid. */
export async function isPaid(db: Queryable, endToEndId: string): Promise<boolean> {
  const rows = await db.query(`select from payout_attempts where end_to_end_id = $1 and status = 'paid'`, [endToEndId])
  return rows.length > 0
}

type LockedAttempt = {
  attempt: number
  status: AttemptStatus
  isExtra: boolean
  timesSent: number
  rail: string
  paidFrom: string | null
  /** Of the line by which it was paid; or what its rail calls it, where the rail said so first. */
  paidReference: string | null
}

/** A payout with its row locked, so that whatever else is said about it waits. */
export type LockedPayout = Omit<KnownPayout, 'attempts'> & {
  payoutId: string
  /** The redeem; null for parts of a sen. */
  orderId: bigint | null
  integrationId: string
  amountSen: bigint
  rail: string | null
  /** How often its coin was to be minted back. */
  refunds: number
  /** A refund may still be executed, or was not decided yet. */
  isRefundOpen: boolean
  lostRefund: LostRefund | undefined
  attempts: readonly LockedAttempt[]
}

/** Whether its coin is being minted back, or was in a history that the database has lost. */
async function readRefund(tx: Queryable, { payoutId, refunds }: { payoutId: string; refunds: number }) {
  const isOpen = refunds > 0 && (await isRefundOpen(tx, refundName(payoutId, refunds)))
  const lostRefund = await findLostRefund(tx, { payoutId, refunds })
  return { isRefundOpen: isOpen, lostRefund, isRefunding: isOpen || lostRefund !== undefined }
}

/** Locks a payout. Its lock comes before those of its order and its refund. */
export async function lockPayout(tx: Queryable, payoutId: string): Promise<LockedPayout | undefined> {
  const [row] = await tx.query<{
    order_id: bigint | null
    integration_id: string | null
    amount_sen: bigint
    status: PayoutStatus
    attempt: number
    rail: string | null
    refunds: number
  }>(
    'select order_id, integration_id, amount_sen, status, attempt, rail, refunds from payouts where payout_id = $1 for update',
    [payoutId],
  )
  if (row === undefined) return undefined
  const [order] = await tx.query<{ integration_id: string }>('select integration_id from orders where order_id = $1', [
    row.order_id,
  ])
  const integrationId = order?.integration_id ?? row.integration_id ?? ''
  const attempts = await tx.query<{
    attempt: number
    status: AttemptStatus
    is_extra: boolean
    times_sent: number
    rail: string
    paid_from: string | null
    paid_reference: string | null
  }>(
    'select attempt, status, is_extra, times_sent, rail, paid_from, paid_reference from payout_attempts where payout_id = $1 order by attempt',
    [payoutId],
  )
  return {
    payoutId,
    orderId: row.order_id,
    amountSen: row.amount_sen,
    integrationId,
    status: row.status,
    attempt: row.attempt,
    rail: row.rail,
    refunds: row.refunds,
    ...(await readRefund(tx, { payoutId, refunds: row.refunds })),
    attempts: attempts.map((each) => ({
      attempt: each.attempt,
      status: each.status,
      isExtra: each.is_extra,
      timesSent: each.times_sent,
      rail: each.rail,
      paidFrom: each.paid_from,
      paidReference: each.paid_reference,
    })),
  }
}

/** Records whether a line of a statement shows the debit of a payment that its rail had called paid. */
export async function setShown(tx: Queryable, { payoutId, attempt }: PaymentKey, isShown: boolean): Promise<void> {
  await tx.query(
    'update payout_attempts set is_shown = $3, updated_at = now() where payout_id = $1 and attempt = $2 and is_shown <> $3',
    [payoutId, attempt, isShown],
  )
}

/**
 * Records that another line of a statement than before is the one by which a payment was paid, or came back. The books have an extra payment on the
 * account where it was booked first.
 */
export async function moveReference(
  tx: Queryable,
  { payoutId, attempt }: PaymentKey,
  { what, from, to, bankAccount }: { what: 'paid' | 'returned'; from: string; to: string; bankAccount: string },
): Promise<void> {
  const [reference, account] = what === 'paid' ? ['paid_reference', 'paid_from'] : ['returned_reference', 'returned_to']
  await tx.query(
    `update payout_attempts set ${reference} = $4, ${account} = case when is_extra then ${account} else $5 end, updated_at = now()
     where payout_id = $1 and attempt = $2 and ${reference} = $3`,
    [payoutId, attempt, from, to, bankAccount],
  )
}

/**
 * The account in the books of what a rail alone says came back, of a payment that statements show to have left. It stands apart from the bank's account, so
 * that it makes up for no other payment there.
 */
export function saidReturned(account: string): string {
  return `${account}/returned`
}

/** Whether a rail alone says that a payment came back which a statement shows to have left. `account`: where the rail says it came back to. */
export async function isReturnOnlySaid(tx: Queryable, payment: PaymentKey, account: string): Promise<boolean> {
  const rows = await tx.query(
    `select from bank_lines l where l.matched_to = $1 and l.amount_micro < 0
       and not exists (select from bank_statements s where s.bank_account = $2) limit 1`,
    [paymentName(payment), account],
  )
  return rows.length > 0
}

/** Records on which account the books have from now on what a rail had said came back. */
export async function moveReturn(tx: Queryable, { payoutId, attempt }: PaymentKey, account: string): Promise<void> {
  await tx.query(
    'update payout_attempts set returned_to = $3, updated_at = now() where payout_id = $1 and attempt = $2',
    [payoutId, attempt, account],
  )
}

/** A payment of a payout as operators see it. */
export type Payment = {
  attempt: number
  endToEndId: string
  status: AttemptStatus
  /** Made although another one has settled the payout, or may. */
  isExtra: boolean
  rail: string
  /** Names the account that it went to in `bank_details`. */
  bankId: string | null
  railReference: string | null
  paidFrom: string | null
  paidReference: string | null
  returnedReference: string | null
  reason: string | null
  askedAt: Date
  updatedAt: Date
}

/** Every payment of a payout that a rail was asked for, oldest first. */
export async function listPayments(db: Queryable, payoutId: string): Promise<Payment[]> {
  return await db.query<Payment>(
    `select attempt, end_to_end_id as "endToEndId", status, is_extra as "isExtra", rail, bank_id as "bankId", rail_reference as "railReference", paid_from as "paidFrom",
       paid_reference as "paidReference", returned_reference as "returnedReference", reason, asked_at as "askedAt",
       updated_at as "updatedAt"
     from payout_attempts where payout_id = $1 order by attempt`,
    [payoutId],
  )
}
