/** Payouts: the list, and for those who may see bank details one of them with what can be done with it. */
import { instantColumn, ringgitColumn, statusColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Ending, Id, Nothing, Words } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { SaveCsv } from '../save-csv.ts'
import { may } from '../session.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { type Payout, PayoutPage } from './payout.ts'

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['queued', 'held', 'sent', 'paid', 'rejected', 'returned', 'paid_by_hand', 'refunded'],
  },
  { name: 'unpaid', label: 'Not paid only', check: 'true' },
  { name: 'olderThan', label: 'Older than', placeholder: '3d' },
]

const COLUMNS: readonly Column<Payout>[] = [
  {
    key: 'payout',
    title: 'Payout',
    by: (row) => row.payoutId,
    show: (row) =>
      html`<${Id} of=${row.payoutId} short href=${may('payout show') ? hrefOf(['payouts', row.payoutId]) : undefined} />`,
  },
  {
    key: 'reference',
    title: 'Order',
    by: (row) => row.referenceId,
    show: (row) =>
      html`<${Words}><a href=${hrefOf(['orders', row.integrationId, row.referenceId])}>${row.referenceId}</a><//>`,
  },
  ringgitColumn('amount', 'Amount', (row) => row.amountMyr),
  statusColumn('status', 'Status', (row) => row.status),
  instantColumn('since', 'Since', (row) => row.since),
  {
    key: 'bank',
    title: 'Bank',
    by: (row) => row.bankBic,
    show: (row) =>
      row.bankBic === null
        ? html`<${Nothing} />`
        : html`${row.bankBic} <${Ending} of=${`…${row.bankAccountEnding ?? ''}`} />`,
  },
  {
    key: 'why',
    title: 'Why',
    by: why,
    show: (row) => html`<${Words}>${why(row) ?? html`<${Nothing} />`}<//>`,
  },
  textColumn('owner', 'Owner', (row) => row.owner),
]

function why({ isBeingRefunded, holdReason, lastError }: Payout): string | null {
  return isBeingRefunded ? 'Its coin is being minted back.' : (holdReason ?? lastError)
}

type Page = { payouts: Payout[]; next: string | null }

const CSV_NAMES = [
  'payoutId',
  'referenceId',
  'amountMyr',
  'status',
  'since',
  'bankAccountEnding',
  'owner',
  'lastError',
  'integrationId',
  'customerId',
  'endToEndId',
  'rail',
  'railReference',
  'createdAt',
] as const

/** The columns that `payout list --csv` has. */
const CSV = Object.fromEntries(CSV_NAMES.map((name) => [name, (row: Payout) => row[name as keyof Payout]]))

export function PayoutsPage({ rest: [payoutId] }: PageProps): View {
  useRoute()
  return payoutId === undefined ? html`<${List} />` : html`<${PayoutPage} payoutId=${payoutId} />`
}

function List(): View {
  const path = `/payouts${queryOf(FILTERS)}`
  const payouts = useLive<Page>(path)
  return html`<div class="head"><h1>Payouts</h1><${SaveCsv} name="payouts" path=${path} columns=${CSV} shown=${COLUMNS} /></div>
    <p class="lead">Ringgit on its way to customers whose coin was burnt.</p>
    <${Filters} of=${FILTERS} />
    <${Loaded} from=${payouts} show=${({ payouts: rows, next }: Page) => html`
      <${Table} caption="Payouts" columns=${COLUMNS} rows=${rows} idOf=${(row: Payout) => row.payoutId} empty="No payout fits these filters." />
      <${Pages} next=${next} />`} />`
}
