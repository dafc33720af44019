/** The search that is on every page: `/` puts the cursor into it. */
import { Typed } from './filters.ts'
import { go, hrefOf, route } from './router.ts'
import { html, useLayoutEffect, useState, type View } from './view.ts'

/** Whether the key is off in this browser: whoever speaks to their machine, or holds keys by accident, must be able to have it so. */
const OFF = 'console-no-search-key'
const isOn = () => localStorage.getItem(OFF) === null

export function Search(): View {
  const input = () => document.getElementById('find') as HTMLInputElement
  // At once, for fast fingers: an effect waits for the next picture.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping =
        /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || document.querySelector('dialog[open]') !== null
      if (event.key !== '/' || !isOn() || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
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
      placeholder="Reference, transaction, wallet, customer, bank reference" />
  </form>`
}

/** Switches the key on and off, at the end of every page. */
export function SearchKey(): View {
  const [on, set] = useState(isOn)
  const change = () => {
    if (on) localStorage.setItem(OFF, 'yes')
    else localStorage.removeItem(OFF)
    set(!on)
  }
  return html`<button type="button" aria-pressed=${on} onClick=${change}>Key “/” goes to the search: ${on ? 'on' : 'off'}</button>`
}
