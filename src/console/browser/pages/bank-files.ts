/** Files from the bank, newest first, with why some were set aside or withdrawn. */
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Id, Instant, Nothing, Status } from '../parts.ts'
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
  { key: 'at', title: 'Taken in', by: (row) => row.at, show: (row) => html`<${Instant} at=${row.at} />` },
  { key: 'name', title: 'File', by: (row) => row.name, show: (row) => html`<code>${row.name}</code>` },
  { key: 'state', title: 'State', by: (row) => row.state, show: (row) => html`<${Status} of=${row.state} />` },
  {
    key: 'message',
    title: 'Message',
    by: (row) => row.messageId,
    show: (row) => row.messageId ?? html`<${Nothing} />`,
  },
  {
    key: 'why',
    title: 'Why it does not count',
    by: (row) => row.reason,
    show: (row) => (row.reason === null ? html`<${Nothing} />` : `${row.code}: ${row.reason}`),
  },
  {
    key: 'hash',
    title: 'SHA-256',
    by: (row) => row.contentHash,
    show: (row) => html`<${Id} of=${row.contentHash} short />`,
  },
]

export function BankFiles(): View {
  const read = useLive<Listed>(`/bank/files${queryOf(FILTERS)}`)
  return html`<${Filters} of=${FILTERS} />
    <${Loaded} from=${read} show=${({ files, next }: Listed) => html`
      <${Table} caption="Files" columns=${COLUMNS} rows=${files} empty="No file fits these filters."
        idOf=${(row: FileRow) => row.contentHash} /><${Pages} next=${next} />`} />`
}
