/** Markdown of this repository as HTML. Whatever looks like HTML in it stays text. */
import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { codeBlock } from './code.ts'
import { escapeHtml, slugOf, textOf } from './escape.ts'
import { heading, type Section, tableOf } from './page.ts'

/** Where things are that prose names. */
export type Links = {
  /** The address of another document, as a link names it; undefined: it is not on this site. */
  document: (href: string) => string | undefined
  /** The address of what a piece of code names: an error code, an operation. */
  code: (text: string) => string | undefined
  /** Whether the rows of tables can be linked to, by what their first cell says. */
  rowsHaveNames?: boolean
}

export type Prose = { title: string; body: string; sections: Section[] }

const LANGUAGES: Readonly<Record<string, string>> = { sh: 'curl', ts: 'TypeScript' }

/** Renders a document: its first heading is the title, and everything up to the next one of depth 2 or 3 is a section. */
export function renderProse(markdown: string, links: Links): Prose {
  const marked = new Marked().use({ renderer: rendererOf(links) })
  const tokens = marked.lexer(markdown)
  const sections: (Section & { html: string })[] = [{ id: '', title: '', text: '', isListed: false, html: '' }]
  let title = ''
  for (const part of samplesTogether(tokens)) {
    const html = Array.isArray(part) ? tabsOf(part) : marked.parser([part])
    if (isHeading(part) && part.depth === 1) title = textOf(html)
    else if (isHeading(part) && part.depth <= 3) {
      const name = textOf(marked.parser([{ type: 'paragraph', raw: part.text, text: part.text, tokens: part.tokens }]))
      sections.push({ id: slugOf(name), title: name, text: '', isListed: part.depth === 2, html })
    } else {
      const last = sections.at(-1)
      if (last !== undefined) last.html += html
    }
  }
  return {
    title,
    body: sections.map(({ html }) => html).join('\n'),
    sections: sections.map(({ html, ...section }) => ({ ...section, text: textOf(html) })),
  }
}

function isHeading(part: Token | Tokens.Code[]): part is Tokens.Heading {
  return !Array.isArray(part) && part.type === 'heading'
}

/** The same in two languages becomes one block with tabs. */
function samplesTogether(tokens: readonly Token[]): (Token | Tokens.Code[])[] {
  const parts: (Token | Tokens.Code[])[] = []
  for (const token of tokens) {
    if (token.type === 'space') continue
    const last = parts.at(-1)
    const language = languageOf(token)
    if (Array.isArray(last) && language === 'ts' && last.length === 1) last.push(token as Tokens.Code)
    else parts.push(language === 'sh' ? [token as Tokens.Code] : token)
  }
  return parts
}

function languageOf(token: Token): string {
  return token.type === 'code' ? ((token as Tokens.Code).lang?.split(' ')[0] ?? '') : ''
}

function tabsOf(blocks: readonly Tokens.Code[]): string {
  const samples = blocks.map((block) => ({ language: languageOf(block), code: block.text }))
  return samplesOf(samples)
}

/** One sample in each language. Without scripts they stand one below the other. */
export function samplesOf(samples: readonly { language: string; code: string }[]): string {
  const [only] = samples
  if (samples.length === 1 && only !== undefined)
    return `<div class="code">${codeBlock(only.code, only.language)}</div>`
  const blocks = samples.map(({ language, code }) => {
    const name = LANGUAGES[language] ?? language
    return `<div class="code" data-tab="${escapeHtml(name)}"><p class="label">${escapeHtml(name)}</p>${codeBlock(code, language)}</div>`
  })
  return `<div class="samples">${blocks.join('')}</div>`
}

function rendererOf(links: Links): RendererObject {
  return {
    heading({ tokens, depth }: Tokens.Heading): string {
      const html = this.parser.parseInline(tokens)
      if (depth === 1) return html
      return heading(depth === 2 ? 2 : depth === 3 ? 3 : 4, slugOf(textOf(html)), html)
    },
    code({ text, lang }: Tokens.Code): string {
      return `<div class="code">${codeBlock(text, lang?.split(' ')[0])}</div>`
    },
    codespan({ text }: Tokens.Codespan): string {
      const href = links.code(text)
      const code = `<code>${escapeHtml(text)}</code>`
      return href === undefined ? code : `<a href="${escapeHtml(href)}">${code}</a>`
    },
    link({ href, tokens }: Tokens.Link): string {
      const html = this.parser.parseInline(tokens)
      const to = links.document(href)
      return to === undefined ? html : `<a href="${escapeHtml(to)}">${html}</a>`
    },
    image: ({ text }: Tokens.Image) => escapeHtml(text),
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    text(token: Tokens.Text | Tokens.Escape): string {
      return 'tokens' in token && token.tokens !== undefined
        ? this.parser.parseInline(token.tokens)
        : escapeHtml(token.text)
    },
    table({ header, rows }: Tokens.Table): string {
      const inline = (cell: Tokens.TableCell) => this.parser.parseInline(cell.tokens)
      const names = links.rowsHaveNames === true ? /^[A-Za-z][A-Za-z0-9_]+$/ : /^$/
      return tableOf(
        header.map(inline),
        rows.map((row) => {
          const name = textOf(row[0] === undefined ? '' : inline(row[0]))
          return { ...(names.test(name) ? { id: name } : {}), cells: row.map(inline) }
        }),
      )
    },
  }
}
