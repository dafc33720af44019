/** What commands print: one JSON object, or text for people. */

/** A result's columns for people: heading → how to get the cell from a row. */
export type Columns = Record<string, (row: Row) => unknown>
export type Row = Record<string, unknown>

/** What looks blank. */
const BLANK = /[\p{Z}\u115f\u1160\u2800\u3164\uffa0]/u
const BLANKS = new RegExp(`${BLANK.source}+`, 'gu')

/** Prints a result as one JSON object on one line, which means what it meant and controls no terminal. */
export function printJson(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result).replace(/\p{C}/gu, escapedInJson)}\n`)
}

/** JSON itself escapes only what is below the blank: no C1 controls, and nothing that turns the direction of text. */
function escapedInJson(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Prints a refusal: the sentence on stderr, and with --json the error object on stdout as well. */
export function printRefusal(error: { code: string; message: string }, json: boolean): void {
  if (json) printJson({ ok: false, error })
  process.stderr.write(`${plain(error.message)}\n`)
}

/** Prints a line. What others wrote in it must not control a terminal, nor make a second line. */
export function say(line: string): void {
  process.stdout.write(`${plain(line)}\n`)
}

/** Prints rows as a table, or a sentence when there are none. */
export function printTable(rows: readonly Row[], columns: Columns): void {
  if (rows.length === 0) {
    process.stdout.write('None.\n')
    return
  }
  const cells = rows.map((row) => Object.values(columns).map((cell) => withoutGaps(textOf(cell(row)))))
  const table = [Object.keys(columns), ...cells]
  const widths = Object.keys(columns).map((_, column) => widthOf(table.map((line) => line[column] ?? '')))
  for (const line of table) {
    process.stdout.write(
      `${line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  }
}

/** A cell that is longer moves what follows it in its own line, and leaves the other lines as they are. */
const WIDEST = 60

function widthOf(cells: readonly string[]): number {
  return Math.max(...cells.map(({ length }) => (length > WIDEST ? 0 : length)))
}

/** Two blanks begin a column: with some in their text, or what looks like them, a payer could write what seems to stand in the columns after it. */
const withoutGaps = (text: string) => text.replace(BLANKS, ' ')

/** Prints an object as `name: value` lines, nested objects indented, lists item by item. */
export function printFields(fields: Row, indent = ''): void {
  for (const [name, value] of Object.entries(fields)) printField(name, value, indent)
}

/** A name may be somebody else's text as well: an approval shows what another operator has sent. */
function printField(given: string, value: unknown, indent: string): void {
  const name = plain(given)
  if (Array.isArray(value) && value.some((item) => typeof item === 'object')) {
    process.stdout.write(`${indent}${name}:${value.length === 0 ? ' none' : ''}\n`)
    for (const item of value) process.stdout.write(`${indent}  - ${inline(item)}\n`)
  } else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    process.stdout.write(`${indent}${name}:${Object.keys(value).length === 0 ? ' none' : ''}\n`)
    printFields(value as Row, `${indent}  `)
  } else {
    process.stdout.write(`${indent}${name}: ${textOf(value)}\n`)
  }
}

function inline(item: unknown): string {
  return Object.entries(item as Row)
    .map(([name, value]) => `${plain(name)}=${isNested(value) ? textOf(value) : asOne(textOf(value))}`)
    .join(' ')
}

/** Its braces say where it ends; in quotes once more nobody can read it. */
const isNested = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** In quotes where it has blanks: a text must not look like the fields after it. */
const asOne = (text: string) => (BLANK.test(text) || text.includes('"') ? JSON.stringify(text) : text)

const plain = (text: string) => text.replace(/\p{C}/gu, ' ')

/** The text of a value without control characters. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const text = Array.isArray(value)
    ? value.map(textOf).join(',') || '-'
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)
  return plain(text)
}
