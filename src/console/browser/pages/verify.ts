/** A button that proves a sealed log: the books, or the audit log. */
import { get, whyOf } from '../api.ts'
import { Busy, count, Note } from '../parts.ts'
import { html, useState, type View } from '../view.ts'

type Verification = {
  ok: boolean
  entries: number
  head: string | null
  firstBad: { fault: string; subject: string } | null
}
type State = { at: 'start' | 'asking' } | { at: 'refused'; why: string } | { at: 'told'; result: Verification }

/** @param path of the API's proof @param name what is proven, in words */
export function Verify({ path, name, label }: { path: string; name: string; label: string }): View {
  const [state, set] = useState<State>({ at: 'start' })
  const ask = async () => {
    set({ at: 'asking' })
    try {
      set({ at: 'told', result: await get<Verification>(path) })
    } catch (error) {
      set({ at: 'refused', why: whyOf(error) })
    }
  }
  return html`<${Busy} is=${state.at === 'asking'} onClick=${ask}>${state.at === 'asking' ? 'Reading …' : label}<//>
    ${state.at === 'refused' && html`<${Note}>${state.why}<//>`}
    ${state.at === 'told' && html`<${Told} name=${name} ...${state.result} />`}`
}

function Told({ name, ok, entries, head, firstBad }: Verification & { name: string }): View {
  if (!ok) return html`<${Note}>Somebody has changed ${name}: ${firstBad?.fault}, at ${firstBad?.subject}.<//>`
  return html`<${Note} tone="good">Nobody has changed ${name}: ${count(entries)} entries, the last sealed as <code>${head}</code>.<//>`
}
