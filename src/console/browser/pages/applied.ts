/** The statements of one bank account that were applied, newest first. */
import { instantColumn, numberColumn, ringgitColumn, textColumn } from '../columns.ts'
import { Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Words } from '../parts.ts'
import { route } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type AppliedRow = {
  statementNo: string
  statementId: string
  openedOn: string
  opening: string
  closedOn: string
  closing: string
  lines: number
  daysWithout: string | null
  file: string
  appliedAt: string
}
type Listed = { statements: AppliedRow[]; next: string | null }

const OF = [{ name: 'of', label: 'Account', placeholder: 'a bank account of yours' }]

const COLUMNS: readonly Column<AppliedRow>[] = [
  {
    key: 'statement',
    title: 'Statement',
    by: (row) => row.statementId,
    show: (row) => html`<${Words}>${row.statementId}<//>`,
  },
  textColumn('opened', 'Opened on', (row) => row.openedOn),
  ringgitColumn('opening', 'Opening balance', (row) => row.opening),
  textColumn('closed', 'Closed on', (row) => row.closedOn),
  ringgitColumn('closing', 'Closing balance', (row) => row.closing),
  numberColumn('lines', 'Lines', (row) => row.lines),
  textColumn('without', 'Days without', (row) => row.daysWithout),
  instantColumn('applied', 'Applied', (row) => row.appliedAt),
  { key: 'file', title: 'File', by: (row) => row.file, show: (row) => html`<${Words}><code>${row.file}</code><//>` },
]

export function Applied(): View {
  const { query } = route()
  const read = useLive<Listed>(query.has('of') ? `/bank/statements/applied${queryOf(OF)}` : undefined)
  return html`<${Filters} of=${OF} />
    ${
      query.has('of') &&
      html`<${Loaded} from=${read} show=${({ statements, next }: Listed) => html`
        <${Table} caption="Statements that were applied" columns=${COLUMNS} rows=${statements}
          empty="None of its statements was applied yet." idOf=${(row: AppliedRow) => row.statementNo} />
        <${Pages} next=${next} />`} />`
    }`
}
