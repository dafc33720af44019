/** One payout: what the rail was asked for and said, and what an operator can do about it. Each look at it is recorded. */
import { pathOf } from '../api.ts'
import { useLive } from '../live.ts'
import { Facts, Id, Instant, Note, Nothing, Recorded, Ringgit, ringgit, Section, Status, Words } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { PayoutActions } from './payout-actions.ts'

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
  timesAsked: number
  nextAttemptAt: string | null
  railReference: string | null
  lastError: string | null
  createdAt: string
  refundOrder: string | null
  isBeingRefunded: boolean
  /** Why not to pay it outside of the service yet. */
  beware?: string
  /** What can be done with one that was refused or came back. */
  advice?: string | null
}
type Payment = Record<string, string | number | boolean | null>
type Claim = { claim: string; lineId: string; amountMyr: string; bookedOn: string; place: string }
type Hold = { reason: string; by: string | null; at: string | null }
type Whole = Payout & {
  bankName: string | null
  paysTo: string | null
  holds: Hold[]
  payments: Payment[]
  claims: Claim[]
}
/** `asSeen`: what says that it is as this page shows it. */
type Answer = { payout: Whole; asSeen: string }

export function PayoutPage({ payoutId }: { payoutId: string }): View {
  const payout = useLive<Answer>(`/payouts${pathOf(payoutId)}`, { live: false })
  return html`<p><a href=${hrefOf(['payouts'])}>← Payouts</a></p><h1>${payoutId}</h1>
    <${Recorded} why="It shows bank details" again=${payout.refresh} />
    <${Loaded} from=${payout} show=${({ payout: of, asSeen }: Answer) => html`<${Shown} of=${of} asSeen=${asSeen} refresh=${payout.refresh} />`} />`
}

function Shown({ of, asSeen, refresh }: { of: Whole; asSeen: string; refresh: () => Promise<void> }): View {
  return html`
    ${of.holdReason !== null && html`<${Note}>Held: ${of.holdReason}.<//>`}
    ${of.holds.filter(({ by }) => by !== null).map(({ reason, by, at }) => html`<${Note} key=${reason}><bdi>${by}</bdi> holds it since <${Instant} at=${at} />: ${reason}<//>`)}
    ${of.lastError !== null && html`<${Note} tone="wait">Last said of it: ${of.lastError}<//>`}
    ${of.beware !== undefined && html`<${Note} tone="wait">${of.beware}<//>`}
    ${of.advice != null && html`<${Note} tone="wait">${of.advice}<//>`}
    ${of.isBeingRefunded && html`<${Note} tone="wait">Its coin is being minted back: <a href=${refundHref(of)}>${of.refundOrder}</a>.<//>`}
    ${of.claims.map(
      ({ claim, amountMyr, bookedOn, place }) =>
        html`<${Note} key=${claim} tone="wait">Paid once more on ${bookedOn} (${place}): ${ringgit(amountMyr)} is claimed back and has not come back yet.<//>`,
    )}
    <${Awaiting} of=${[of.payoutId]} />
    <${PayoutActions} of=${of} asSeen=${asSeen} refresh=${refresh} />
    <${Facts} of=${[
      ['Status', html`<${Status} of=${of.status} />`],
      ['Since', html`<${Instant} at=${of.since} />`],
      ['Amount', html`<${Ringgit} of=${of.amountMyr} />`],
      ['Order', html`<${Id} of=${of.referenceId} href=${hrefOf(['orders', of.integrationId, of.referenceId])} />`],
      ['Integration', html`<${Id} of=${of.integrationId} href=${hrefOf(['integrations', of.integrationId])} />`],
      ['Customer', html`<${Id} of=${of.customerId} href=${hrefOf(['customers', of.customerId])} />`],
      ['Would now be paid to', of.paysTo ?? undefined],
      ['Bank', of.bankBic],
      ['Account', of.bankAccountEnding === null ? null : `…${of.bankAccountEnding}`],
      ['Name', of.bankName],
      ['End-to-end id', html`<${Id} of=${of.endToEndId} />`],
      ['Rail', of.rail],
      ['The rail’s reference', html`<${Id} of=${of.railReference} />`],
      ['Asked', `${of.timesAsked}×, payment ${of.attempt}`],
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

const word = (key: string, title: string): Column<Payment> => ({
  key,
  title,
  by: (row) => (row[key] == null ? null : String(row[key])),
  show: (row) => row[key] ?? html`<${Nothing} />`,
})
/** What may be long, below what it belongs to: each in a column of its own would be out of sight. */
const below = (key: string, longKey: string, title: string): Column<Payment> => ({
  ...word(key, title),
  show: (row) =>
    html`<${Words}>${row[key] ?? html`<${Nothing} />`}${row[longKey] != null && html`<br />${row[longKey]}`}<//>`,
})
const PAYMENTS: readonly Column<Payment>[] = [
  { ...word('attempt', 'Payment'), by: (row) => Number(row.attempt) },
  {
    key: 'status',
    title: 'Status',
    by: (row) => String(row.status),
    show: (row) => html`<${Status} of=${row.status} />${row.isExtra === true && html`<div>one too many</div>`}`,
  },
  {
    key: 'askedAt',
    title: 'Asked',
    by: (row) => String(row.askedAt),
    show: (row) => html`<${Instant} at=${row.askedAt} />`,
  },
  word('rail', 'Rail'),
  below('endToEndId', 'railReference', 'End-to-end id, the rail’s reference'),
  below('paidReference', 'returnedReference', 'Paid as, came back as'),
  below('reason', '', 'Reason'),
  below('paymentFile', 'reported', 'Payment file, and what the bank reported'),
]
