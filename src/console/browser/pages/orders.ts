/** Orders: the list with its filters, and what a search has found. */
import { coinColumn, instantColumn, shortIdColumn, statusColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Costly, Id, Instant, Nothing, Words } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { SaveCsv } from '../save-csv.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { OrderPage } from './order.ts'

export type OrderRow = {
  referenceId: string
  integrationId: string
  customerId: string
  keyId: string
  confirmedKeyId: string | null
  direction: string
  status: string
  phase: string
  chainId: number
  walletAddress: string
  amounts: { coin: string; feeMyr: string }
  blockchain: { txHash: string | null }
  timestamps: { createdAt: string; updatedAt: string | null }
  failureReason: string | null
  waiting: string | null
}

const FILTERS: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    options: ['payment_pending', 'pending', 'processing', 'completed', 'failed', 'cancelled'],
  },
  { name: 'integrationId', label: 'Integration', placeholder: 'int_…' },
  { name: 'stuck', label: 'Stuck only', check: 'true' },
  { name: 'olderThan', label: 'Stuck for longer than', placeholder: '10m' },
]

const ORDER_COLUMNS: readonly Column<OrderRow>[] = [
  {
    key: 'reference',
    title: 'Order',
    by: (row) => row.referenceId,
    show: (row) =>
      html`<${Words}><${Id} of=${row.referenceId} href=${hrefOf(['orders', row.integrationId, row.referenceId])} /><//>`,
  },
  shortIdColumn('integration', 'Integration', (row) => row.integrationId),
  { key: 'direction', title: 'Direction', by: (row) => row.direction, show: (row) => row.direction.toLowerCase() },
  statusColumn('status', 'Status', (row) => row.status),
  {
    key: 'phase',
    title: 'Phase',
    by: (row) => row.phase,
    show: ({ phase, status }) =>
      phase.toLowerCase() === status ? html`<${Nothing} />` : phase.toLowerCase().replaceAll('_', ' '),
  },
  coinColumn('coin', 'Coin', (row) => row.amounts.coin),
  instantColumn('created', 'Created', (row) => row.timestamps.createdAt),
  {
    key: 'waiting',
    title: 'Waiting for',
    by: (row) => row.waiting ?? row.failureReason,
    show: (row) => html`<${Words}>${row.waiting ?? row.failureReason ?? html`<${Nothing} />`}<//>`,
  },
]

type Page = { orders: OrderRow[]; next: string | null }

const CSV = {
  integrationId: (row: OrderRow) => row.integrationId,
  referenceId: (row: OrderRow) => row.referenceId,
  direction: (row: OrderRow) => row.direction,
  status: (row: OrderRow) => row.status,
  phase: (row: OrderRow) => row.phase,
  coin: (row: OrderRow) => row.amounts.coin,
  feeMyr: (row: OrderRow) => row.amounts.feeMyr,
  customerId: (row: OrderRow) => row.customerId,
  keyId: (row: OrderRow) => row.keyId,
  confirmedKeyId: (row: OrderRow) => row.confirmedKeyId,
  chainId: (row: OrderRow) => row.chainId,
  walletAddress: (row: OrderRow) => row.walletAddress,
  txHash: (row: OrderRow) => row.blockchain.txHash,
  createdAt: (row: OrderRow) => row.timestamps.createdAt,
  updatedAt: (row: OrderRow) => row.timestamps.updatedAt,
  waiting: (row: OrderRow) => row.waiting,
  failureReason: (row: OrderRow) => row.failureReason,
}
type Found = { orders: OrderRow[]; isWhole: boolean; searchedSince: string | null }

const idOf = ({ integrationId, referenceId }: OrderRow) => `${integrationId}/${referenceId}`

export function OrdersPage({ rest: [integrationId, referenceId] }: PageProps): View {
  const wanted = useRoute().query.get('find')
  if (integrationId !== undefined && referenceId !== undefined) {
    return html`<${OrderPage} name=${[integrationId, referenceId]} />`
  }
  return wanted ? html`<${FoundOrders} text=${wanted} />` : html`<${OrderList} />`
}

function OrderList(): View {
  const path = `/orders${queryOf(FILTERS)}`
  const orders = useLive<Page>(path)
  return html`<div class="head"><h1>Orders</h1><${SaveCsv} name="orders" path=${path} columns=${CSV} shown=${ORDER_COLUMNS} /></div>
    <p class="lead">Of all partners, newest first. A stuck one has made no progress for ten minutes, or for as long as you say.</p>
    <${Filters} of=${FILTERS} />
    <${Loaded} from=${orders} show=${({ orders: rows, next }: Page) => html`
      <${Table} caption="Orders" columns=${ORDER_COLUMNS} rows=${rows} empty="No order fits these filters." idOf=${idOf} />
      <${Pages} next=${next} />`} />`
}

function FoundOrders({ text }: { text: string }): View {
  const found = useLive<Found>(`/orders/find?${new URLSearchParams({ text })}`, { live: false })
  return html`<p><a href=${hrefOf(['orders'])}>← Orders</a></p><h1>Orders found</h1>
    <p class="lead">Whose reference, transaction, wallet, customer, bank reference or payout is “${text}”.</p>
    <${Loaded} from=${found} show=${({ orders: rows, isWhole, searchedSince }: Found) => html`
      <${Costly} why="A search reads many orders" again=${found.refresh} />
      ${!isWhole && html`<p class="hint">These are the newest; more orders have that.</p>`}
      ${
        searchedSince !== null &&
        html`<p class="hint">Transactions, wallets, customers and bank references were looked for in orders since <${Instant} at=${searchedSince} /> only.</p>`
      }
      <${Table} caption="Orders found" columns=${ORDER_COLUMNS} rows=${rows} idOf=${idOf}
        empty="No order has that. References, ids and transactions must be complete." />`} />`
}
