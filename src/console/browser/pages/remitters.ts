/** From which bank accounts a partner pays for its mints. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { numberColumn } from '../columns.ts'
import { Section } from '../parts.ts'
import { type Column, Table } from '../table.ts'
import { html, type View } from '../view.ts'

type Row = { account: string; place: number }

const COLUMNS: readonly Column<Row>[] = [
  numberColumn('place', '#', (row) => row.place),
  { key: 'account', title: 'Account', by: (row) => row.account, show: (row) => html`<code>${row.account}</code>` },
]

const FIELDS = [{ name: 'account', label: 'Account number', hint: '5 to 17 digits' }]

type Props = { integrationId: string; of: readonly string[]; refresh: () => unknown }

/** @param of the accounts, of which the last four digits are shown */
export function Remitters({ integrationId, of, refresh }: Props): View {
  const common = { target: integrationId, fields: FIELDS, onDone: refresh }
  const path = `/integrations${pathOf(integrationId)}/remitters`
  const actions = html`<div class="buttons">
    <${Action} ...${common} command="integration add-remitter" label="Add an account …" path=${path} danger
      says="From now on, money from this account pays for this partner’s mints." />
    ${
      of.length > 0 &&
      html`<${Action} ...${common} command="integration remove-remitter" label="Remove an account …" path=${`${path}/remove`} danger
        says="Money from this account no longer counts as this partner’s, and waits until somebody says what it is." />`
    }</div>`
  return html`<${Section} title="Bank accounts that it pays from" actions=${actions}>
    <${Table} caption="Bank accounts that it pays from" columns=${COLUMNS} rows=${of.map((account, index) => ({ account, place: index + 1 }))}
      sortedBy="remitters" empty="None is registered: what it pays waits until somebody says what it is." idOf=${(row: Row) => String(row.place)} /><//>`
}
