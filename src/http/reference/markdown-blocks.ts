/** The Markdown that our own documents are written in, as blocks. It is not all of Markdown: a test reads every document. */

export type Block =
  | { type: 'heading'; depth: number; text: string }
  | { type: 'paragraph'; text: string }
  | { type: 'code'; language: string; text: string }
  | { type: 'table'; head: string[]; rows: string[][] }
  | { type: 'list'; isOrdered: boolean; items: string[] }
  | { type: 'quote'; text: string }

type Reader = { lines: readonly string[]; at: number }

const FENCE = /^```(.*)$/
const HEADING = /^(#{1,4}) (.+)$/
const ITEM = /^(?:[-*]|(\d+)\.) +(.*)$/
const ROW = /^\|.*\|\s*$/
const QUOTE = /^> ?(.*)$/

/** Reads a document. @throws Error for a fence that is not closed */
export function blocksOf(markdown: string): Block[] {
  const reader: Reader = { lines: markdown.replaceAll('\r\n', '\n').split('\n'), at: 0 }
  const blocks: Block[] = []
  while (reader.at < reader.lines.length) {
    if (lineOf(reader).trim() === '') reader.at += 1
    else blocks.push(readBlock(reader))
  }
  return blocks
}

function readBlock(reader: Reader): Block {
  const line = lineOf(reader)
  const [, marks, title] = HEADING.exec(line) ?? []
  if (marks !== undefined && title !== undefined) {
    reader.at += 1
    return { type: 'heading', depth: marks.length, text: title.trim() }
  }
  if (FENCE.test(line)) return readCode(reader)
  if (ROW.test(line)) return readTable(reader)
  if (ITEM.test(line)) return readList(reader)
  if (QUOTE.test(line)) {
    const lines = takeWhile(reader, (next) => QUOTE.test(next))
    return { type: 'quote', text: lines.map((next) => QUOTE.exec(next)?.[1] ?? '').join(' ') }
  }
  return { type: 'paragraph', text: takeWhile(reader, (next, index) => index === 0 || !beginsBlock(next)).join(' ') }
}

function lineOf({ lines, at }: Reader): string {
  return lines[at] ?? ''
}

/** Whether a line ends the paragraph before it. */
function beginsBlock(line: string): boolean {
  return line.trim() === '' || [FENCE, HEADING, ITEM, ROW, QUOTE].some((pattern) => pattern.test(line))
}

function takeWhile(reader: Reader, test: (line: string, index: number) => boolean): string[] {
  const from = reader.at
  while (reader.at < reader.lines.length && test(lineOf(reader), reader.at - from)) reader.at += 1
  return reader.lines.slice(from, reader.at).map((line) => line.trim())
}

function readCode(reader: Reader): Block {
  const language = FENCE.exec(lineOf(reader))?.[1]?.trim() ?? ''
  const end = reader.lines.findIndex((line, index) => index > reader.at && line === '```')
  if (end === -1) throw new Error(`a block of code is not closed: line ${reader.at + 1}`)
  const text = reader.lines.slice(reader.at + 1, end).join('\n')
  reader.at = end + 1
  return { type: 'code', language, text }
}

function readTable(reader: Reader): Block {
  const [head = '', , ...rows] = takeWhile(reader, (line) => ROW.test(line))
  return { type: 'table', head: cellsOf(head), rows: rows.map(cellsOf) }
}

/** The cells of a row; `\|` is a bar inside one. */
function cellsOf(row: string): string[] {
  return row
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** An item goes on in the lines that are indented below it. */
function readList(reader: Reader): Block {
  const isOrdered = ITEM.exec(lineOf(reader))?.[1] !== undefined
  const items: string[] = []
  const lines = takeWhile(reader, (line, index) => index === 0 || ITEM.test(line) || /^\s+\S/.test(line))
  for (const line of lines) {
    const item = ITEM.exec(line)?.[2]
    if (item !== undefined) items.push(item)
    else items.push(`${items.pop() ?? ''} ${line}`)
  }
  return { type: 'list', isOrdered, items }
}
