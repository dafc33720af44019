/** Sends an operation to the sandbox that serves the page, with its own key, and shows what it answers. */
import type { Own } from './demo.ts'
import { all, make } from './elements.ts'
import { follow } from './follow-order.ts'

type Refer = (referenceId: string) => void
type Form = { path: HTMLInputElement; body: HTMLTextAreaElement | undefined; refer: Refer }

/** Gives each operation a form. What one of them makes is what the others name from then on. */
export function addTrying(own: Own): void {
  const naming: Refer[] = []
  const refer: Refer = (referenceId) => {
    for (const name of naming) name(referenceId)
  }
  for (const article of all('article.operation')) {
    const aside = article.querySelector('.aside')
    aside?.prepend(formOf(article, own, naming, refer))
  }
}

function formOf(article: HTMLElement, own: Own, naming: Refer[], refer: Refer): HTMLElement {
  const { operation = '', method = '', path = '', body } = article.dataset
  const reference = `try-${Date.now().toString(36)}`
  const values: Own = { ...own, REF: reference }
  const target = make('input', {
    value: pathWith(path, values),
    'aria-label': `Path of ${operation}`,
    spellcheck: 'false',
  })
  let filled = target.value
  if (path.includes('{referenceId}'))
    naming.push((referenceId) => {
      // Somebody has written another one.
      if (target.value !== filled) return
      filled = pathWith(path, { ...values, REFERENCE: referenceId })
      target.value = filled
    })
  const text =
    body === undefined
      ? undefined
      : make('textarea', { 'aria-label': `Body of ${operation}`, wrap: 'off', spellcheck: 'false' })
  if (text !== undefined && body !== undefined) {
    text.value = JSON.stringify(withValues(JSON.parse(body), values), null, 2)
    text.rows = text.value.split('\n').length
  }
  const send = make('button', { type: 'submit', class: 'send' }, 'Send')
  const out = make('div', { class: 'answer' })
  const line = make(
    'div',
    { class: 'line' },
    make('span', { class: `method ${method.toLowerCase()}` }, method),
    target,
    send,
  )
  const form = make('form', { class: 'try', 'aria-label': `Try ${operation}` }, line, ...(text ? [text] : []), out)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void sendIt({ path: target, body: text, refer }, method, own, out, send)
  })
  return make('details', { class: 'trying' }, make('summary', {}, 'Try it'), form)
}

async function sendIt(
  { path, body, refer }: Form,
  method: string,
  own: Own,
  out: HTMLElement,
  button: HTMLButtonElement,
): Promise<void> {
  button.disabled = true
  try {
    const begun = performance.now()
    const answer = await fetch(path.value, {
      method,
      headers: {
        authorization: `Bearer ${own.COIN_KEY}`,
        ...(method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() } : {}),
      },
      ...(body === undefined ? {} : { body: body.value }),
    })
    const text = await answer.text()
    const facts = [
      `${Math.round(performance.now() - begun)} ms`,
      `X-Request-Id ${answer.headers.get('x-request-id') ?? ''}`,
    ]
    show(out, answer.status, facts.join(' · '), text)
    const order = orderIn(text)
    if (method === 'POST' && order !== undefined) refer(order.referenceId)
    await follow(text, own, (newer) => show(out, answer.status, facts.join(' · '), newer))
  } catch {
    out.replaceChildren(make('p', { role: 'alert' }, 'No answer came: the sandbox is not reached.'))
  } finally {
    button.disabled = false
  }
}

function show(out: HTMLElement, status: number, facts: string, text: string): void {
  const order = orderIn(text)?.status
  const head = make(
    'p',
    { class: 'facts', role: 'status' },
    make('span', { class: `status ${status < 400 ? 'good' : 'bad'}` }, String(status)),
    ...(order === undefined ? [] : [' ', make('span', { class: `status ${order}` }, order)]),
    ` ${facts}`,
  )
  out.replaceChildren(head, make('pre', { tabindex: '0', 'aria-label': 'Answer' }, make('code', {}, pretty(text))))
}

function orderIn(text: string): { referenceId: string; status: string } | undefined {
  const [, referenceId, status] = /^\{"ok":true,"referenceId":"([^"]+)","status":"([a-z_]+)"/.exec(text) ?? []
  return referenceId === undefined || status === undefined ? undefined : { referenceId, status }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const VARIABLE_OF: Readonly<Record<string, string>> = {
  referenceId: 'REFERENCE',
  walletAddress: 'WALLET',
  customerId: 'CUSTOMER',
  corporateId: 'CORPORATE',
}

function pathWith(path: string, values: Own): string {
  return path.replace(/\{(\w+)\}/g, (whole, name: string) => values[VARIABLE_OF[name] ?? ''] ?? whole)
}

function withValues(value: unknown, values: Own): unknown {
  if (Array.isArray(value)) return value.map((one) => withValues(one, values))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withValues(inner, values)]))
  return typeof value === 'string' && value.startsWith('$') ? (values[value.slice(1)] ?? value) : value
}
