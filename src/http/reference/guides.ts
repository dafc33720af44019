/** The documents of this repository that are pages of the site, in their order. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Group } from './page.ts'

const DOCS = path.join(import.meta.dirname, '../../../docs')

export type Document = {
  /** Below docs/. */
  file: string
  /** The page, below /docs/. */
  at: string
  group: Group
  /** What is only true where outcomes can be asked for. */
  onlySandbox?: true
  /** The rows of tables that can be linked to, by what their first cell says. */
  rowNames?: RegExp
}

export const DOCUMENTS: readonly Document[] = [
  { file: 'guides/first-mint.md', at: 'guides/first-mint', group: 'Guides' },
  { file: 'guides/requests.md', at: 'guides/requests', group: 'Guides' },
  { file: 'guides/order-states.md', at: 'guides/order-states', group: 'Guides' },
  { file: 'guides/retries.md', at: 'guides/retries', group: 'Guides' },
  { file: 'guides/amounts.md', at: 'guides/amounts', group: 'Guides' },
  { file: 'guides/webhooks.md', at: 'guides/webhooks', group: 'Guides' },
  { file: 'guides/reconciling.md', at: 'guides/reconciling', group: 'Guides' },
  { file: 'guides/testing.md', at: 'guides/testing', group: 'Guides', onlySandbox: true },
  { file: 'guides/going-live.md', at: 'guides/going-live', group: 'Guides' },
  { file: 'ERRORS.md', at: 'errors', group: 'Reference', rowNames: /^[a-z][a-z_]+$/ },
  { file: 'SANDBOX.md', at: 'sandbox', group: 'Reference', onlySandbox: true, rowNames: /^[a-z][a-z_]+$/ },
]

/** The Markdown of a document. */
export function readDocument({ file }: Document): string {
  return readFileSync(path.join(DOCS, file), 'utf8')
}

/**
 * The address on the site of what a document links to.
 * @param from the document in which the link stands
 * @returns undefined for what the site does not have
 */
export function addressOf(href: string, from: Document, known: readonly Document[]): string | undefined {
  if (href.startsWith('#') || href.startsWith('/')) return href
  if (/^[a-z]+:/.test(href)) return undefined
  const [file = '', fragment] = href.split('#')
  const target = path.posix.join(path.posix.dirname(from.file), file)
  const found = known.find((one) => one.file === target)
  if (found === undefined) return undefined
  return `/docs/${found.at}${fragment === undefined ? '' : `#${fragment}`}`
}
