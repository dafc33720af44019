/** Integrations: the partners, and behind each its keys, its webhook endpoints and what was delivered to them. */
import { Action } from '../action.ts'
import { idColumn, instantColumn, statusColumn, textColumn } from '../columns.ts'
import { queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Id } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { type Column, Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { EndpointPage } from './endpoint.ts'
import { IntegrationPage, type IntegrationRow } from './integration.ts'

type Listed = { integrations: IntegrationRow[]; next: string | null }

const COLUMNS: readonly Column<IntegrationRow>[] = [
  {
    key: 'name',
    title: 'Name',
    by: (row) => row.name,
    show: (row) => html`<a href=${hrefOf(['integrations', row.integrationId])}><bdi>${row.name}</bdi></a>`,
  },
  idColumn('id', 'Id', (row) => row.integrationId),
  statusColumn('status', 'Status', (row) => row.status),
  textColumn('dpa', 'Data processing agreement', (row) => row.dpaSignedOn),
  instantColumn('created', 'Created', (row) => row.createdAt),
]

export function IntegrationsPage({ rest: [integrationId, endpointId] }: PageProps): View {
  useRoute()
  if (integrationId === undefined) return html`<${IntegrationList} />`
  const place = `${integrationId}/${endpointId}`
  if (endpointId !== undefined) return html`<${EndpointPage} key=${place} ...${{ integrationId, endpointId }} />`
  return html`<${IntegrationPage} key=${integrationId} integrationId=${integrationId} />`
}

function IntegrationList(): View {
  const listed = useLive<Listed>(`/integrations${queryOf([])}`)
  return html`<div class="head"><h1>Integrations</h1>
      <${Action} command="integration create" label="Create an integration …" target="a new partner" path="/integrations"
        says="Creates a partner. It can do nothing until it has a key and customers."
        fields=${[{ name: 'name', label: 'Name of the partner' }]}
        result=${({ integrationId }: { integrationId: string }) => html`<p><${Id} of=${integrationId} href=${hrefOf(['integrations', integrationId])} /></p>`}
        onDone=${listed.refresh} /></div>
    <p class="lead">The partners that use the API. Keys and webhook endpoints are behind each name.</p>
    <${Loaded} from=${listed} show=${({ integrations, next }: Listed) => html`
      <${Table} caption="Integrations" columns=${COLUMNS} rows=${integrations} empty="There is no integration yet."
        idOf=${(row: IntegrationRow) => row.integrationId} />
      <${Pages} next=${next} />`} />`
}
