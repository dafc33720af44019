/** The statements of one bank account that were applied, newest first. */
import { Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Instant, Nothing, Ringgit, Words } from '../parts.ts'
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

const ringgit = (of: string) => html`<${Ringgit} of=${of} />`

const COLUMNS: readonly Column<AppliedRow>[] = [
  {
    key: 'statement',
    title: 'Statement',
    by: (row) => row.statementId,
    show: (row) => html`<${Words}>${row.statementId}<//>`,
  },
  { key: 'opened', title: 'Opened on', by: (row) => row.openedOn, show: (row) => row.openedOn },
  {
    key: 'opening',
    title: 'Opening balance',
    numeric: true,
    by: (row) => Number(row.opening),
    show: (row) => ringgit(row.opening),
  },
  { key: 'closed', title: 'Closed on', by: (row) => row.closedOn, show: (row) => row.closedOn },
  {
    key: 'closing',
    title: 'Closing balance',
    numeric: true,
    by: (row) => Number(row.closing),
    show: (row) => ringgit(row.closing),
  },
  { key: 'lines', title: 'Lines', numeric: true, by: (row) => row.lines, show: (row) => String(row.lines) },
  {
    key: 'without',
    title: 'Days without',
    by: (row) => row.daysWithout,
    show: (row) => row.daysWithout ?? html`<${Nothing} />`,
  },
  {
    key: 'applied',
    title: 'Applied',
    by: (row) => row.appliedAt,
    show: (row) => html`<${Instant} at=${row.appliedAt} />`,
  },
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
