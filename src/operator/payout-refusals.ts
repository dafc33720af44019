/** Why a command was not carried out on a payout: the state that it is in, and those in which it could be. */
import { HOLD_REASONS, type HoldReason, hasCameBack, type Payout, type PayoutStatus } from '../payouts/payout.ts'
import { withPayout } from './orders/commands-in.ts'
import { sayHoldReason, sayRefunding } from './orders/waiting.ts'

/** The commands that a payout's state may refuse: the states in which each can be run, and what it then does. */
const RUNS_IN = {
  'payout.hold': { from: ['queued'], done: 'held' },
  'payout.release': { from: ['held'], done: 'released' },
  'payout.mark-paid': {
    from: ['held', 'rejected', 'returned'],
    done: 'marked as paid; while it is queued, run "coin payout hold" first',
  },
  'payout.mark-unpaid': { from: ['sent', 'paid', 'paid_by_hand'], done: 'marked as unpaid' },
  'payout.refund': { from: ['rejected', 'returned'], done: 'refunded' },
} as const satisfies Record<string, { from: readonly PayoutStatus[]; done: string }>

/** @param action as the audit log calls it */
export function whyNotDone(action: string, payout: Payout): string {
  const { payoutId, status, holdReason, burn } = payout
  if (payout.isBeingRefunded) return sayRefunding(payout)
  const look = `see "coin payout show ${payoutId}"`
  const isCase = hasCameBack(status)
  if (action === 'payout.refund' && isCase && burn === null)
    return `No payer has seen the burn that ${payoutId} pays on the chain yet, and only what is known to be gone is minted back. Payers look for it by themselves: try again in a minute, or see their log.`
  const runsIn = RUNS_IN[action as keyof typeof RUNS_IN]
  const from: readonly PayoutStatus[] = runsIn?.from ?? []
  if (from.includes(status) && holdReason !== null)
    return `${payoutId} is held: ${withPayout(sayHoldReason(holdReason, payout.lastError), payoutId)}.`
  if (runsIn === undefined || from.includes(status)) return `${payoutId} is in no state that allows this: ${look}.`
  const states = from.join(', ').replace(/, ([^,]*)$/, ' or $1')
  return `${payoutId} is ${status}, and only one that is ${states} can be ${runsIn.done}. For more, ${look}.`
}

/** What people can do about one that the rail refused or that came back; null of all others. Where something is to be known first, that says it. @param mayRefund as in refund-payout.ts */
export function adviceOnCase({ payoutId, status, isBeingRefunded }: Payout, mayRefund: boolean): string | null {
  if (isBeingRefunded || !hasCameBack(status)) return null
  const refund = mayRefund ? `; or have its coin minted back: "coin payout refund ${payoutId}"` : ''
  return `Put the cause right, then run "coin payout retry ${payoutId}"${refund}; or, once it was paid outside of this service, "coin payout mark-paid ${payoutId} --reference …".`
}

export function whyNotRetried(payout: Payout): string {
  const { payoutId, status, rail, holdReason } = payout
  if (payout.isBeingRefunded) return sayRefunding(payout)
  if (hasCameBack(status))
    return `The coin of ${payoutId} is being minted back, or was: see "coin payout show ${payoutId}" and "coin batch list --unexplained".`
  if (status === 'refunded' || status === 'paid_by_hand') return `${payoutId} is ${status}: there is nothing to retry.`
  if (holdReason === null) return `The rail has accepted ${payoutId} already: there is nothing to retry.`
  const asked = holdReason === 'rail_not_configured' ? ` (${rail} was asked)` : ''
  return `${payoutId} is held${asked}: ${withPayout(sayHoldReason(holdReason, payout.lastError), payoutId)}.`
}

/** What has to be done first with a held one that has the id of another's payment, by what it is held for: not every hold is ended by a release. */
const BEFORE_REFUSED: Readonly<Record<HoldReason, (payout: Payout) => string>> = {
  by_operator: () => 'run "coin payout release" first',
  maybe_paid_before: () => 'run "coin payout release" first',
  rail_not_configured: () => `${HOLD_REASONS.rail_not_configured}, which no release makes up for`,
  burn_not_seen: () =>
    'a payer has to see its burn first: "coin payout release" has the chain asked again, and it is held once more where that does not show it; if the coin was never burnt, run "coin payout resettle", and nothing is owed',
  other_attempt: () =>
    'an earlier attempt has to fail or come back first, see "coin payout show", then run "coin payout release"',
}

/** Held, it would be told to have made a payment that is another one's. */
export function sayOfAnother(payout: Payout): string {
  const { payoutId, holdReason } = payout
  const first = BEFORE_REFUSED[holdReason ?? 'by_operator'](payout)
  return `${payoutId} has the end-to-end id of another payout's payment: ${first}. Queued again, it is refused, and not paid; after that run this again.`
}
