/** One payout: what the rail was asked for and said, and what an operator can do about it. Each look at it is recorded. */
import { Action } from '../action.ts'
import type { ActionProps } from '../action-props.ts'
import { pathOf } from '../api.ts'
import { useLive } from '../live.ts'
import { Facts, Id, Instant, Note, Nothing, Recorded, Ringgit, Section, Status } from '../parts.ts'
import { go, hrefOf } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'

export type Payout = {
  payoutId: string
  integrationId: string
  referenceId: string
  customerId: string
  amountMyr: string
  bankBic: string | null
  bankAccountEnding: string | null
  rail: string | null
  status: string
  since: string
  owner: string | null
  attempt: number
  endToEndId: string
  holdReason: string | null
  attempts: number
  nextAttemptAt: string | null
  railReference: string | null
  lastError: string | null
  createdAt: string
  refundOrder: string | null
  isBeingRefunded: boolean
}
type Payment = Record<string, string | number | boolean | null>
type Whole = Payout & { bankName: string | null; payments: Payment[] }

export function PayoutPage({ payoutId }: { payoutId: string }): View {
  const payout = useLive<{ payout: Whole }>(`/payouts${pathOf(payoutId)}`, { live: false })
  return html`<p><a href=${hrefOf(['payouts'])}>← Payouts</a></p><h1>${payoutId}</h1>
    <${Recorded} why="It shows bank details" again=${payout.refresh} />
    <${Loaded} from=${payout} show=${({ payout: of }: { payout: Whole }) => html`<${Shown} of=${of} refresh=${payout.refresh} />`} />`
}

function Shown({ of, refresh }: { of: Whole; refresh: () => Promise<void> }): View {
  return html`
    ${of.holdReason !== null && html`<${Note}>Held: ${of.holdReason}.<//>`}
    ${of.lastError !== null && html`<${Note} tone="wait">The rail said: ${of.lastError}<//>`}
    ${of.isBeingRefunded && html`<${Note} tone="wait">Its coin is being minted back: <a href=${refundHref(of)}>${of.refundOrder}</a>.<//>`}
    <${Awaiting} of=${[of.payoutId]} />
    <${Actions} of=${of} refresh=${refresh} />
    <${Facts} of=${[
      ['Status', html`<${Status} of=${of.status} />`],
      ['Since', html`<${Instant} at=${of.since} />`],
      ['Amount', html`<${Ringgit} of=${of.amountMyr} />`],
      ['Order', html`<${Id} of=${of.referenceId} href=${hrefOf(['orders', of.integrationId, of.referenceId])} />`],
      ['Integration', html`<${Id} of=${of.integrationId} href=${hrefOf(['integrations', of.integrationId])} />`],
      ['Customer', html`<${Id} of=${of.customerId} href=${hrefOf(['customers', of.customerId])} />`],
      ['Bank', of.bankBic],
      ['Account', of.bankAccountEnding === null ? null : `…${of.bankAccountEnding}`],
      ['Name', of.bankName],
      ['End-to-end id', html`<${Id} of=${of.endToEndId} />`],
      ['Rail', of.rail],
      ['The rail’s reference', html`<${Id} of=${of.railReference} />`],
      ['Asked', `${of.attempts}×, payment ${of.attempt}`],
      ['Next attempt', html`<${Instant} at=${of.nextAttemptAt} />`],
      ['Created', html`<${Instant} at=${of.createdAt} />`],
      ['Minted back by', of.refundOrder === null ? null : html`<${Id} of=${of.refundOrder} href=${refundHref(of)} />`],
      ['Owner', of.owner],
    ]} />
    <${Section} title="Payments that a rail was asked for"><${Table} caption="Payments that a rail was asked for" columns=${PAYMENTS}
      rows=${of.payments} idOf=${(row: Payment) => String(row.attempt)} empty="None yet." sortedBy="payments" /><//>`
}

/** The page of the order that mints its coin back. */
function refundHref({ refundOrder }: Whole): string {
  const [integrationId = '', ...reference] = (refundOrder ?? '').split('/')
  return hrefOf(['orders', integrationId, reference.join('/')])
}

/** In which states an action makes sense; the API decides whether it can be done. */
function Actions({ of, refresh }: { of: Whole; refresh: () => Promise<void> }): View {
  const { payoutId, integrationId, referenceId, status, amountMyr, isBeingRefunded } = of
  const order = hrefOf(['orders', integrationId, referenceId])
  const common = { target: payoutId, onDone: refresh }
  const path = (verb: string) => `/payouts${pathOf(payoutId, verb)}`
  const paid = `RM ${amountMyr}`
  const actions: (ActionProps & { when: boolean })[] = [
    {
      ...{
        ...common,
        command: 'payout hold',
        label: 'Hold …',
        path: path('hold'),
        reason: true,
        when: ['queued', 'held'].includes(status),
      },
      says: 'No rail is asked for it until somebody releases it. What a rail has already, it does not take back.',
    },
    {
      ...{
        ...common,
        command: 'payout release',
        label: 'Release …',
        path: path('release'),
        reason: true,
        when: status === 'held',
      },
      says: 'It goes on: the rail is asked to pay it.',
    },
    {
      ...{ ...common, command: 'payout retry', label: 'Pay again …', path: path('retry'), danger: true },
      says: `${paid} is sent once more, as a new payment, to the account that the customer has now. Only a payment that was refused or came back can be sent again.`,
      when: ['rejected', 'returned'].includes(status) && !isBeingRefunded,
    },
    {
      ...{
        ...common,
        command: 'payout mark-paid',
        label: 'Mark as paid by hand …',
        path: path('mark-paid'),
        danger: true,
      },
      fields: [{ name: 'reference', label: 'The bank’s reference of the payment' }],
      says: `It counts as paid outside of every rail, and no rail pays ${paid} any more. Look at the bank first.`,
      when: ['held', 'rejected', 'returned'].includes(status) && !isBeingRefunded,
    },
    {
      ...{
        ...common,
        command: 'payout mark-unpaid',
        label: 'Was never paid …',
        path: path('mark-unpaid'),
        danger: true,
      },
      reason: true,
      says: `The bank says that it has not carried it out and never will: ${paid} is owed again, and can be paid or refunded. Have the bank say so in writing first. What its rail calls paid is refused until statements of the week after show no debit of it.`,
      when: ['sent', 'paid', 'paid_by_hand'].includes(status),
    },
    {
      ...{
        ...common,
        command: 'payout resettle',
        label: 'It was never burnt …',
        path: path('resettle'),
        danger: true,
      },
      ...{ reason: true, when: status === 'held' && of.attempts === 0 },
      // With the payout its page has gone; what goes on is its order.
      onDone: (outcome) => ('done' in outcome ? go(order, { replace: true }) : refresh()),
      says: `Its order awaits settlement again and is burnt then, and this payout of ${paid} goes, until it is; you then see the order. It is refused unless the chain shows that no batch has burnt it, and that none can but the next.`,
    },
    {
      ...{ ...common, command: 'payout refund', label: 'Refund …', path: path('refund'), danger: true },
      says: `The coin worth ${paid} is minted back to the wallet from which it was burnt, and the ringgit is not paid.`,
      when: ['rejected', 'returned'].includes(status) && !isBeingRefunded,
    },
    {
      ...{
        ...common,
        command: 'payout assign',
        label: 'Assign …',
        path: path('assign'),
        fields: [{ name: 'to', label: 'Who looks after it' }],
      },
      ...{ says: 'It is written down who looks after it. Nothing else changes.', when: true },
    },
  ]
  return html`<div class="buttons section">${actions
    .filter(({ when }) => when)
    .map(({ when, ...action }) => html`<${Action} key=${action.command} ...${action} />`)}</div>`
}

const word = (key: string, title: string): Column<Payment> => ({
  key,
  title,
  by: (row) => (row[key] == null ? null : String(row[key])),
  show: (row) => row[key] ?? html`<${Nothing} />`,
})
const PAYMENTS: readonly Column<Payment>[] = [
  { ...word('attempt', 'Payment'), by: (row) => Number(row.attempt) },
  {
    key: 'status',
    title: 'Status',
    by: (row) => String(row.status),
    show: (row) => html`<${Status} of=${row.status} />`,
  },
  {
    key: 'askedAt',
    title: 'Asked',
    by: (row) => String(row.askedAt),
    show: (row) => html`<${Instant} at=${row.askedAt} />`,
  },
  ...[word('rail', 'Rail'), word('endToEndId', 'End-to-end id'), word('railReference', 'The rail’s reference')],
  ...[word('paidReference', 'Paid as'), word('returnedReference', 'Came back as'), word('reason', 'Reason')],
  ...[word('paymentFile', 'Payment file'), word('reported', 'The bank reported')],
]
