/** The one table: sorted by a click on its heads, in words when it is empty, a list of cards on a phone. */
import type { Live } from './live.ts'
import { Note } from './parts.ts'
import { route, setQuery, useRoute } from './router.ts'
import { html, type View } from './view.ts'

export type Column<T> = {
  /** Names it in the address when the table is sorted by it. */
  key: string
  title: string
  show: (row: T) => View
  /** What it is sorted by; without it, it is not. */
  by?: (row: T) => string | number | null | undefined
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
  const sort = useRoute().query.get(sortedBy) ?? ''
  const key = sort.replace(/^-/, '')
  const descending = sort.startsWith('-')
  const by = columns.find((column) => column.key === key)?.by
  const shown = by === undefined ? rows : rows.toSorted((a, b) => compare(by(a), by(b)) * (descending ? -1 : 1))
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`
  const head = (column: Column<T>) => {
    const isKey = column.key === key && by !== undefined
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
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0">
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
}

function compare(a: unknown, b: unknown): number {
  if (a == null || b == null) return a == null ? (b == null ? 0 : 1) : -1
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a).localeCompare(String(b), 'en', { numeric: true })
}

/** What stands where data will be, or where it could not be read. `show` draws the data. */
export function Loaded<T>({ from, show }: { from: Live<T>; show: (data: T) => View }): View {
  const { data, error } = from
  return html`
    ${error !== undefined && html`<${Note}>${error.message}<//>`}
    ${data === undefined ? error === undefined && html`<p class="loading" role="status">Loading …</p>` : show(data)}
  `
}

/** Steps through the pages of a list, each of which has its address. @param next the API's cursor */
export function Pages({ next }: { next: string | null }): View {
  const after = route().query.get('after')
  if (next === null && after === null) return null
  return html`<nav class="pages" aria-label="Pages of this list">
    ${after !== null && html`<button type="button" onClick=${() => setQuery({ after: undefined })}>First page</button>`}
    ${next !== null && html`<button type="button" onClick=${() => setQuery({ after: next })}>Next page</button>`}
  </nav>`
}
