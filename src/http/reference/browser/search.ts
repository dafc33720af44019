/** The search: an index that the server made, read at the first look into the field. */
import { make } from './elements.ts'

/** `[address, page, section, words]`. */
export type Entry = readonly [href: string, page: string, section: string, words: string]

const MOST = 12

/**
 * The entries in which every word is found, the best first: in the name before in the text, at the beginning of a word
 * before inside one.
 */
function find(entries: readonly Entry[], asked: string): Entry[] {
  const words = asked
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .slice(0, MOST)
    .map(({ entry }) => entry)
}

/** Undefined when a word is nowhere. */
function scoreOf([, page, section, text]: Entry, words: readonly string[]): number | undefined {
  const name = (section === '' ? page : section).toLowerCase()
  const whole = `${page} ${section} ${text}`.toLowerCase()
  // A field is named by many: what it belongs to comes before it.
  let score = section === '' ? 2 : /^\w+\.\w/.test(section) ? -11 : 0
  for (const word of words) {
    if (name === word) score += 40
    else if (name.startsWith(word)) score += 20
    else if (beginsWord(name, word)) score += 12
    else if (beginsWord(whole, word)) score += 4
    else if (whole.includes(word)) score += 1
    else return undefined
  }
  return score
}

function beginsWord(text: string, word: string): boolean {
  const at = text.indexOf(word)
  return at !== -1 && (at === 0 || !/[a-z0-9]/.test(text.charAt(at - 1)))
}

/** Puts the search into its place. `/` puts the cursor into it. */
export function addSearch(place: HTMLElement): void {
  const input = make('input', {
    type: 'search',
    id: 'find',
    placeholder: 'Search',
    'aria-label': 'Search the documentation',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-keyshortcuts': '/',
  })
  const results = make('ul', { id: 'found', 'aria-label': 'Found' })
  const status = make('p', { class: 'unseen', role: 'status' })
  results.hidden = true
  place.append(make('form', { role: 'search', 'aria-label': 'Search' }, input), results, status)
  let index: Promise<readonly Entry[]> | undefined
  const read = () => {
    index ??= fetch('/docs/search.json').then((answer) => answer.json() as Promise<readonly Entry[]>)
    return index
  }
  const show = async () => {
    const asked = input.value
    const found = find(await read(), asked)
    if (asked !== input.value) return
    results.replaceChildren(...found.map(itemOf))
    results.hidden = asked.trim() === ''
    if (found.length === 0) results.replaceChildren(make('li', { class: 'nothing' }, 'Nothing found'))
    status.textContent = asked.trim() === '' ? '' : `${found.length} found`
  }
  input.addEventListener('focus', () => void read())
  input.addEventListener('input', () => void show())
  input.form?.addEventListener('submit', (event) => {
    event.preventDefault()
    results.querySelector('a')?.click()
  })
  place.addEventListener('keydown', (event) => moveWithKeys(event, input, results))
  place.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && place.contains(relatedTarget))) results.hidden = true
  })
  results.addEventListener('click', () => {
    results.hidden = true
    input.value = ''
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
  })
}

function itemOf([href, page, section, words]: Entry): HTMLElement {
  const name = make('strong', {}, section === '' ? page : section)
  const where = make('small', {}, section === '' ? words : page)
  return make('li', {}, make('a', { href }, name, where))
}

function moveWithKeys(event: KeyboardEvent, input: HTMLElement, results: HTMLElement): void {
  const links = [...results.querySelectorAll('a')]
  if (event.key === 'Escape') {
    results.hidden = true
    input.focus()
    return
  }
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  event.preventDefault()
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = at + (event.key === 'ArrowDown' ? 1 : -1)
  if (next < 0) input.focus()
  else links[next]?.focus()
}
