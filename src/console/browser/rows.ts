/** The rows of a table as they are shown: those with some text, sorted by a column. */
import { amount, instant } from './parts.ts'

export type Sortable = string | number | null | undefined
export type Key<T> = { key: string; by?: (row: T) => Sortable }

const INSTANT = /^\d{4}-\d\d-\d\dT/
const NUMBER = /^-?\d+(\.\d+)?$/

/** As it is, and as it is shown: somebody types what they see. */
function forms(value: Sortable): string[] {
  if (value === null || value === undefined) return []
  const text = String(value)
  if (INSTANT.test(text)) return [text, instant(text)]
  return NUMBER.test(text) ? [text, amount(text)] : [text, text.replaceAll('_', ' ')]
}

/** @param has a text that a row has in one of its columns; empty: all rows @param sort a column's key, `-` before it: falling */
export function shownRows<T>(
  rows: readonly T[],
  columns: readonly Key<T>[],
  { has, sort }: { has: string; sort: string },
): readonly T[] {
  const wanted = has.trim().toLowerCase()
  const fits = (row: T) =>
    columns.some(({ by }) => forms(by?.(row)).some((form) => form.toLowerCase().includes(wanted)))
  const fitting = wanted === '' ? rows : rows.filter(fits)
  const by = columns.find(({ key }) => key === sort.replace(/^-/, ''))?.by
  if (by === undefined) return fitting
  return fitting.toSorted((a, b) => compare(by(a), by(b), sort.startsWith('-') ? -1 : 1))
}

/** What is not there stands last, in both directions. */
function compare(a: Sortable, b: Sortable, direction: 1 | -1): number {
  if (a === null || a === undefined || b === null || b === undefined) return Number(a == null) - Number(b == null)
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * direction
  return String(a).localeCompare(String(b), 'en', { numeric: true }) * direction
}
