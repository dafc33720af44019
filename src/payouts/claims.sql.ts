/** What the payer writes: claims of due payouts, and that nobody knows what became of one. */
import type { Queryable } from '../db/database.ts'
import { nextNumber } from '../db/next-number.ts'
import { DATABASE_TIMELINE } from '../db/timeline.sql.ts'
import { IS_QUEUED, mayMake, startsFrom } from './moves.ts'
import { allOfRail } from './other-rail.sql.ts'
import type { SealedInstruction } from './rail.ts'
import { inTurn, QUEUED } from './turns.sql.ts'
import { isFromBefore } from './unretried.sql.ts'

/**
 * A payout to ask the rail about, with the bank account it goes to, sealed; no payment when the customer has none, or no
 * longer has one.
 */
export type ClaimedPayout = {
  payoutId: string
  attempt: number
  /** The id of the attempt's payment. */
  endToEndId: string
  /** Null for parts of a sen. */
  orderId: bigint | null
  integrationId: string
  amountSen: bigint
  /** How often a rail was asked, this time included. */
  timesAsked: number
  /** The rail is asked what it knows, before it is told to pay. */
  askFirst: boolean
  payment: SealedInstruction | undefined
}

/** SQL: whether a payout is due at the rail $1: its burn was seen, nobody asks about it, and the rail may be told to pay or can be asked (`mayAsk`). */
export const due = (mayAsk: string): string => `${QUEUED} and (rail is null or rail = $1) and next_attempt_at <= now()
  and (claimed_until is null or claimed_until <= now()) and (not ask_first or ${mayAsk})`

/** SQL: the same of payouts `p`: of those that a lost history may have had, and no rail was asked for, only those whose coin was not minted back (`fromBefore`). */
export const claimable = (mayAsk: string, fromBefore: string): string =>
  `${due(mayAsk)} and (rail is not null or order_id is null or payout_id = any (${fromBefore}::text[]) or not ${isFromBefore(`(select ${DATABASE_TIMELINE})`)})`
const DUE = claimable('$4', '$6')

/** How many may be claimed; of these, how many the rail may have been asked about before; and about how many this process asks now, by integration. */
export type Room = { limit: number; askedBefore: number; open: ReadonlyMap<string, number> }

/**
 * `mayAsk`: whether the rail can say what it knows of a payment. `fromBefore`: which may be claimed of those that a lost history may have had, and that no rail
 * was asked for.
 */
export type ClaimOptions = Room & { rail: string; claimMs: number; mayAsk: boolean; fromBefore: readonly string[] }

/**
 * Claims due payouts for one attempt each at this rail, of each integration in turn: those for which no rail was asked yet, and those for which this
 * one was. The first claim fixes rail and bank account, so that one end-to-end id always means one payment at one bank.
 * @param options.claimMs how long nobody else claims them; longer than a rail call takes
 */
export async function claimDuePayouts(
  db: Queryable,
  { rail, limit, claimMs, mayAsk, askedBefore, fromBefore, open }: ClaimOptions,
): Promise<ClaimedPayout[]> {
  const rows = await db.query<{
    payout_id: string
    attempt: number
    end_to_end_id: string
    order_id: bigint | null
    times_asked: number
    ask_first: boolean
    amount_sen: bigint
    integration_id: string
    bank_id: string | null
    customer_id: string
    sealed: string | null
    reference: string
  }>(
    `with recursive ${inTurn(due('$4'), { limit: '$2', again: '$5', integrations: '$7', open: '$8' })},
    due as materialized (
      select l.payout_id from (select payout_id from next order by turn, next_attempt_at) c
      cross join lateral (select payout_id from payouts p where payout_id = c.payout_id and ${DUE} limit 1 for update skip locked) l
      limit $2::int),
    claimed as (
      update payouts p set rail = $1, times_asked = ${nextNumber('p.times_asked', 'integer')}, updated_at = now(),
        claimed_until = now() + $3 * interval '1 millisecond', bank_id = coalesce(p.bank_id, u.bank_id)
      from customers u
      where u.customer_id = p.customer_id and p.payout_id in (select payout_id from due)
      returning p.*),
    asked as (
      insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, bank_id)
      select payout_id, attempt, end_to_end_id, rail, bank_id from claimed where bank_id is not null
      on conflict (payout_id, attempt) do nothing)
    select c.payout_id, c.attempt, c.end_to_end_id, c.order_id, c.times_asked, c.ask_first, c.amount_sen, c.bank_id, d.sealed,
      case when c.order_id is null then c.customer_id else coalesce(o.customer_id, '') end as customer_id,
      coalesce(o.bank_reference, o.reference_id, c.reference_id) as reference,
      coalesce(o.integration_id, c.integration_id) as integration_id
    from claimed c left join orders o using (order_id) left join bank_details d on d.bank_id = c.bank_id`,
    [rail, limit, claimMs, mayAsk, Math.min(askedBefore, limit), fromBefore, [...open.keys()], [...open.values()]],
  )
  return rows.map((row) => {
    const { payout_id: payoutId, end_to_end_id: endToEndId, amount_sen: amountSen, reference } = row
    const { bank_id: bankId, customer_id: customerId } = row
    const sealed = row.sealed ?? ''
    return {
      payoutId,
      attempt: row.attempt,
      endToEndId,
      orderId: row.order_id,
      integrationId: row.integration_id,
      amountSen,
      timesAsked: row.times_asked,
      askFirst: row.ask_first,
      payment: bankId === null ? undefined : { payoutId, endToEndId, amountSen, bankId, customerId, sealed, reference },
    }
  })
}

/** SQL: whether nobody has claimed the payout again since, nor queued another attempt at it. The parameters of `claimParams` come first. */
const IS_NEWEST = 'payout_id = $1 and attempt = $2 and times_asked = $3'

const claimParams = ({ payoutId, attempt, timesAsked }: ClaimedPayout) => [payoutId, attempt, timesAsked] as const

/** Whether a claim is still the newest of its payout, and that is still to be decided. Locks it. */
export async function isNewestClaim(tx: Queryable, claim: ClaimedPayout): Promise<boolean> {
  const rows = await tx.query(
    `select from payouts where ${IS_NEWEST} and status || '' in ('queued', 'held') for update`,
    claimParams(claim),
  )
  return rows.length > 0
}

/** Records that a payout has nowhere to go. No rail was asked for it. */
export async function markWithoutAccount(db: Queryable, claim: ClaimedPayout, reason: string): Promise<void> {
  await db.query(
    `update payouts set status = 'rejected', status_since = now(), last_error = $4, claimed_until = null, updated_at = now()
     where ${IS_NEWEST} and ${mayMake('refuse')}`,
    [...claimParams(claim), reason],
  )
}

/** Schedules the next time to ask, unless the payout was claimed again or decided since. */
export async function postponePayout(
  db: Queryable,
  claim: ClaimedPayout,
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<void> {
  await db.query(
    `update payouts set next_attempt_at = now() + $4 * interval '1 millisecond', claimed_until = null, last_error = $5,
       updated_at = now()
     where ${IS_NEWEST} and ${IS_QUEUED}`,
    [...claimParams(claim), afterMs, reason],
  )
}

/** Gives a claim back without having asked: it is claimed again after a while, and nothing is used up. */
export async function returnClaim(
  db: Queryable,
  claim: ClaimedPayout,
  { afterMs, reason }: { afterMs: number; reason: string },
): Promise<void> {
  await db.query(
    `update payouts set times_asked = times_asked - 1, next_attempt_at = now() + $4 * interval '1 millisecond', claimed_until = null,
       last_error = $5, updated_at = now()
     where ${IS_NEWEST} and ${IS_QUEUED}`,
    [...claimParams(claim), afterMs, reason],
  )
}

/**
 * The rail knows nothing of the payment, so it may be told to pay. The claim begins anew: the question may have taken as long as a whole
 * call, and the other one is to end, too, before anybody else asks.
 */
export async function allowToPay(db: Queryable, claim: ClaimedPayout, claimMs: number): Promise<boolean> {
  const rows = await db.query(
    `update payouts set ask_first = false, claimed_until = now() + $4 * interval '1 millisecond', updated_at = now()
     where ${IS_NEWEST} and ${IS_QUEUED} returning payout_id`,
    [...claimParams(claim), claimMs],
  )
  return rows.length > 0
}

/** A payment that its rail has accepted. */
export type SentPayment = { payoutId: string; attempt: number; endToEndId: string }

/**
 * Claims payments that this rail has accepted and that no statement has shown yet, to ask what became of them: at first after a
 * short while, then ever less often, at least once a day.
 */
export async function claimSentPayments(db: Queryable, rail: string, limit: number): Promise<SentPayment[]> {
  const rows = await db.query<{ payout_id: string; attempt: number; end_to_end_id: string }>(
    `update payouts p set next_attempt_at = now() + greatest(interval '1 minute', least(interval '1 day', now() - p.status_since))
     where p.payout_id in (select payout_id from payouts where status = 'sent' and rail = $1 and next_attempt_at <= now()
       order by next_attempt_at limit $2 for update skip locked)
     returning p.payout_id, p.attempt, p.end_to_end_id`,
    [rail, limit],
  )
  return rows.map((row) => ({ payoutId: row.payout_id, attempt: row.attempt, endToEndId: row.end_to_end_id }))
}

/** What tending did: how many payouts are held now, and how many no longer wait for this rail. */
export type Tended = { held: number; heldUnasked: number; released: number }

/**
 * Holds due payouts for which another rail was asked, because only that rail can say what became of them, and releases
 * those that were held because this one was missing. Those whose attempt is under way are left alone. Payouts that a lost
 * history may have paid are held when this rail cannot say.
 */
export async function tendPayouts(tx: Queryable, rail: string, mayAsk: boolean): Promise<Tended> {
  const free = 'next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())'
  const hold = (reason: string, which: string) => `update payouts set status = 'held', hold_reason = '${reason}',
      status_since = now(), updated_at = now() where status ${startsFrom('hold')} and ${free} and ${which} returning payout_id`
  const held = await tx.query(hold('rail_not_configured', 'rail <> $1'), [rail])
  const unasked = mayAsk ? [] : await tx.query(hold('maybe_paid_before', 'ask_first'))
  const released = await tx.query(
    `update payouts set status = 'queued', hold_reason = null, status_since = now(), updated_at = now()
     where status ${startsFrom('release')} and ((hold_reason = 'rail_not_configured' and rail = $1)
       or (hold_reason = 'maybe_paid_before' and ask_first and $2 and (rail = $1 or rail is null and made_on = any ${allOfRail('$1')}))) returning payout_id`,
    [rail, mayAsk],
  )
  return { held: held.length, heldUnasked: unasked.length, released: released.length }
}
