/**
 * Finds customers by id, external id, wallet, account number or name. What is looked for is nobody else's business: it is
 * sent in the body, and stands neither in the address nor in the audit log, which records whom it found.
 */
import { post, whyOf } from '../api.ts'
import { Note } from '../parts.ts'
import { Table } from '../table.ts'
import { html, useState, type View } from '../view.ts'
import type { CustomerRow } from './customer-fields.ts'
import { CUSTOMER_COLUMNS } from './customer-rows.ts'

type State =
  | { at: 'start' | 'asking' }
  | { at: 'refused'; why: string }
  | { at: 'found'; customers: CustomerRow[]; isByName: boolean }

export function Finder(): View {
  const [state, set] = useState<State>({ at: 'start' })
  const find = async (text: string) => {
    set({ at: 'asking' })
    try {
      const outcome = await post<{ customers: CustomerRow[]; isByName: boolean }>('/customers/find', { text })
      const { customers, isByName } = 'done' in outcome ? outcome.done : { customers: [], isByName: true }
      set({ at: 'found', customers, isByName })
    } catch (error) {
      set({ at: 'refused', why: whyOf(error) })
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget as HTMLFormElement).get('text') ?? '').trim()
    if (text !== '' && state.at !== 'asking') void find(text)
  }
  return html`
    <form class="filters" role="search" aria-label="Search of customers" onSubmit=${onSubmit}>
      <label><span>Find</span><input type="search" name="text" maxlength="200" autocomplete="off"
        placeholder="Id, external id, wallet, account number or name" /></label>
      <button type="submit" aria-disabled=${state.at === 'asking'}>Find</button>
    </form>
    ${state.at === 'refused' && html`<${Note}>${state.why}<//>`}
    ${
      state.at === 'found' &&
      html`<div class="section"><${Table} caption="Customers found" columns=${CUSTOMER_COLUMNS} rows=${state.customers} sortedBy="found"
        empty="Nobody was found." idOf=${(row: CustomerRow) => row.customerId} />
        ${!state.isByName && html`<p class="hint">No name was looked for: that takes a word of two letters or more.</p>`}</div>`
    }`
}
