/** Bytes of CSV (RFC 4180) → rows by column name, within bounds. */
import { parse } from 'csv-parse/sync'
import { quoted, refuse } from '../refusal.ts'
import { decodeUtf8 } from '../utf8.ts'

export type Row = { line: number; get(column: string): string }

export type CsvBounds = { maxBytes: number; maxRows: number; maxColumns: number; maxRecordLength: number }

export const CSV_BOUNDS: CsvBounds = {
  maxBytes: 16 * 2 ** 20,
  maxRows: 100_000,
  maxColumns: 100,
  maxRecordLength: 32_768,
}

/**
 * The rows below a header that has every wanted column exactly once. A row longer or shorter than the header, a stray
 * quote and an unfinished quote are refused.
 * @throws a refusal: `too_large` or `malformed`
 */
export function readTable(
  bytes: Uint8Array,
  layout: { delimiter: string; skipLines: number; columns: readonly string[] },
  bounds: CsvBounds,
): Row[] {
  if (bytes.byteLength > bounds.maxBytes) refuse('too_large', `The file has more than ${bounds.maxBytes} bytes.`)
  const [header = [], ...records] = readRecords(decodeUtf8(bytes), layout, bounds)
  if (header.length > bounds.maxColumns) refuse('too_large', `The file has more than ${bounds.maxColumns} columns.`)
  const places = new Map(layout.columns.map((column) => [column, placeOf(header, column)]))
  if (records.length > bounds.maxRows) refuse('too_large', `The file has more than ${bounds.maxRows} rows.`)
  return records.map((record, index) => ({
    line: index + 1,
    get: (column) => record[places.get(column) ?? -1]?.trim() ?? '',
  }))
}

function readRecords(
  text: string,
  { delimiter, skipLines }: { delimiter: string; skipLines: number },
  { maxRows, maxRecordLength }: CsvBounds,
): string[][] {
  try {
    return parse(text, {
      delimiter,
      from_line: skipLines + 1,
      to: maxRows + 2,
      max_record_size: maxRecordLength,
      skip_empty_lines: true,
    })
  } catch (error) {
    const cause = error instanceof Error ? quoted(error.message).slice(1, -1) : 'unreadable'
    return refuse('malformed', `The file is not CSV as its mapping declares it: ${cause}`)
  }
}

function placeOf(header: readonly string[], column: string): number {
  const places = header.flatMap((name, index) => (name.trim() === column ? [index] : []))
  if (places.length !== 1)
    refuse('malformed', `The header has the column ${quoted(column)} ${places.length} times, not once.`)
  return places[0] ?? -1
}
