/** Columns of the kinds that many tables have: `of` is what stands in a row, and what it is sorted by. */
import { Coin, Id, Instant, Nothing, Ringgit, Status } from './parts.ts'
import type { Column } from './table.ts'
import { html } from './view.ts'

/** A text, or a number that names something, as it is; null where there is none. */
export function textColumn<T>(key: string, title: string, of: (row: T) => string | number | null): Column<T> {
  return { key, title, by: of, show: (row) => of(row) ?? html`<${Nothing} />` }
}

/** A number; null where there is none. */
export function numberColumn<T>(key: string, title: string, of: (row: T) => string | number | null): Column<T> {
  return { ...textColumn(key, title, of), numeric: true }
}

/** An id, which can be copied; nothing where there is none. */
export function idColumn<T>(key: string, title: string, of: (row: T) => string | null | undefined): Column<T> {
  return { key, title, by: of, show: (row) => html`<${Id} of=${of(row)} />` }
}

/** The same, of which only the beginning and the end are shown. */
export function shortIdColumn<T>(key: string, title: string, of: (row: T) => string | null | undefined): Column<T> {
  return { key, title, by: of, show: (row) => html`<${Id} of=${of(row)} short />` }
}

/** A status; null where there is none. */
export function statusColumn<T>(key: string, title: string, of: (row: T) => string | null): Column<T> {
  return { key, title, by: of, show: (row) => html`<${Status} of=${of(row)} />` }
}

/** A moment; nothing where there was none yet. */
export function instantColumn<T>(key: string, title: string, of: (row: T) => string | null | undefined): Column<T> {
  return { key, title, by: of, show: (row) => html`<${Instant} at=${of(row)} />` }
}

/** Ringgit as the API writes them. */
export function ringgitColumn<T>(key: string, title: string, of: (row: T) => string): Column<T> {
  return { key, title, numeric: true, by: (row) => Number(of(row)), show: (row) => html`<${Ringgit} of=${of(row)} />` }
}

/** Coin as the API writes it. */
export function coinColumn<T>(key: string, title: string, of: (row: T) => string): Column<T> {
  return { key, title, numeric: true, by: (row) => Number(of(row)), show: (row) => html`<${Coin} of=${of(row)} />` }
}
