/** Writes what news of a payment means: the payout, its attempts, its redeem and the books at once. */
import type { Queryable } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { type Entry, entryOfPayout } from '../ledger/postings.ts'
import { completeRedeems } from '../orders/life/outcome.ts'
import { isReturnOnlySaid, type LockedPayout, type PaymentKey, saidReturned } from './attempts.sql.ts'
import type { NewsStep, PayoutBooking } from './news.ts'
import type { PayoutStatus } from './payout.ts'

/** `effectiveAt`: the value date, or when the rail said so. `isSaidByHand`: it is an operator's word, or reference, and no rail's. */
export type News = { effectiveAt: Date } & (
  | { kind: 'sent'; railReference: string; rail?: string; isSaidByHand?: true }
  | { kind: 'rejected'; reason: string; isSaidByHand?: true }
  /** The rail's word that it was paid was wrong. */
  | { kind: 'unpaid'; reason: string }
  /** The line of a statement that had shown it, of this account of the issuer, was another payment's. */
  | { kind: 'unshown'; bankAccount: string }
  /**
   * `bankAccount`: the issuer's account from which it was paid, or to which it came back, as the books name it; `reference`: of the
   * statement line; `isShown`: a statement says so, and not its rail alone.
   */
  | { kind: 'paid'; bankAccount: string; reference: string; isShown?: true }
  | { kind: 'returned'; bankAccount: string; reference: string; reason: string; isShown?: true }
)

const ASK = `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail, bank_id)
  select payout_id, attempt, end_to_end_id, coalesce(rail, $2::text, 'unknown'), bank_id
  from payouts where payout_id = $1 returning rail`

const SET_ATTEMPT = `update payout_attempts set status = $3::text, is_extra = $4, updated_at = now(),
    times_sent = times_sent + case when $3::text = 'sent' and status <> 'sent' then 1 else 0 end,
    rail_reference = case when $3::text = 'sent' and not $11 then coalesce($6::text, rail_reference, end_to_end_id) else rail_reference end,
    paid_from = case when $5::boolean and $3::text = 'paid' then $7::text when $3::text <> 'sent' then paid_from end,
    paid_reference = case when $5::boolean and $3::text = 'paid' then $8::text when $3::text <> 'sent' then paid_reference end,
    is_shown = case when $3::text = 'sent' then false when $5::boolean and $3::text = 'paid' then $10 else is_shown end,
    returned_to = case when $5::boolean and $3::text = 'returned' then $7::text else returned_to end,
    returned_reference = case when $5::boolean and $3::text = 'returned' then $8::text else returned_reference end,
    reason = case when $5::boolean then coalesce($9::text, reason) else reason end,
    is_called_unpaid = $3::text = 'rejected' and $12::boolean
  where payout_id = $1 and attempt = $2 returning times_sent`

const SET_PAYOUT = `update payouts p set status = $2::text, updated_at = now(), hold_reason = $4::text, claimed_until = null,
    status_since = case when p.status = $2::text then p.status_since else now() end, attempt = $3,
    end_to_end_id = coalesce(a.end_to_end_id, p.end_to_end_id), rail = coalesce(a.rail, p.rail),
    bank_id = coalesce(a.bank_id, p.bank_id),
    rail_reference = case $2::text when 'rejected' then a.rail_reference else coalesce($6::text, a.rail_reference, p.rail_reference) end,
    last_error = case $2::text when 'sent' then null when 'paid' then null else coalesce($5::text, p.last_error) end
  from (values (1)) as one left join payout_attempts a on a.payout_id = $1 and a.attempt = $3
  where p.payout_id = $1`

/** Writes the steps of a plan, for news of the attempt `attempt`. @returns the payout's status afterwards */
export async function applySteps(
  tx: Queryable,
  locked: LockedPayout,
  steps: readonly NewsStep[],
  { news, attempt: about }: { news: News; attempt: number },
): Promise<PayoutStatus> {
  const { payoutId, orderId, integrationId, amountSen } = locked
  const attempts = new Map(locked.attempts.map((each) => [each.attempt, { ...each }]))
  const entries: Entry[] = []
  let { status } = locked
  const told = await placed(tx, { payoutId, attempt: about }, factsOf(news), news.kind)
  // The name that operators give a payment is the payout's alone: when that is rejected, it has its rail's name of the payment again.
  const saidByHand = news.kind === 'sent' && news.isSaidByHand ? news.railReference : null
  for (const step of steps) {
    if (step.do === 'ask') {
      const [row] = await tx.query<{ rail: string }>(ASK, [payoutId, told.rail])
      const asked = { status: 'asked', isExtra: false, timesSent: 0, rail: row?.rail ?? '' } as const
      attempts.set(step.attempt, { attempt: step.attempt, ...asked, paidFrom: null, paidReference: null })
    } else if (step.do === 'attempt') {
      const isAbout = step.attempt === about
      const at = attempts.get(step.attempt)
      // A statement shows that it came back, and none yet that it left: until one does, it stands with its rail, as what only that one says.
      const isLeftBefore = news.kind === 'returned' && news.isShown === true && step.to === 'paid'
      const bankAccount = isLeftBefore ? (at?.rail ?? told.bankAccount) : told.bankAccount
      const [row] = await tx.query<{ times_sent: number }>(SET_ATTEMPT, [
        payoutId,
        step.attempt,
        step.to,
        step.isExtra,
        isAbout,
        told.railReference,
        bankAccount,
        told.reference,
        told.reason,
        news.kind === 'paid' && news.isShown === true,
        saidByHand !== null,
        isAbout && isCalledUnpaid(news),
      ])
      if (at !== undefined && row !== undefined) at.timesSent = row.times_sent
      if (at !== undefined && isAbout && step.to === 'paid') at.paidFrom = bankAccount
    } else if (step.do === 'payout') {
      await tx.query(SET_PAYOUT, [payoutId, step.to, step.attempt, step.holdReason, told.reason, saidByHand])
      status = step.to
    } else if (step.do === 'book') {
      const at = attempts.get(step.attempt)
      if (at === undefined) throw new Error(`payout ${payoutId} has no attempt ${step.attempt}`)
      const { timesSent, rail, paidFrom } = at
      const event = { payoutId, attempt: step.attempt, timesSent, integrationId, rail, amountSen }
      const accounts = accountsOf(step.what, paidFrom ?? 'unknown', told)
      entries.push(entryOfPayout({ ...event, ...accounts, what: step.what, effectiveAt: news.effectiveAt }))
    }
  }
  await recordEntries(tx, entries)
  if (orderId !== null && (status === 'sent' || status === 'paid')) await completeRedeems(tx, [orderId])
  return status
}

/** By people: its rail may say otherwise for ever. */
function isCalledUnpaid(news: News): boolean {
  return news.kind === 'unpaid' || (news.kind === 'rejected' && news.isSaidByHand === true)
}

/** Where the ringgit moved. It may come back to another account, and the bank, or its rail, may have spoken of another when it was paid. */
function accountsOf(what: PayoutBooking, paidFrom: string, { bankAccount }: Told) {
  const isToldHere = what === 'returned' || what === 'extraReturned' || what === 'unshown' || what === 'extraUnshown'
  return { paidFrom, bankAccount: isToldHere ? (bankAccount ?? paidFrom) : paidFrom }
}

/** What only a rail says came back, of what a statement shows to have left, stands apart: see `saidReturned`. */
async function placed(tx: Queryable, payment: PaymentKey, told: Told, kind: News['kind']): Promise<Told> {
  const { bankAccount } = told
  if (kind !== 'returned' || bankAccount === null) return told
  return (await isReturnOnlySaid(tx, payment, bankAccount)) ? { ...told, bankAccount: saidReturned(bankAccount) } : told
}

type Told = Record<'rail' | 'railReference' | 'bankAccount' | 'reference' | 'reason', string | null>

function factsOf(news: News): Told {
  const nothing: Told = { rail: null, railReference: null, bankAccount: null, reference: null, reason: null }
  if (news.kind === 'sent') return { ...nothing, rail: news.rail ?? null, railReference: news.railReference }
  if (news.kind === 'rejected' || news.kind === 'unpaid') return { ...nothing, reason: news.reason }
  if (news.kind === 'unshown') return { ...nothing, bankAccount: news.bankAccount }
  const { bankAccount, reference } = news
  return { ...nothing, bankAccount, reference, reason: news.kind === 'returned' ? news.reason : null }
}
