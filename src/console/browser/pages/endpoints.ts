/** The webhook endpoints of an integration. */
import { Action } from '../action.ts'
import { instantColumn } from '../columns.ts'
import { useLive } from '../live.ts'
import { Id, Section, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { type Column, Loaded, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { SecretOnce } from './secret-once.ts'

export type EndpointRow = {
  endpointId: string
  integrationId: string
  url: string
  eventTypes: string[] | null
  status: 'enabled' | 'disabled'
  disabledReason: string | null
  rotating: boolean
  createdAt: string
  updatedAt: string
}

const COLUMNS: readonly Column<EndpointRow>[] = [
  {
    key: 'endpoint',
    title: 'Endpoint',
    by: (row) => row.endpointId,
    show: (row) =>
      html`<${Id} of=${row.endpointId} href=${hrefOf(['integrations', row.integrationId, row.endpointId])} />`,
  },
  { key: 'url', title: 'Address', by: (row) => row.url, show: (row) => html`<code>${row.url}</code>` },
  {
    key: 'status',
    title: 'Status',
    by: (row) => row.status,
    show: (row) => html`<${Status} of=${row.status} /> ${row.disabledReason}`,
  },
  {
    key: 'events',
    title: 'Events',
    by: (row) => row.eventTypes?.join(', ') ?? 'all',
    show: (row) => row.eventTypes?.join(', ') ?? 'all',
  },
  instantColumn('changed', 'Changed', (row) => row.updatedAt),
]

/** Names of event types in a text, for the API. */
export const typesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

export const TYPES_HINT =
  'separated by commas; empty: all. mint. and redeem. each with pending, completed or failed; transfer.completed, transfer.failed'

export function Endpoints({ integrationId }: { integrationId: string }): View {
  const listed = useLive<{ endpoints: EndpointRow[] }>(`/webhooks?${new URLSearchParams({ integrationId })}`)
  const bodyOf = ({ url, eventTypes }: Record<string, string>) => ({
    url,
    ...(eventTypes === undefined ? {} : { eventTypes: typesOf(eventTypes) }),
  })
  const add = html`<${Action} command="webhook add" label="Add an endpoint …" target=${integrationId} path="/webhooks"
    says="Registers an address that receives this partner's events from now on. Its secret is shown once, here."
    fields=${[
      { name: 'url', label: 'Address', hint: 'https://…' },
      { name: 'eventTypes', label: 'Event types', optional: true, hint: TYPES_HINT },
    ]}
    body=${{ integrationId }} bodyOf=${bodyOf} onDone=${listed.refresh}
    result=${({ endpointId, secret }: Record<string, string>) => html`<p>Endpoint: <${Id} of=${endpointId} /></p><${SecretOnce} name="Secret" of=${secret} />`} />`
  return html`<${Section} title="Webhook endpoints" actions=${add}>
    <${Loaded} from=${listed} show=${({ endpoints }: { endpoints: EndpointRow[] }) => html`
      <${Table} caption="Webhook endpoints" columns=${COLUMNS} rows=${endpoints} sortedBy="endpoints"
        empty="It has no endpoint, so it gets no webhooks." idOf=${(row: EndpointRow) => row.endpointId} />`} /><//>`
}
