/** The whole documentation, from the OpenAPI document and the documents of this repository. */
import { ERRORS } from '../../errors.ts'
import { escapeHtml } from './escape.ts'
import { addressOf, DOCUMENTS, type Document, readDocument } from './guides.ts'
import { eventMarkdown, headersMarkdown } from './markdown.ts'
import { type Reference, referenceOf } from './model.ts'
import type { OpenApi } from './openapi-types.ts'
import { ERRORS_PATH, pathOfTopic, topicPage } from './operations.ts'
import { overviewPage } from './overview.ts'
import type { Page } from './page.ts'
import { renderProse } from './prose.ts'

export type Site = { title: string; summary: string; overview: Page; pages: readonly Page[] }

/** Makes every page. @param isSandbox whether it documents what only a sandbox has */
export function makeSite(document: OpenApi, isSandbox: boolean): Site {
  const reference = referenceOf(document)
  const known = DOCUMENTS.filter(({ onlySandbox }) => isSandbox || onlySandbox !== true)
  const names = namesOf(reference)
  const inline = (text: string) => inlineOf(text, names)
  const documents = known.map((one) => documentPage(one, readDocument(one), reference, { known, names }))
  const topics = reference.tags.map((topic) => topicPage(topic, inline))
  const pages = [
    ...documents.filter(({ group }) => group === 'Guides'),
    ...topics,
    ...documents.filter(({ group }) => group === 'Reference'),
  ]
  return {
    title: reference.title,
    summary: reference.summary,
    overview: overviewPage(reference, pages, inline),
    pages,
  }
}

type Names = ReadonlyMap<string, string>

/** What code in a text names → where it is described. */
function namesOf({ tags }: Reference): Names {
  const operations = tags.flatMap((tag) =>
    tag.operations.map(({ id, method, path }) => [`${method} ${path}`, `${pathOfTopic(tag.name)}#${id}`] as const),
  )
  return new Map([...Object.keys(ERRORS).map((code) => [code, `${ERRORS_PATH}#${code}`] as const), ...operations])
}

/** Text with `code` in backticks, which is a link where it names something. */
function inlineOf(text: string, names: Names): string {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => {
      if (index % 2 === 0) return escapeHtml(part)
      const code = `<code>${escapeHtml(part)}</code>`
      const href = names.get(part)
      return href === undefined ? code : `<a href="${href}">${code}</a>`
    })
    .join('')
}

/** What a guide has from the reference, so that it cannot say anything else. */
const INSERTED: Readonly<Record<string, (reference: Reference) => string>> = {
  '<!-- headers -->': headersMarkdown,
  '<!-- event -->': eventMarkdown,
}

function documentPage(
  one: Document,
  source: string,
  reference: Reference,
  { known, names }: { known: readonly Document[]; names: Names },
): Page {
  const markdown = Object.entries(INSERTED).reduce(
    (text, [mark, make]) => text.replace(mark, () => make(reference)),
    source,
  )
  const path = `/docs/${one.at}`
  const { title, body, sections } = renderProse(markdown, {
    document: (href) => addressOf(href, one, known),
    code: (text) => {
      const href = names.get(text)
      return href?.startsWith(`${path}#`) === true && one.rowsHaveNames === true ? undefined : href
    },
    ...(one.rowsHaveNames === true ? { rowsHaveNames: true } : {}),
  })
  const [first] = sections
  return { path, group: one.group, title, summary: firstSentence(first?.text ?? ''), body, sections, markdown }
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
