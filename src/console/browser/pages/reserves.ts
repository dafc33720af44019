/** The reserves: each part of what the guard decides on before it lets coin be minted. */
import { numberColumn, ringgitColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Facts, Instant, Note, Ringgit, Section } from '../parts.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type AccountRow = { account: string; closing: string; booked: string; creditsSince: string; ageHours: number }
type Reserves = {
  guard: string
  available: string
  committed: string
  room: string
  difference: string
  because: Record<string, string>
  unknown: string | null
  asOf: string | null
  accounts: AccountRow[]
  coins: string
  mintsSigned: string
  redeemPayable: string
  residual: string
  payoutClearing: string
  extraPayments: string
  saidPaid: string
  perhapsTwice: string
}

const ringgit = (of: string) => html`<${Ringgit} of=${of} />`

const COLUMNS: readonly Column<AccountRow>[] = [
  textColumn('account', 'Bank account', (row) => row.account),
  ringgitColumn('closing', 'On its newest statement', (row) => row.closing),
  ringgitColumn('booked', 'In the books', (row) => row.booked),
  ringgitColumn('since', 'Come in since', (row) => row.creditsSince),
  numberColumn('age', 'Hours old', (row) => row.ageHours),
]

const FILTERS: readonly Filter[] = [
  { name: 'asOf', label: 'As of the end of a day, or an instant', placeholder: '2026-01-31' },
]

export function Reserves(): View {
  const read = useLive<Reserves>(`/reserves${queryOf(FILTERS)}`)
  return html`<${Filters} of=${FILTERS} /><${Loaded} from=${read} show=${(is: Reserves) => html`
    ${is.asOf !== null && html`<p>As of <${Instant} at=${is.asOf} />, by what is known today.</p>`}
    ${is.unknown !== null && html`<${Note} tone="wait">What the bank holds is not known well enough: ${is.unknown.replaceAll('_', ' ')}.<//>`}
    <${Facts} of=${[
      ['Guard', is.guard],
      ['Room for mints', ringgit(is.room)],
      ['Available', ringgit(is.available)],
      ['Committed', ringgit(is.committed)],
      ['Difference', ringgit(is.difference)],
      ['Coin', ringgit(is.coins)],
      ['Mints signed', ringgit(is.mintsSigned)],
      ['Redeems to pay', ringgit(is.redeemPayable)],
      ['On its way', ringgit(is.payoutClearing)],
      ['On its way, once too often', ringgit(is.extraPayments)],
      ['Paid, as only a rail says', ringgit(is.saidPaid)],
      ['Perhaps on two accounts', ringgit(is.perhapsTwice)],
      ['Residual', ringgit(is.residual)],
    ]} />
    <${Section} title="What the difference is made of"><${Facts} of=${[
      ['Nothing explains it', ringgit(is.because.unexplained ?? '')],
      ['Own funds', ringgit(is.because.ownFunds ?? '')],
      ['Fees that were paid', ringgit(is.because.feesPaid ?? '')],
      ['Awaited for mints', ringgit(is.because.mintsAwaited ?? '')],
      ['Claimed back', ringgit(is.because.claims ?? '')],
      ['Between two accounts', ringgit(is.because.betweenAccounts ?? '')],
      ['Not in the books', ringgit(is.because.notBooked ?? '')],
    ]} /><//>
    <${Section} title="Bank accounts"><${Table} caption="Bank accounts" columns=${COLUMNS} rows=${is.accounts}
      empty="No statement has been read." idOf=${(row: AccountRow) => row.account} /><//>`} />`
}
