/** Filters of a list. Their state is in the address, and so are the parameters of the API's route. */
import { route, setQuery } from './router.ts'
import { html, useLayoutEffect, useRef, type View } from './view.ts'

export type Filter =
  | { name: string; label: string; options: readonly string[] }
  | { name: string; label: string; placeholder?: string }
  | { name: string; label: string; check: string }

/** The filters of the address as a query of the API. @param also further parameters that the page passes on */
export function queryOf(filters: readonly Filter[], also: Record<string, string> = {}): string {
  const { query } = route()
  const names = [...filters.map(({ name }) => name), 'after']
  const given = names.flatMap((name) => {
    const value = query.get(name)
    return value ? [[name, value]] : []
  })
  const search = new URLSearchParams([...Object.entries(also), ...given])
  return search.size === 0 ? '' : `?${search}`
}

export function Filters({ of }: { of: readonly Filter[] }): View {
  const { query } = route()
  const set = (name: string, value: string) => setQuery({ [name]: value, after: undefined })
  const isSet = of.some(({ name }) => query.has(name))
  const clear = ({ currentTarget }: Event) => {
    // The button goes away with what it has cleared, and must not take the keyboard along.
    ;(currentTarget as HTMLButtonElement).form?.querySelector<HTMLElement>('input, select')?.focus()
    setQuery(Object.fromEntries([...of.map(({ name }) => [name, undefined]), ['after', undefined]]))
  }
  return html`<form class="filters" role="search" aria-label="Filters of this list" onSubmit=${(event: Event) => event.preventDefault()}>
    ${of.map((filter) => html`<label key=${filter.name}>${field(filter, query.get(filter.name) ?? '', set)}</label>`)}
    ${isSet && html`<button type="button" onClick=${clear}>Clear</button>`}
  </form>`
}

function field(filter: Filter, value: string, set: (name: string, value: string) => void): View {
  const { name, label } = filter
  if ('check' in filter) {
    const onChange = (event: Event) => set(name, (event.target as HTMLInputElement).checked ? filter.check : '')
    return html`<input type="checkbox" checked=${value === filter.check} onChange=${onChange} /> <span>${label}</span>`
  }
  const onChange = (event: Event) => set(name, (event.target as HTMLInputElement).value.trim())
  if ('options' in filter) {
    const options = filter.options.map(
      (each) =>
        html`<option key=${each} value=${each} selected=${each === value}>${each.replaceAll('_', ' ')}</option>`,
    )
    return html`<span>${label}</span><select value=${value} onChange=${onChange}><option value="">all</option>${options}</select>`
  }
  const placeholder = filter.placeholder ?? ''
  return html`<span>${label}</span><${Typed} type="text" value=${value} placeholder=${placeholder} onChange=${onChange} />`
}

/** An input whose text is the reader's until the address says another: the page may be drawn anew while they type. */
export function Typed({ value, ...props }: { value: string; [prop: string]: unknown }): View {
  const input = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (input.current !== null) input.current.value = value
  }, [value])
  return html`<input ref=${input} ...${props} defaultValue=${value} />`
}
