/** Small things that look the same on every page: money, instants, states, ids. */
import { html, useState, type View } from './view.ts'

/** An amount as the API writes it, with its thousands apart and at least two decimals. */
export function amount(text: string): string {
  const [, sign = '', whole = '', decimals = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === '') return text
  return `${sign}${thousands(whole)}.${decimals.padEnd(2, '0')}`
}

/** How many there are, with thousands apart. */
export function count(of: number): string {
  return thousands(String(of))
}

function thousands(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Ringgit, in a sentence. */
export function ringgit(text: string): string {
  return `RM ${amount(text)}`
}

/** Ringgit. */
export function Ringgit({ of }: { of: string | null | undefined }): View {
  return of == null ? html`<${Nothing} />` : html`<span class="money">${ringgit(of)}</span>`
}

/** Coin. */
export function Coin({ of }: { of: string | null | undefined }): View {
  return of == null ? html`<${Nothing} />` : html`<span class="money">${amount(of)}</span>`
}

/** What there is none of. */
export function Nothing(): View {
  return html`<span class="nothing">–</span>`
}

const two = (value: number) => String(value).padStart(2, '0')

/** An instant in the time zone of the browser, to the second. */
export function instant(at: string): string {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return at
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** An instant; what it is in UTC shows when it is pointed at. */
export function Instant({ at }: { at: string | null | undefined }): View {
  if (at == null) return html`<${Nothing} />`
  const [day, clock] = instant(at).split(' ')
  return html`<time datetime=${at} title=${`${at} (UTC)`}><span class="whole">${day}</span> <span class="whole">${clock}</span></time>`
}

/** What may be long in a table: it is broken into lines, so that every column is seen. */
export function Words({ children }: { children?: View }): View {
  return html`<span class="words">${children}</span>`
}

/** A bank account by what may be shown of it, such as `…8901`, in one piece. */
export function Ending({ of }: { of: string }): View {
  return html`<span class="whole">${of}</span>`
}

const TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  paid: 'good',
  approved: 'good',
  executed: 'good',
  delivered: 'good',
  active: 'good',
  enabled: 'good',
  running: 'good',
  permitted: 'good',
  closed: 'good',
  verified: 'good',
  final: 'good',
  failed: 'bad',
  rejected: 'bad',
  withdrawn: 'bad',
  returned: 'bad',
  refused: 'bad',
  void: 'bad',
  suspended: 'bad',
  revoked: 'bad',
  'none works': 'bad',
  expired: 'bad',
  disabled: 'bad',
  exhausted: 'bad',
  dropped: 'bad',
  unreadable: 'bad',
  paused: 'bad',
  settlement_paused: 'bad',
  frozen: 'bad',
  sanctioned: 'bad',
  too_little: 'bad',
  held: 'wait',
  waiting: 'wait',
  payment_pending: 'wait',
  queued: 'wait',
  open: 'wait',
  due: 'wait',
  processing: 'busy',
  pending: 'busy',
  sent: 'busy',
  signed: 'busy',
  mined: 'busy',
}

/** A state as a word in a frame; the colour says the same once more. */
export function Status({ of }: { of: string | null | undefined }): View {
  if (of == null) return html`<${Nothing} />`
  return html`<span class=${`status ${TONES[of] ?? ''}`}>${of.replaceAll('_', ' ')}</span>`
}

/** Ids of ours, and addresses, stand on one line of a table; a partner's reference may have a hundred characters. */
const ADDRESS_LENGTH = 42

/** An id in full, with a button that copies it. @param short shows only its ends */
export function Id({
  of,
  href,
  short = false,
}: {
  of: string | null | undefined
  href?: string
  short?: boolean
}): View {
  if (of == null) return html`<${Nothing} />`
  const text = short && of.length > 16 ? `${of.slice(0, 8)}…${of.slice(-6)}` : of
  const code = html`<code title=${text === of ? undefined : of}>${text}</code>`
  return html`<span class=${text.length > ADDRESS_LENGTH ? 'id long' : 'id'}>${href === undefined ? code : html`<a href=${href}>${code}</a>`}<${Copy} text=${of} /></span>`
}

/** Copies a text to the clipboard. Where the browser does not let it, that is said: what is there of before would be pasted as this. */
export function Copy({ text }: { text: string }): View {
  const [end, set] = useState<'copied' | 'refused' | undefined>(undefined)
  const copied = end === 'copied'
  const copy = async () => {
    set(
      await navigator.clipboard.writeText(text).then(
        () => 'copied' as const,
        () => 'refused' as const,
      ),
    )
    setTimeout(() => set((now) => (now === 'copied' ? undefined : now)), 1_500)
  }
  return html`${end === 'refused' && html`<span role="alert">Not copied: mark it and copy it yourself.</span>`}<button type="button" class="copy" aria-label=${copied ? 'Copied' : `Copy ${text}`} title="Copy" onClick=${() => void copy()}>
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.6">
      ${copied ? html`<path d="M2.5 8.5l3.5 3.5 7.5-8" />` : html`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5" /><path d="M10.5 3.5v-1h-8v8h1" />`}
    </svg></button>`
}

type BusyProps = { is: boolean; onClick: () => unknown; class?: string; children?: View }

/** A button that may be busy with what it was pressed for. It is not disabled then: that would take the keyboard from it, for good. */
export function Busy({ is, onClick, class: look, children }: BusyProps): View {
  return html`<button type="button" class=${look} aria-disabled=${is} onClick=${() => is || void onClick()}>${children}</button>`
}

/** Something to be read at once: a refusal, a warning, what is done. */
export function Note({ tone = 'bad', children }: { tone?: 'bad' | 'wait' | 'good'; children?: View }): View {
  return html`<div class=${`note ${tone}`} role=${tone === 'bad' ? 'alert' : 'status'}>${children}</div>`
}

/** Names and values. Rows whose value is undefined are left out. */
export function Facts({ of }: { of: readonly (readonly [string, View])[] }): View {
  return html`<dl class="facts">
    ${of
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${value ?? html`<${Nothing} />`}</dd></div>`)}
  </dl>`
}

/** A part of a page under a heading. */
export function Section({ title, children, actions }: { title: string; children?: View; actions?: View }): View {
  return html`<section class="section"><div class="head"><h2>${title}</h2>${actions}</div>${children}</section>`
}

/** The line above what reads much whenever it is looked at, with the button that looks again. */
export function Costly({ why, again }: { why: string; again: () => Promise<void> }): View {
  return html`<div class="head hint"><span>${why}, so that it does not renew itself.</span>
    <button type="button" onClick=${() => void again()}>Look again</button></div>`
}

/** The line above what is recorded whenever it is looked at, with the button that looks again. */
export function Recorded({ why, again }: { why: string; again: () => Promise<void> }): View {
  return html`<div class="head hint"><span>${why}, so that each look is recorded and it does not renew itself.</span>
    <button type="button" onClick=${() => void again()}>Look again</button></div>`
}
