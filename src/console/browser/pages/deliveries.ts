/** What was delivered to an endpoint, with how it was answered. */
import { pathOf } from '../api.ts'
import { idColumn, instantColumn, numberColumn, statusColumn, textColumn } from '../columns.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import { Nothing, Section } from '../parts.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type Attempt = { httpStatus: number | null; error: string | null; startedAt: string; responseExcerpt: string | null }
type DeliveryRow = {
  deliveryId: string
  eventId: string
  type: string
  status: 'due' | 'delivered' | 'exhausted' | 'dropped'
  attempts: number
  nextAttemptAt: string | null
  createdAt: string
  attemptLog: Attempt[]
}
type Listed = { deliveries: DeliveryRow[]; next: string | null }

const FILTERS: readonly Filter[] = [{ name: 'failed', label: 'Undelivered only', check: 'true' }]

function answerOf({ attemptLog }: DeliveryRow): string | undefined {
  const last = attemptLog.at(-1)
  if (last === undefined) return undefined
  return [last.httpStatus, last.error].filter((part) => part !== null).join(', ')
}

const COLUMNS: readonly Column<DeliveryRow>[] = [
  idColumn('event', 'Event', (row) => row.eventId),
  textColumn('type', 'Type', (row) => row.type),
  statusColumn('status', 'Status', (row) => row.status),
  numberColumn('attempts', 'Attempts', (row) => row.attempts),
  { key: 'answer', title: 'Last answer', by: answerOf, show: (row) => answerOf(row) ?? html`<${Nothing} />` },
  instantColumn('next', 'Next attempt', (row) => row.nextAttemptAt),
  instantColumn('created', 'Created', (row) => row.createdAt),
]

export function Deliveries({ endpointId }: { endpointId: string }): View {
  const listed = useLive<Listed>(`/webhooks${pathOf(endpointId)}/deliveries${queryOf(FILTERS)}`)
  return html`<${Section} title="Deliveries">
    <${Filters} of=${FILTERS} />
    <${Loaded} from=${listed} show=${({ deliveries, next }: Listed) => html`
      <${Table} caption="Deliveries" columns=${COLUMNS} rows=${deliveries} empty="Nothing to show: no delivery fits."
        idOf=${(row: DeliveryRow) => row.deliveryId} /><${Pages} next=${next} />`} /><//>`
}
