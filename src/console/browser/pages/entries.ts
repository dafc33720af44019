/** Entries of the books, of all accounts or of one, newest first. */
import { idColumn, instantColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Nothing, Ringgit } from '../parts.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type EntryRow = {
  entryId: string
  reference: string
  effectiveAt: string
  recordedAt: string
  day: string
  position: string | null
  lines: { account: string; amount: string }[]
}
type Listed = { entries: EntryRow[]; next: string | null }

const FILTERS: readonly Filter[] = [{ name: 'account', label: 'Account', placeholder: 'coins:31337' }]

const COLUMNS: readonly Column<EntryRow>[] = [
  { key: 'entry', title: 'Entry', numeric: true, by: (row) => Number(row.entryId), show: (row) => row.entryId },
  idColumn('reference', 'For', (row) => row.reference),
  textColumn('day', 'Day', (row) => row.day),
  instantColumn('effective', 'Happened', (row) => row.effectiveAt),
  {
    key: 'lines',
    title: 'Lines',
    by: (row) => row.lines.map(({ account, amount }) => `${amount} ${account}`).join(' '),
    show: (row) =>
      row.lines.map(
        ({ account, amount }) => html`<div key=${account}><${Ringgit} of=${amount} /> <code>${account}</code></div>`,
      ),
  },
  {
    key: 'sealed',
    title: 'Sealed at',
    numeric: true,
    by: (row) => Number(row.position ?? 0),
    show: (row) => row.position ?? html`<${Nothing} />`,
  },
]

export function Entries(): View {
  const listed = useLive<Listed>(`/ledger/entries${queryOf(FILTERS)}`)
  return html`<${Filters} of=${FILTERS} />
    <${Loaded} from=${listed} show=${({ entries, next }: Listed) => html`
      <${Table} caption="Entries" columns=${COLUMNS} rows=${entries} empty="There is no entry of this account."
        idOf=${(row: EntryRow) => row.entryId} />
      <${Pages} next=${next} />`} />`
}
