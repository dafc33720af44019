/** What is around every page: navigation, search, who is signed in, whether it is up to date. */
import { Dialogs } from './action.ts'
import { whyOf } from './api.ts'
import { CommandToken } from './command-token.ts'
import { useConnection } from './live.ts'
import { seenPages } from './page.ts'
import { Note } from './parts.ts'
import { hrefOf, useRoute } from './router.ts'
import { Search, SearchKey } from './search.ts'
import { PAGES, type PageEntry } from './sections.ts'
import { may, session, signOut } from './session.ts'
import { ThemeSwitch } from './theme.ts'
import { html, useEffect, useRef, useState, type View } from './view.ts'

/** @param isAnother whether these were somebody else's pages before @param leave called after signing out */
export function Shell({ isAnother, leave }: { isAnother: boolean; leave: () => void }): View {
  const { parts } = useRoute()
  const [name = '', ...rest] = parts
  const pages = PAGES.filter(({ command }) => may(command))
  seenPages.clear()
  for (const each of pages) seenPages.add(each.name)
  const entry = pages.find((each) => each.name === name) ?? (name === '' ? pages[0] : undefined)
  const main = useRef<HTMLElement>(null)
  const place = parts.join('/')
  const first = useRef(place)
  const drawn = useRef(false)
  useEffect(() => {
    document.title = entry === undefined ? 'Console' : `${[...rest, entry.title].join(' · ')} — Console`
    // Who uses a keyboard or hears the page begins at the new page's beginning; not when it is first loaded.
    if (drawn.current) main.current?.focus()
    drawn.current = true
  }, [place])
  return html`
    <a class="skip" href="#main" onClick=${(event: Event) => {
      event.preventDefault()
      main.current?.focus()
    }}>Skip to the page</a>
    <header class="top">
      <a class="brand" href=${hrefOf([])}>Console</a>
      <${Search} />
      <${Who} leave=${leave} />
    </header>
    <${Navigation} pages=${pages} here=${entry?.name} />
    <main id="main" ref=${main} tabindex="-1">
      ${isAnother && place === first.current && html`<${Note} tone="wait"><bdi>${session().name}</bdi> has signed in in this browser since, in another tab. Nothing was done here in their name.<//>`}
      ${entry === undefined ? html`<${NoPage} />` : html`<${entry.page} key=${entry.name} rest=${rest} />`}
      <p class="zone">Times are those of ${zone()}. <${SearchKey} /></p>
    </main>
    <${Dialogs} />
  `
}

function Navigation({ pages, here }: { pages: readonly PageEntry[]; here: string | undefined }): View {
  const menu = useRef<HTMLDetailsElement>(null)
  const close = () => menu.current?.removeAttribute('open')
  const links = pages.map(
    ({ name, title }) =>
      html`<li key=${name}><a href=${hrefOf([name])} aria-current=${name === here ? 'page' : undefined} onClick=${close}>${title}</a></li>`,
  )
  return html`
    <nav class="side" aria-label="Pages"><ul>${links}</ul></nav>
    <details class="menu" ref=${menu}><summary>${pages.find(({ name }) => name === here)?.title ?? 'Pages'}</summary>
      <nav aria-label="Pages, folded"><ul>${links}</ul></nav></details>
  `
}

/** The time zone of the browser, with how far it is from UTC now: days of the bank and of the books may be others. */
function zone(): string {
  const away = -new Date().getTimezoneOffset()
  const digits = (value: number) => String(Math.trunc(value)).padStart(2, '0')
  const offset = `UTC${away < 0 ? '−' : '+'}${digits(Math.abs(away) / 60)}:${digits(Math.abs(away) % 60)}`
  return `${Intl.DateTimeFormat().resolvedOptions().timeZone} (${offset})`
}

/** No word for being connected that is also the name of an environment. */
const SAID = { live: 'Online', paused: 'Paused', away: 'The service does not answer. Trying again …' } as const

function Who({ leave }: { leave: () => void }): View {
  const { name, role, environment, commandToken } = session()
  const connection = useConnection()
  return html`<div class="who">
    <span class=${`connection ${connection}`} role="status">${SAID[connection]}</span>
    ${environment === 'sandbox' && html`<span class="status">sandbox</span>`}
    <span class="name" title=${`role: ${role}`}><bdi>${name}</bdi> · ${role}</span>
    <${ThemeSwitch} />
    ${commandToken && html`<${CommandToken} />`}
    <${SignOut} leave=${leave} />
  </div>`
}

/** Nobody must walk away from a page that looks as if they were signed out. */
function SignOut({ leave }: { leave: () => void }): View {
  const [why, set] = useState<string | undefined>(undefined)
  const end = () => signOut().then(leave, (error: unknown) => set(whyOf(error)))
  return html`<button type="button" onClick=${() => void end()}>Sign out</button>
    ${why !== undefined && html`<${Note}>You are still signed in. ${why}<//>`}`
}

function NoPage(): View {
  return html`<h1>No such page</h1><p class="empty">The console has no page at this address, or your role does not see it.</p>`
}
