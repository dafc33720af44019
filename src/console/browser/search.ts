/** The search that is on every page: `/` puts the cursor into it. */
import { go, hrefOf, route } from './router.ts'
import { html, useEffect, useRef, type View } from './view.ts'

export function Search(): View {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping =
        /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog[open]') !== null
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.select()
      input.current?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const onSubmit = (event: Event) => {
    event.preventDefault()
    const text = input.current?.value.trim() ?? ''
    if (text !== '') go(hrefOf(['orders'], { find: text }))
  }
  const { parts, query } = route()
  const found = parts[0] === 'orders' ? (query.get('find') ?? '') : ''
  return html`<form class="search" role="search" aria-label="Search of orders" onSubmit=${onSubmit}>
    <input ref=${input} type="search" aria-label="Find orders" value=${found}
      placeholder="Reference, transaction, wallet, customer, bank reference  ( / )" />
  </form>`
}
