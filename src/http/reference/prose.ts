/** Documents of this repository as HTML. Whatever looks like HTML in them stays text. */

import { escapeHtml, textOf } from '../../values/html.ts'
import { codeBlock } from './code.ts'
import { type Block, blocksOf } from './markdown-blocks.ts'
import { heading, type Section, slugOf, tableOf } from './page.ts'

/** Where things are that prose names. */
export type Links = {
  /** The address of another document, as a link names it; undefined: it is not on this site. */
  document: (href: string) => string | undefined
  /** The address of what a piece of code names: an error code, an operation. */
  code: (text: string) => string | undefined
  /** The rows of tables that can be linked to, by what their first cell says. */
  rowNames?: RegExp
}

export type Prose = { title: string; body: string; sections: Section[] }

type Code = Extract<Block, { type: 'code' }>

const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript' }
const INLINE =
  /`(?<code>[^`]+)`|\[(?<label>(?:[^\]`]|`[^`]*`)+)\]\((?<href>[^)\s]+)\)|\*\*(?<strong>(?:[^*`]|`[^`]*`)+)\*\*|\*(?<emphasis>[^*`]+)\*/g
const TASK = /^\[[ x]\] /
/** A heading that is an error code is linked to as other pages name it. */
const CODE_ALONE = /^`([A-Z][A-Z_]+)`$/

/** Renders a document: its first heading is the title, and everything up to the next one of depth 2 or 3 is a section. */
export function renderProse(markdown: string, links: Links): Prose {
  const sections: (Section & { html: string })[] = [{ id: '', title: '', text: '', isListed: false, html: '' }]
  let title = ''
  for (const part of samplesTogether(blocksOf(markdown))) {
    if (!Array.isArray(part) && part.type === 'heading' && part.depth === 1) title = part.text
    else if (!Array.isArray(part) && part.type === 'heading' && part.depth <= 3) {
      const html = inlineOf(part.text, { ...links, code: () => undefined })
      const name = textOf(html)
      const id = CODE_ALONE.exec(part.text)?.[1] ?? slugOf(name)
      const isListed = part.depth === 2
      sections.push({ id, title: name, text: '', isListed, html: heading(isListed ? 2 : 3, id, html) })
    } else {
      const last = sections.at(-1)
      if (last !== undefined) last.html += Array.isArray(part) ? samplesOf(part) : htmlOf(part, links)
    }
  }
  return {
    title,
    body: sections.map(({ html }) => html).join('\n'),
    sections: sections.map(({ html, ...section }) => ({ ...section, text: textOf(html) })),
  }
}

/** The same in two languages becomes one block with tabs. */
function samplesTogether(blocks: readonly Block[]): (Block | { language: string; code: string }[])[] {
  const parts: (Block | { language: string; code: string }[])[] = []
  for (const block of blocks) {
    const language = block.type === 'code' ? languageOf(block) : ''
    const last = parts.at(-1)
    const sample = { language, code: block.type === 'code' ? block.text : '' }
    if (Array.isArray(last) && language === 'ts' && last.length === 1) last.push(sample)
    else parts.push(language === 'sh' ? [sample] : block)
  }
  return parts
}

/** What stands after the language is for the tests. */
function languageOf({ language }: Code): string {
  return language.split(' ')[0] ?? ''
}

/** One sample in each language. Without scripts they stand one below the other. */
export function samplesOf(samples: readonly { language: string; code: string }[]): string {
  const [only] = samples
  if (samples.length === 1 && only !== undefined)
    return `<div class="code">${codeBlock(only.code, only.language)}</div>`
  const blocks = samples.map(({ language, code }) => {
    const name = escapeHtml(LANGUAGES[language] ?? language)
    return `<div class="code" data-tab="${name}"><p class="label">${name}</p>${codeBlock(code, language)}</div>`
  })
  return `<div class="samples">${blocks.join('')}</div>`
}

function htmlOf(block: Block, links: Links): string {
  const inline = (text: string) => inlineOf(text, links)
  switch (block.type) {
    case 'heading':
      return heading(4, slugOf(block.text), inline(block.text))
    case 'paragraph':
      return `<p>${inline(block.text)}</p>`
    case 'quote':
      return `<blockquote><p>${inline(block.text)}</p></blockquote>`
    case 'code':
      return `<div class="code">${codeBlock(block.text, languageOf(block))}</div>`
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul'
      const isTasks = block.items.every((item) => TASK.test(item))
      const items = block.items.map((item) => `<li>${inline(item.replace(TASK, ''))}</li>`)
      return `<${tag}${isTasks ? ' class="tasks"' : ''}>${items.join('')}</${tag}>`
    }
    case 'table':
      return tableOf(
        block.head.map(inline),
        block.rows.map((row) => rowOf(row, links)),
      )
  }
}

function rowOf(row: readonly string[], links: Links): { id?: string; cells: string[] } {
  const cells = row.map((cell) => inlineOf(cell, links))
  const plain = inlineOf(row[0] ?? '', { ...links, code: () => undefined })
  const name = textOf(plain)
  return links.rowNames?.test(name) === true
    ? { id: name, cells: [`<a class="name" href="#${name}">${plain}</a>`, ...cells.slice(1)] }
    : { cells }
}

/** Code, links, strong and emphasis. */
function inlineOf(text: string, links: Links): string {
  let html = ''
  let at = 0
  for (const match of text.matchAll(INLINE)) {
    html += escapeHtml(text.slice(at, match.index)) + markOf(match.groups ?? {}, links)
    at = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(at))
}

function markOf({ code, label, href, strong, emphasis }: Record<string, string | undefined>, links: Links): string {
  if (code !== undefined) return linked(`<code>${escapeHtml(code)}</code>`, links.code(code))
  if (label !== undefined && href !== undefined)
    return linked(inlineOf(label, { ...links, code: () => undefined }), links.document(href))
  if (strong !== undefined) return `<strong>${inlineOf(strong, links)}</strong>`
  return `<em>${escapeHtml(emphasis ?? '')}</em>`
}

function linked(html: string, href: string | undefined): string {
  return href === undefined ? html : `<a href="${escapeHtml(href)}">${html}</a>`
}
