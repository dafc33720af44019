/** Files from the bank, newest first, with why some were set aside or withdrawn. */
import { instantColumn, shortIdColumn, statusColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Nothing } from '../parts.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type FileRow = {
  contentHash: string
  name: string
  messageId: string | null
  state: 'taken' | 'set_aside' | 'withdrawn'
  code: string | null
  reason: string | null
  at: string
}
type Listed = { files: FileRow[]; next: string | null }

const FILTERS: readonly Filter[] = [{ name: 'setAside', label: 'Set aside only', check: 'true' }]

const COLUMNS: readonly Column<FileRow>[] = [
  instantColumn('at', 'Taken in', (row) => row.at),
  { key: 'name', title: 'File', by: (row) => row.name, show: (row) => html`<code>${row.name}</code>` },
  statusColumn('state', 'State', (row) => row.state),
  textColumn('message', 'Message', (row) => row.messageId),
  {
    key: 'why',
    title: 'Why it does not count',
    by: (row) => row.reason,
    show: (row) => (row.reason === null ? html`<${Nothing} />` : `${row.code}: ${row.reason}`),
  },
  shortIdColumn('hash', 'SHA-256', (row) => row.contentHash),
]

export function BankFiles(): View {
  const read = useLive<Listed>(`/bank/files${queryOf(FILTERS)}`)
  return html`<${Filters} of=${FILTERS} />
    <${Loaded} from=${read} show=${({ files, next }: Listed) => html`
      <${Table} caption="Files" columns=${COLUMNS} rows=${files} empty="No file fits these filters."
        idOf=${(row: FileRow) => row.contentHash} /><${Pages} next=${next} />`} />`
}
