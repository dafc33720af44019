/** Books and reserves: balances as of any instant, what the guard decides on, the day's close, entries, and the proof. */
import type { PageProps } from '../page.ts'
import { useRoute } from '../router.ts'
import { html, type View } from '../view.ts'
import { Balances } from './balances.ts'
import { Close } from './close.ts'
import { Entries } from './entries.ts'
import { Parts, partOf } from './part.ts'
import { Reserves } from './reserves.ts'
import { Verify } from './verify.ts'

const PARTS = [
  { name: 'balances', title: 'Balances', show: Balances },
  { name: 'entries', title: 'Entries', show: Entries },
  { name: 'reserves', title: 'Reserves', show: Reserves },
  { name: 'close', title: 'Daily close', show: Close },
] as const

export function BooksPage({ rest: [name] }: PageProps): View {
  useRoute()
  const part = partOf(PARTS, name)
  return html`<div class="head"><h1>Books & reserves</h1>
      <${Verify} path="/ledger/verify" name="the books" label="Prove the books" /></div>
    <p class="lead">In double entry, in ringgit; a coin is a ringgit that we owe its holder.</p>
    <${Parts} page="books" title="Parts of the books" of=${PARTS} here=${part?.name} />
    ${part === undefined ? html`<p class="empty">The books have no such part.</p>` : html`<${part.show} key=${part.name} />`}`
}
