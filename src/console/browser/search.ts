/** The search that is on every page: `/` puts the cursor into it. */
import { Typed } from './filters.ts'
import { go, hrefOf, route } from './router.ts'
import { html, useLayoutEffect, type View } from './view.ts'

export function Search(): View {
  const input = () => document.getElementById('find') as HTMLInputElement
  // At once, for fast fingers: an effect waits for the next picture.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping =
        /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog[open]') !== null
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input().focus()
      input().select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const onSubmit = (event: Event) => {
    event.preventDefault()
    const text = input().value.trim()
    if (text !== '') go(hrefOf(['orders'], { find: text }))
  }
  const { parts, query } = route()
  const found = parts[0] === 'orders' ? (query.get('find') ?? '') : ''
  return html`<form class="search" role="search" aria-label="Search of orders" onSubmit=${onSubmit}>
    <${Typed} id="find" type="search" aria-label="Find orders" value=${found}
      placeholder="Reference, transaction, wallet, customer, bank reference  ( / )" />
  </form>`
}
