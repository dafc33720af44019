/** Which tables a piece of SQL reads and writes. */
import type { SqlToken } from './sql-tokens.ts'

/** A table whose name is not in the text. */
export const UNKNOWN_TABLE = '(not in the text)'

/** Targets of insert, update, delete, merge and truncate, also inside CTEs, each once. */
export function tablesWritten(tokens: readonly SqlToken[]): string[] {
  return [...new Set(tokens.flatMap((_, index) => targetsAt(tokens, index)))]
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

function targetsAt(tokens: readonly SqlToken[], index: number): string[] {
  const words = (from: number, count: number) => tokens.slice(from, from + count).map((token) => token.text)
  if (tokens[index]?.kind !== 'word') return []
  const [first, second] = words(index, 2)
  if (first === 'insert' || first === 'merge') return second === 'into' ? [nameAt(tokens, index + 2)] : []
  if (first === 'delete') return second === 'from' ? [nameAt(tokens, index + 2)] : []
  if (first === 'truncate') return truncated(tokens, second === 'table' ? index + 2 : index + 1)
  const before = words(index - 1, 1)[0] ?? ''
  if (first !== 'update' || ['for', 'key', 'do', 'on', 'or', 'before', 'after', 'then'].includes(before)) return []
  // `update` in English is no statement: in SQL `set` follows the name and its alias.
  const isStatement = index === tokens.length - 1 || words(index + 1, 7).includes('set')
  return isStatement ? [nameAt(tokens, index + 1)] : []
}

function truncated(tokens: readonly SqlToken[], start: number): string[] {
  const length = tokens.slice(start).findIndex(({ text, kind }) => kind === 'operator' && text === ';')
  const list = length === -1 ? tokens.slice(start) : tokens.slice(start, start + length)
  const starts = [0, ...list.flatMap(({ text }, at) => (text === ',' ? [at + 1] : []))]
  return starts.map((at) => nameAt(list, at))
}

/** The name at a place, without `only` and without its schema. */
function nameAt(tokens: readonly SqlToken[], index: number): string {
  const start = tokens[index]?.text === 'only' ? index + 1 : index
  const token = tokens[tokens[start + 1]?.text === '.' ? start + 2 : start]
  return token?.kind === 'word' || token?.kind === 'quoted' ? token.text : UNKNOWN_TABLE
}
