/** What an operator can do about a payout, by its status; the API decides whether it can be done. */
import { Action } from '../action.ts'
import type { ActionProps } from '../action-props.ts'
import { pathOf } from '../api.ts'
import { ringgit } from '../parts.ts'
import { go, hrefOf } from '../router.ts'
import { html, type View } from '../view.ts'

type Payout = {
  payoutId: string
  integrationId: string
  referenceId: string
  status: string
  attempt: number
  amountMyr: string
  /** How often a rail was asked. */
  timesAsked: number
  isBeingRefunded: boolean
  /** The account to which it would be paid next. */
  paysTo: string | null
}

/** An action where it makes sense, and where that is. */
type Possible = ActionProps & { when: boolean }
type About = { of: Payout; asSeen: string; refresh: () => Promise<void> }

export function PayoutActions(about: About): View {
  const actions = [...stopping(about), ...settling(about), ...disputing(about), assigning(about)]
  return html`<div class="buttons section">${actions
    .filter(({ when }) => when)
    .map(({ when, ...action }) => html`<${Action} key=${action.command} ...${action} />`)}</div>`
}

const to = (account: string | null) => (account === null ? '' : ` to ${account}`)

function common({ of: { payoutId }, refresh }: About, verb: string) {
  return { target: payoutId, onDone: refresh, onConflict: refresh, path: `/payouts${pathOf(payoutId, verb)}` }
}

/** What is decided about a payout as the page shows it. The page does not renew itself: what it calls sent may be the next payment by now. */
function decision(about: About, verb: string) {
  return { ...common(about, verb), seen: about.asSeen }
}

function stopping(about: About): Possible[] {
  const { status, paysTo } = about.of
  return [
    {
      ...common(about, 'hold'),
      command: 'payout hold',
      label: 'Hold …',
      reason: true,
      says: 'No rail is asked to pay it until somebody releases it. What a rail already has is not taken back.',
      when: ['queued', 'held'].includes(status),
    },
    {
      ...decision(about, 'release'),
      command: 'payout release',
      label: 'Release …',
      reason: true,
      says: `It goes on: the rail is asked to pay it${to(paysTo)}.`,
      when: status === 'held',
    },
  ]
}

/** Of one that came back. */
function settling(about: About): Possible[] {
  const { status, amountMyr, isBeingRefunded, paysTo } = about.of
  const isBack = ['rejected', 'returned'].includes(status) && !isBeingRefunded
  return [
    {
      ...decision(about, 'retry'),
      command: 'payout retry',
      label: 'Pay again …',
      danger: true,
      when: isBack,
      says: `${ringgit(amountMyr)} is sent once more, as a new payment, to the account that the customer has now${paysTo === null ? '' : `: ${paysTo}`}. Only a payment that was refused or came back can be sent again.`,
    },
    {
      ...decision(about, 'mark-paid'),
      command: 'payout mark-paid',
      label: 'Mark as paid by hand …',
      danger: true,
      fields: [{ name: 'reference', label: 'The bank’s reference of the payment' }],
      says: `It counts as paid outside of every rail, and no rail will pay ${ringgit(amountMyr)} for it. Look at the bank first.`,
      when: isBack || (status === 'held' && !isBeingRefunded),
    },
    {
      ...decision(about, 'refund'),
      command: 'payout refund',
      label: 'Refund …',
      danger: true,
      when: isBack,
      says: `The coin worth ${ringgit(amountMyr)} is minted back to the wallet from which it was burnt, and the ringgit is not paid.`,
    },
  ]
}

/** What it is called where somebody has read that it was not made: the page may show the one after it by now. */
const PAYMENT = {
  name: 'payment',
  label: 'The payment: its end-to-end id in the bank’s letter',
  hint: 'Of one by hand, the reference under which it was recorded. Take it from what you were told, not from this page.',
  most: 200,
}

/** Where what was believed of it was wrong. */
function disputing(about: About): Possible[] {
  const { status, amountMyr, timesAsked, integrationId, referenceId, attempt } = about.of
  const order = hrefOf(['orders', integrationId, referenceId])
  return [
    {
      ...decision(about, 'mark-unpaid'),
      command: 'payout mark-unpaid',
      label: 'Was never paid …',
      danger: true,
      reason: true,
      fields: [{ ...PAYMENT, optional: attempt === 1 && status !== 'paid_by_hand' }],
      says: `First have the bank say in writing that it has not carried the payment out and never will. ${ringgit(amountMyr)} is then owed again, and can be paid or refunded. If its rail calls it paid, this is refused until statements of the week after show no debit of it.`,
      when: ['sent', 'paid', 'paid_by_hand'].includes(status),
    },
    {
      ...decision(about, 'resettle'),
      command: 'payout resettle',
      label: 'It was never burnt …',
      danger: true,
      reason: true,
      // With the payout its page has gone; what goes on is its order.
      onDone: (outcome) => ('done' in outcome ? go(order, { replace: true }) : about.refresh()),
      says: `Its redeem awaits a batch again, and this payout of ${ringgit(amountMyr)} is gone until the coin is burnt; you then see the order. This is refused unless the chain shows that no batch has burnt it, and that only the next one can.`,
      when: status === 'held' && timesAsked === 0,
    },
  ]
}

function assigning(about: About): Possible {
  return {
    ...common(about, 'assign'),
    command: 'payout assign',
    label: 'Assign …',
    when: true,
    fields: [{ name: 'to', label: 'Who looks after it' }],
    says: 'Records who looks after it. Nothing else changes.',
  }
}
