/** Pages with several parts, each of which has its address. */
import { hrefOf } from '../router.ts'
import { html, type View } from '../view.ts'

export type Part = { name: string; title: string; show: () => View }

/** The part of this name; the first one without a name; undefined: there is none. */
export function partOf<P extends Part>(parts: readonly P[], name: string | undefined): P | undefined {
  return name === undefined ? parts[0] : parts.find((each) => each.name === name)
}

type PartsProps = { page: string; title: string; of: readonly Part[]; here: string | undefined }

/** The links to the parts of a page. @param title for people who cannot see them */
export function Parts({ page, title, of, here }: PartsProps): View {
  return html`<nav class="parts" aria-label=${title}><ul>${of.map(
    ({ name, title: text }) =>
      html`<li key=${name}><a href=${hrefOf([page, name])} aria-current=${name === here ? 'page' : undefined}>${text}</a></li>`,
  )}</ul></nav>`
}
