/** Customers: found by what is known of them, listed by integration, and behind each its details and wallets. */
import { Action } from '../action.ts'
import { type Filter, Filters, queryOf } from '../filters.ts'
import { useLive } from '../live.ts'
import type { PageProps } from '../page.ts'
import { Id } from '../parts.ts'
import { hrefOf, useRoute } from '../router.ts'
import { may } from '../session.ts'
import { Loaded, Pages, Table } from '../table.ts'
import { html, type View } from '../view.ts'
import { CustomerPage } from './customer.ts'
import { bodyOfCustomer, type CustomerRow, customerFields } from './customer-fields.ts'
import { CUSTOMER_COLUMNS } from './customer-rows.ts'
import { Finder } from './finder.ts'

type Listed = { customers: CustomerRow[]; next: string | null }

const FILTERS: readonly Filter[] = [{ name: 'integrationId', label: 'Integration', placeholder: 'int_…' }]

export function CustomersPage({ rest: [customerId] }: PageProps): View {
  const integrationId = useRoute().query.get('integrationId')
  if (customerId !== undefined) return html`<${CustomerPage} key=${customerId} customerId=${customerId} />`
  return html`<div class="head"><h1>Customers & wallets</h1>
      <${Action} command="customer link" label="Link a customer …" target="a new customer of a partner" path="/customers"
        says="Records a person or company that a partner has identified." bodyOf=${bodyOfCustomer}
        fields=${[{ name: 'integrationId', label: 'Integration', value: integrationId ?? '' }, ...customerFields()]}
        result=${({ customerId: linked }: { customerId: string }) => html`<p><${Id} of=${linked} href=${hrefOf(['customers', linked])} /></p>`} /></div>
    <p class="lead">Every look at names and accounts is recorded in the audit log.</p>
    ${may('customer find') && html`<${Finder} />`}
    <${Filters} of=${FILTERS} />
    ${integrationId === null ? html`<p class="empty">Search above, or name an integration to list its customers.</p>` : html`<${CustomerList} />`}`
}

function CustomerList(): View {
  const listed = useLive<Listed>(`/customers${queryOf(FILTERS)}`, { live: false })
  return html`<${Loaded} from=${listed} show=${({ customers, next }: Listed) => html`
    <${Table} caption="Customers of the integration" columns=${CUSTOMER_COLUMNS} rows=${customers}
      empty="This integration has no customer." idOf=${(row: CustomerRow) => row.customerId} />
    <${Pages} next=${next} />`} />`
}
