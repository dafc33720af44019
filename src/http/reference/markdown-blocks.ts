/**
 * Documents as blocks, read by marked. What marks up words inside them is left to `prose.ts`, and so is all HTML: marked's own is
 * never asked for, and what looks like HTML in a document is a paragraph here, which `prose.ts` escapes like any other.
 */
import { lexer, type MarkedToken, type Tokens } from 'marked'

export type Block =
  | { type: 'heading'; depth: number; text: string }
  | { type: 'paragraph'; text: string }
  | { type: 'code'; language: string; text: string }
  | { type: 'table'; head: string[]; rows: string[][] }
  | { type: 'list'; isOrdered: boolean; items: string[] }
  | { type: 'quote'; text: string }

/** Reads a document. Blocks in quotes and in items become their words. @throws Error for a fence that is not closed */
export function blocksOf(markdown: string): Block[] {
  return lexer(markdown).flatMap((token) => blockOf(token as MarkedToken) ?? [])
}

function blockOf(token: MarkedToken): Block | undefined {
  switch (token.type) {
    case 'space':
    case 'hr':
    case 'def':
      return undefined
    case 'heading':
      return { type: 'heading', depth: token.depth, text: token.text }
    case 'code':
      if (!isClosed(token.raw)) throw new Error(`a block of code is not closed: ${token.raw.slice(0, 40)}`)
      return { type: 'code', language: token.lang ?? '', text: token.text }
    case 'table':
      return {
        type: 'table',
        head: token.header.map(({ text }) => text),
        rows: token.rows.map((row) => row.map(({ text }) => text)),
      }
    case 'list':
      return { type: 'list', isOrdered: token.ordered, items: itemsOf(token) }
    case 'blockquote':
      return { type: 'quote', text: onOneLine(token.text) }
    default:
      return { type: 'paragraph', text: onOneLine('text' in token ? token.text : token.raw) }
  }
}

/** The items of a list, and after each those of the lists in it. */
function itemsOf(list: Tokens.List): string[] {
  return list.items.flatMap(({ tokens }) => {
    const words = tokens.filter(({ type }) => type !== 'list').map(({ raw }) => raw)
    const inner = tokens.filter((token): token is Tokens.List => token.type === 'list')
    return [onOneLine(words.join('\n')), ...inner.flatMap(itemsOf)]
  })
}

/** Markdown closes a fence at the end of the document; here that would be a mistake. An indented block has none at its beginning. */
function isClosed(raw: string): boolean {
  const fence = /^(?:`{3,}|~{3,})/.exec(raw)?.[0]
  return fence === undefined || new RegExp(`\n {0,3}${fence}+\\s*$`).test(raw)
}

function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
