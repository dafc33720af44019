/**
 * The one table: sorted by a click on its heads, narrowed by a text, in words when it is empty, a list of cards on a phone.
 * Both are in the address.
 */
import { Typed } from './filters.ts'
import type { Live } from './live.ts'
import { Note } from './parts.ts'
import { route, setQuery, useRoute } from './router.ts'
import { type Sortable, shownRows } from './rows.ts'
import { html, useLayoutEffect, useRef, type View } from './view.ts'

export type Column<T> = {
  /** Names it in the address when the table is sorted by it. */
  key: string
  title: string
  show: (row: T) => View
  /** What it is sorted by, and what a text is looked for in; only what is no value has none, such as buttons. */
  by?: (row: T) => Sortable
  /** Numbers stand on the right. */
  numeric?: boolean
}

type TableProps<T> = {
  /** What the table shows, for people who cannot see it. */
  caption: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  idOf: (row: T) => string
  /** Said instead of the table when there are no rows. */
  empty: string
  /** The parameter of the address that says what it is sorted by, where a page has several tables. */
  sortedBy?: string
}

/** Rows as they are; `sort` in the address sorts what is shown. */
export function Table<T>({ caption, columns, rows, idOf, empty, sortedBy = 'sort' }: TableProps<T>): View {
  const { query } = useRoute()
  const sort = query.get(sortedBy) ?? ''
  const key = sort.replace(/^-/, '')
  const descending = sort.startsWith('-')
  const narrowedBy = sortedBy === 'sort' ? 'has' : `${sortedBy}.has`
  const has = query.get(narrowedBy) ?? ''
  const shown = shownRows(rows, columns, { has, sort })
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const head = (column: Column<T>) => {
    const isKey = column.key === key && column.by !== undefined
    const order = isKey ? (descending ? 'descending' : 'ascending') : undefined
    const next = isKey && !descending ? `-${column.key}` : column.key
    const arrow = isKey ? (descending ? '↓' : '↑') : '↕'
    return html`<th key=${column.key} role="columnheader" scope="col" class=${column.numeric ? 'numeric' : ''} aria-sort=${order}>
      ${
        column.by === undefined
          ? column.title
          : html`<button type="button" onClick=${() => setQuery({ [sortedBy]: next })}>
              ${column.title} <span class="arrow" aria-hidden="true">${arrow}</span></button>`
      }
    </th>`
  }
  return html`${(rows.length > FEW || has !== '') && html`<${Narrowing} ...${{ caption, narrowedBy, has, shown: shown.length, all: rows.length }} />`}
  ${
    shown.length === 0
      ? html`<p class="empty">None of these rows has “${has}”.</p>`
      : html`${shown.length > 1 && html`<${Sorting} ...${{ caption, columns, sort, sortedBy }} />`}<div class="scroll" role="region" aria-label=${caption} tabindex="0">
    <table role="table" aria-label=${caption}>
      <thead role="rowgroup"><tr role="row">${columns.map(head)}</tr></thead>
      <tbody role="rowgroup">
        ${shown.map(
          (row) => html`<tr role="row" key=${idOf(row)}>
            ${columns.map(
              (
                column,
              ) => html`<td key=${column.key} role="cell" class=${column.numeric ? 'numeric' : ''} data-title=${column.title}>
                <div>${column.show(row)}</div></td>`,
            )}
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`
  }`
}

type SortingProps<T> = Pick<TableProps<T>, 'caption' | 'columns'> & { sort: string; sortedBy: string }

/** Where rows are cards, and there are no heads to click on. */
function Sorting<T>({ caption, columns, sort, sortedBy }: SortingProps<T>): View {
  const onChange = (event: Event) => setQuery({ [sortedBy]: (event.target as HTMLSelectElement).value || undefined })
  const option = (value: string, text: string) =>
    html`<option key=${value} value=${value} selected=${value === sort}>${text}</option>`
  return html`<div class="filters sorting"><label><span>Sorted by</span>
    <select value=${sort} onChange=${onChange} aria-label=${`Sorted by, in: ${caption}`}>${option('', 'as it comes')}
      ${columns
        .filter(({ by }) => by !== undefined)
        .map(({ key, title }) => [option(key, `${title} ↑`), option(`-${key}`, `${title} ↓`)])}</select></label></div>`
}

/** So many rows are seen at a glance. */
const FEW = 5

type NarrowingProps = { caption: string; narrowedBy: string; has: string; shown: number; all: number }

/** Narrows what is shown to the rows that have a text; it asks the service for nothing. */
function Narrowing({ caption, narrowedBy, has, shown, all }: NarrowingProps): View {
  const onInput = (event: Event) => setQuery({ [narrowedBy]: (event.target as HTMLInputElement).value })
  return html`<div class="filters narrowing"><label><span>Only rows with</span>
    <${Typed} type="search" value=${has} onInput=${onInput} aria-label=${`Only rows with, in: ${caption}`} /></label>
    <span class="hint" role="status">${has === '' ? '' : `${shown} of the ${all} rows here`}</span></div>`
}

/** What stands where data will be, or where it could not be read. `show` draws the data. */
export function Loaded<T>({ from, show }: { from: Live<T>; show: (data: T) => View }): View {
  const { data, error, late } = from
  return html`
    ${error !== undefined && html`<${Note}>${error.message}${data !== undefined && ' What is shown is of before.'}<//>`}
    ${
      late !== undefined &&
      html`<p class="hint" role="status">Still waiting for “${late}”, which the service may have to ask a node or a bank’s folder for.${data !== undefined && ' What is shown is of before.'}</p>`
    }
    ${data === undefined ? error === undefined && html`<p class="loading" role="status">Loading …</p>` : show(data)}
  `
}

/** Where somebody has turned a page: the button that they pressed has gone, and its list is read. */
let turnedAt: string | undefined

/** Steps through the pages of a list, each of which has its address. @param next the API's cursor */
export function Pages({ next }: { next: string | null }): View {
  const nav = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    // Who uses a keyboard goes on at the new rows, and not at the top of everything.
    if (turnedAt === location.pathname && document.activeElement === document.body) tableBefore(nav.current)?.focus()
    turnedAt = undefined
  }, [])
  const after = route().query.get('after')
  if (next === null && after === null) return null
  const turnTo = (to: string | undefined) => {
    turnedAt = location.pathname
    setQuery({ after: to }, { replace: false })
  }
  return html`<nav class="pages" aria-label="Pages of this list" ref=${nav}>
    ${after !== null && html`<button type="button" onClick=${() => turnTo(undefined)}>First page</button>`}
    ${next !== null && html`<button type="button" onClick=${() => turnTo(next)}>Next page</button>`}
  </nav>`
}

/** The table whose pages these are. */
function tableBefore(nav: HTMLElement | null): HTMLElement | undefined {
  let before = nav?.previousElementSibling
  while (before != null && !before.classList.contains('scroll')) before = before.previousElementSibling
  return before instanceof HTMLElement ? before : undefined
}
