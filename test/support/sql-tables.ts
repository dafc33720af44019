/** Which tables a piece of SQL reads and writes. */
import type { SqlToken } from './sql-tokens.ts'

/** A table whose name is not in the text. */
export const UNKNOWN_TABLE = '(not in the text)'

export type Change = {
  verb: 'insert' | 'update' | 'delete' | 'merge' | 'truncate'
  table: string
  /** Of an insert or an update; undefined where the text does not say. */
  columns: readonly string[] | undefined
}

/** Targets of insert, update, delete, merge and truncate, also inside CTEs, each once. */
export function tablesWritten(tokens: readonly SqlToken[]): string[] {
  return [...new Set(changesIn(tokens).map(({ table }) => table))]
}

/** What a piece of SQL does to which tables, as often as it says so; `on conflict do update` is an update too. */
export function changesIn(tokens: readonly SqlToken[]): Change[] {
  return tokens.flatMap((_, index) => changesAt(tokens, index))
}

/** True when the text reads or writes a table: `select now()` does neither. */
export function touchesTable(tokens: readonly SqlToken[]): boolean {
  if (tablesWritten(tokens).length > 0) return true
  return tokens.some((token, index) => {
    if (token.kind !== 'word' || token.text !== 'select') return false
    const from = tokens.findIndex(
      ({ kind, text, depth }, at) => at > index && kind === 'word' && text === 'from' && depth === token.depth,
    )
    return from !== -1 && ['word', 'quoted', 'hole'].includes(tokens[from + 1]?.kind ?? '')
  })
}

function changesAt(tokens: readonly SqlToken[], index: number): Change[] {
  const words = (from: number, count: number) => tokens.slice(from, from + count).map((token) => token.text)
  const change = (verb: Change['verb'], at: number): Change => ({ verb, table: nameAt(tokens, at), columns: undefined })
  if (tokens[index]?.kind !== 'word') return []
  const [first, second] = words(index, 2)
  if (first === 'insert' && second === 'into')
    return [{ ...change('insert', index + 2), columns: listedAfter(tokens, index + 2) }]
  if (first === 'insert' || first === 'merge') return second === 'into' ? [change(first, index + 2)] : []
  if (first === 'delete') return second === 'from' ? [change('delete', index + 2)] : []
  if (first === 'truncate') return truncated(tokens, second === 'table' ? index + 2 : index + 1)
  const before = words(index - 1, 1)[0] ?? ''
  if (first === 'do' && second === 'update')
    return [{ ...insertBefore(tokens, index), columns: setAfter(tokens, index) }]
  if (first !== 'update' || ['for', 'key', 'do', 'on', 'or', 'before', 'after', 'then'].includes(before)) return []
  // `update` in English is no statement: in SQL `set` follows the name and its alias.
  const isStatement = index === tokens.length - 1 || words(index + 1, 7).includes('set')
  return isStatement ? [{ ...change('update', index + 1), columns: setAfter(tokens, index) }] : []
}

/** The update that a conflict makes of the insert before it. */
function insertBefore(tokens: readonly SqlToken[], index: number): Change {
  const { depth = 0 } = tokens[index] ?? {}
  const insert = tokens.findLastIndex(
    ({ kind, text, depth: at }, place) => place < index && kind === 'word' && text === 'insert' && at === depth,
  )
  return { verb: 'update', table: insert === -1 ? UNKNOWN_TABLE : nameAt(tokens, insert + 2), columns: undefined }
}

/** The columns in parentheses behind the name at a place, and its alias. */
function listedAfter(tokens: readonly SqlToken[], index: number): string[] | undefined {
  const start = tokens[index + 1]?.text === '.' ? index + 3 : index + 1
  const open = tokens[start]?.text === 'as' ? start + 2 : start
  if (tokens[open]?.text !== '(') return undefined
  const end = tokens.findIndex(({ text }, place) => place > open && text === ')')
  const listed = tokens.slice(open + 1, end === -1 ? undefined : end)
  const columns = listed.flatMap(({ kind, text }) => (kind === 'word' || kind === 'quoted' ? [text] : []))
  return end === -1 || listed.some(({ kind }) => kind === 'hole') ? undefined : columns
}

/** The columns that the next `set` assigns to. */
function setAfter(tokens: readonly SqlToken[], index: number): string[] | undefined {
  const set = tokens.findIndex(({ kind, text }, place) => place > index && kind === 'word' && text === 'set')
  if (set === -1) return undefined
  const { depth } = tokens[set] as SqlToken
  const columns: string[] = []
  let before = ','
  for (const { kind, text, depth: at } of tokens.slice(set + 1)) {
    if (at < depth || (at === depth && (['where', 'from', 'returning'].includes(text) || text === ';'))) break
    const names = before === ',' || (before === '(' && at > depth)
    if (names && (kind === 'word' || kind === 'quoted')) columns.push(text)
    // Assignments could be in it.
    if (kind === 'hole' && at === depth && (names || before === 'value')) return undefined
    if (at === depth) before = [',', '='].includes(text) || (text === '(' && names) ? text : 'value'
  }
  return columns
}

function truncated(tokens: readonly SqlToken[], start: number): Change[] {
  const length = tokens.slice(start).findIndex(({ text, kind }) => kind === 'operator' && text === ';')
  const list = length === -1 ? tokens.slice(start) : tokens.slice(start, start + length)
  const starts = [0, ...list.flatMap(({ text }, at) => (text === ',' ? [at + 1] : []))]
  return starts.map((at) => ({ verb: 'truncate', table: nameAt(list, at), columns: undefined }))
}

/** The name at a place, without `only` and without its schema. */
function nameAt(tokens: readonly SqlToken[], index: number): string {
  const start = tokens[index]?.text === 'only' ? index + 1 : index
  const token = tokens[tokens[start + 1]?.text === '.' ? start + 2 : start]
  return token?.kind === 'word' || token?.kind === 'quoted' ? token.text : UNKNOWN_TABLE
}
