/** The whole documentation, from the OpenAPI document and the documents of this repository. */
import { ERRORS } from '../../errors.ts'
import { escapeHtml } from '../../values/html.ts'
import { codesMarkdown, shownIn } from './error-codes.ts'
import { addressOf, DOCUMENTS, type Document, readDocument } from './guides.ts'
import { eventMarkdown, headersMarkdown, withLinks } from './markdown.ts'
import { type Reference, referenceOf } from './model.ts'
import type { OpenApi } from './openapi-types.ts'
import { ERRORS_PATH, pathOfTopic, topicPage } from './operations.ts'
import { overviewPage } from './overview.ts'
import type { Page } from './page.ts'
import { renderProse } from './prose.ts'

/** The page of what the sandbox can show, below /docs/. */
const SANDBOX = 'sandbox'

export type Site = { title: string; summary: string; overview: Page; pages: readonly Page[] }

/** Makes every page. @param isSandbox whether it documents what only a sandbox has */
export function makeSite(document: OpenApi, isSandbox: boolean): Site {
  const reference = referenceOf(document)
  const known = DOCUMENTS.filter(({ onlySandbox }) => isSandbox || onlySandbox !== true)
  const sandbox = known.find(({ at }) => at === SANDBOX)
  const scenarios = sandbox === undefined ? '' : readDocument(sandbox)
  const shown = shownIn(scenarios)
  const names = namesOf(reference, scenarios)
  const inline = (text: string) => inlineOf(text, names)
  const inserted = {
    '<!-- headers -->': headersMarkdown(reference),
    '<!-- event -->': eventMarkdown(reference),
    '<!-- codes -->': codesMarkdown(reference.codes, shown, `/docs/${SANDBOX}`),
  }
  const documents = known.map((one) => documentPage(one, { known, names, inserted }))
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

/**
 * What code in a text names → where it is described.
 * @param sandbox the page of what the sandbox can show; empty where there is none
 */
function namesOf({ tags }: Reference, sandbox: string): Names {
  const operations = tags.flatMap((tag) =>
    tag.operations.map(({ id, method, path }) => [`${method} ${path}`, `${pathOfTopic(tag.name)}#${id}`] as const),
  )
  const rows = [...sandbox.matchAll(/^\| `([a-z_]+)` \|/gm)]
  const scenarios = rows.map(([, name = '']) => [name, `/docs/${SANDBOX}#${name}`] as const)
  const codes = Object.keys(ERRORS).map((code) => [code, `${ERRORS_PATH}#${code}`] as const)
  return new Map([...scenarios, ...codes, ...operations])
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

type Rendering = {
  known: readonly Document[]
  names: Names
  /** What a document has from the reference, so that it cannot say anything else. */
  inserted: Readonly<Record<string, string>>
}

function documentPage(one: Document, { known, names, inserted }: Rendering): Page {
  const markdown = Object.entries(inserted).reduce(
    (text, [mark, insert]) => text.replace(mark, () => insert),
    readDocument(one),
  )
  const path = `/docs/${one.at}`
  const { title, body, sections } = renderProse(markdown, {
    document: (href) => addressOf(href, one, known),
    code: (text) => {
      const href = names.get(text)
      // The page of scenarios has their names also as reasons of refusals.
      return one.at === SANDBOX && href?.startsWith(`${path}#`) === true ? undefined : href
    },
    ...(one.rowNames === undefined ? {} : { rowNames: one.rowNames }),
  })
  const [first] = sections
  return {
    path,
    group: one.group,
    title,
    summary: firstSentence(first?.text ?? ''),
    body,
    sections,
    markdown: withLinks(markdown, (href) => addressOf(href, one, known)),
  }
}

function firstSentence(text: string): string {
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}
