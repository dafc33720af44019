/** The button that saves a list as CSV: all pages of it, filtered and sorted as it is shown. */
import { whyOf } from './api.ts'
import { type Cell, csvOf, readAll } from './csv.ts'
import { download } from './download.ts'
import { Busy, Note } from './parts.ts'
import { route } from './router.ts'
import { type Key, shownRows } from './rows.ts'
import { html, useState, type View } from './view.ts'

type SaveProps<T> = {
  /** Of the file, without its ending; the list's name in the API's answers. */
  name: string
  /** Of the API, with the filters of the address. */
  path: string
  columns: Readonly<Record<string, (row: T) => Cell>>
  /** Those of the table, which say what is shown and in which order. */
  shown: readonly Key<T>[]
}

type State = { at: 'start' | 'reading' } | { at: 'cut'; rows: number } | { at: 'refused'; why: string }

export function SaveCsv<T>({ name, path, columns, shown }: SaveProps<T>): View {
  const [state, set] = useState<State>({ at: 'start' })
  const save = async () => {
    set({ at: 'reading' })
    // As it is shown now: while it is read, somebody may narrow the table, or go to another one.
    const { query } = route()
    try {
      const { rows, isWhole } = await readAll<T>(path, name)
      const kept = shownRows(rows, shown, { has: query.get('has') ?? '', sort: query.get('sort') ?? '' })
      download(`${name}.csv`, 'text/csv;charset=utf-8', csvOf(columns, kept))
      set(isWhole ? { at: 'start' } : { at: 'cut', rows: rows.length })
    } catch (error) {
      set({ at: 'refused', why: whyOf(error) })
    }
  }
  const isReading = state.at === 'reading'
  return html`<${Busy} is=${isReading} onClick=${save}>${isReading ? 'Reading …' : 'Save as CSV'}<//>
    ${state.at === 'cut' && html`<${Note} tone="wait">The file has the first ${state.rows} only: narrow the filters.<//>`}
    ${state.at === 'refused' && html`<${Note}>${state.why}<//>`}`
}
