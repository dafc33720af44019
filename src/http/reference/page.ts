/** A page of the documentation, before it is laid out. */
import { escapeHtml, textOf } from '../../values/html.ts'

export type Group = 'Guides' | 'API' | 'Reference'

/** A part of a page that can be linked to, and found. */
export type Section = {
  id: string
  title: string
  /** What it is found by, beside the title. */
  text: string
  /** Whether the contents list it below its page. */
  isListed: boolean
}

export type Page = {
  /** `/docs/…`. */
  path: string
  /** Undefined: it is in no list. */
  group: Group | undefined
  title: string
  /** One sentence. */
  summary: string
  /** HTML of everything below the heading. */
  body: string
  sections: readonly Section[]
  markdown: string
}

/** The name of a heading in an address. */
export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** A heading that links to itself. `html` is the heading's content. */
export function heading(level: 2 | 3 | 4, id: string, html: string): string {
  const at = escapeHtml(id)
  return `<h${level} id="${at}">${html} <a class="anchor" href="#${at}" aria-label="Link to ${escapeHtml(textOf(html))}">#</a></h${level}>`
}

/** A table that scrolls by itself. Cells are HTML already; an empty head belongs to a column that needs no name. */
export function tableOf(head: readonly string[], rows: readonly { id?: string; cells: readonly string[] }[]): string {
  const heads = head.map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${cell}</th>`)).join('')
  const body = rows.map(({ id, cells }) => {
    const at = id === undefined ? '' : ` id="${escapeHtml(id)}"`
    // On a phone a row stands as a list, and each cell says what it is.
    const label = (index: number) =>
      index === 0 || !head[index] ? '' : ` data-label="${escapeHtml(textOf(head[index]))}"`
    return `<tr${at}>${cells.map((cell, index) => `<td${label(index)}>${cell}</td>`).join('')}</tr>`
  })
  return `<div class="table" tabindex="0"><table><thead><tr>${heads}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}
