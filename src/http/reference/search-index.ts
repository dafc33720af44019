/** What the search of the pages looks through, made once; the browser does the looking. */
import { textOf } from '../../values/html.ts'
import type { Site } from './site.ts'

/** `[address, page, section, words]`; a page's own entry has no section. */
export type Entry = [href: string, page: string, section: string, words: string]

/** The entries of every page, every section and every row that can be linked to. */
export function searchIndex({ pages }: Site): Entry[] {
  return pages.flatMap((page) => [
    [page.path, page.title, '', page.summary] satisfies Entry,
    ...page.sections
      .filter(({ id }) => id !== '')
      .map(({ id, title, text }): Entry => [`${page.path}#${id}`, page.title, title, text]),
    ...rowsOf(page.body).map(({ id, text }): Entry => [`${page.path}#${id}`, page.title, id, text]),
  ])
}

/** Rows of tables and fields of operations that have an address. */
function rowsOf(body: string): { id: string; text: string }[] {
  const rows = body.matchAll(/<tr id="([^"]+)">(.*?)<\/tr>|<dt id="([^"]+)">(.*?<dd>.*?)<\/dd>/gs)
  return [...rows].map(([, row, cells, field, words]) => ({
    id: row ?? field ?? '',
    text: textOf(cells ?? words ?? ''),
  }))
}
