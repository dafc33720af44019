/** Balances of all accounts, now or as of an instant. */
import { ringgitColumn } from '../columns.ts'
import { type Cell, csvOf } from '../csv.ts'
import { download } from '../download.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Id, Instant, Nothing } from '../parts.ts'
import { hrefOf, route } from '../router.ts'
import { shownRows } from '../rows.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type BalanceRow = {
  account: string
  integrationId: string | null
  chainId: number | null
  owner: string
  balance: string
}

type Balanced = { asOf: string | null; accounts: BalanceRow[] }

const FILTERS: readonly Filter[] = [
  { name: 'asOf', label: 'As of the end of a day, or an instant', placeholder: '2026-01-31' },
]

const nameOf = ({ account, owner }: BalanceRow) => `${account}:${owner}`

const COLUMNS: readonly Column<BalanceRow>[] = [
  {
    key: 'account',
    title: 'Account',
    by: nameOf,
    show: (row) => html`<${Id} of=${nameOf(row)} href=${hrefOf(['books', 'entries'], { account: nameOf(row) })} />`,
  },
  {
    key: 'owner',
    title: 'Integration',
    by: (row) => row.integrationId,
    show: (row) =>
      row.integrationId === null
        ? html`<${Nothing} />`
        : html`<${Id} of=${row.integrationId} short href=${hrefOf(['integrations', row.integrationId])} />`,
  },
  ringgitColumn('balance', 'Balance', (row) => row.balance),
]

/** As `coin ledger balances --csv` has them. */
const csvColumns = (asOf: string | null): Record<string, (row: BalanceRow) => Cell> => ({
  asOf: () => asOf,
  account: ({ account }) => account,
  integrationId: ({ integrationId }) => integrationId,
  chainId: ({ chainId }) => chainId,
  owner: ({ owner }) => owner,
  balance: ({ balance }) => balance,
})

/** All that is shown is here already: nothing is read for the file. */
function save({ asOf, accounts }: Balanced): void {
  const { query } = route()
  const kept = shownRows(accounts, COLUMNS, { has: query.get('has') ?? '', sort: query.get('sort') ?? '' })
  download('balances.csv', 'text/csv;charset=utf-8', csvOf(csvColumns(asOf), kept))
}

export function Balances(): View {
  const read = useLive<Balanced>(`/ledger/balances${queryOf(FILTERS)}`)
  return html`<${Filters} of=${FILTERS} />
    <${Loaded} from=${read} show=${({ asOf, accounts }: Balanced) => html`
      <div class="buttons"><button type="button" onClick=${() => save({ asOf, accounts })}>Save as CSV</button></div>
      ${asOf !== null && html`<p>What took effect until <${Instant} at=${asOf} />.</p>`}
      <${Table} caption="Balances" columns=${COLUMNS} rows=${accounts} empty="Nothing was on the books then." idOf=${nameOf} />`} />`
}
