/** Everything that is kept about a customer, as a file for whoever was asked for it. */
import { get, pathOf, whyOf } from '../api.ts'
import { download } from '../download.ts'
import { Note } from '../parts.ts'
import { may } from '../session.ts'
import { html, useState, type View } from '../view.ts'

export function Export({ customerId }: { customerId: string }): View {
  const [why, set] = useState<string | undefined>(undefined)
  if (!may('customer export')) return null
  const save = async () => {
    try {
      const kept = await get<Record<string, unknown>>(`/customers${pathOf(customerId)}/export`)
      download(`${customerId}.json`, 'application/json', JSON.stringify(kept, null, 2))
      set(undefined)
    } catch (error) {
      set(whyOf(error))
    }
  }
  return html`<button type="button" title="With whole account numbers; it is recorded" onClick=${() => void save()}>Export everything kept</button>
    ${why !== undefined && html`<${Note}>${why}<//>`}`
}
