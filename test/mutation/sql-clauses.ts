/** An order, a bound, an `on conflict`, a `union` or a `coalesce` that is not what it was. */
import type { SqlToken } from '../support/sql-tokens.ts'
import type { Edit } from './mutant.ts'

/** What ends an `order by` that no parenthesis ends. */
const AFTER_ORDER = new Set(['limit', 'offset', 'for', 'union', 'returning', 'rows', 'range', ';'])

export function clauseEdits(sql: string, tokens: readonly SqlToken[]): Edit[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word') return []
    const next = tokens[index + 1]
    if (token.text === 'order' && next?.text === 'by') return orderEdits(tokens, index)
    if (token.text === 'limit' && (next?.kind === 'parameter' || next?.kind === 'hole'))
      return [{ operator: 'sql-limit', start: next.end, end: next.end, replacement: ' + 1' }]
    if (token.text === 'on' && next?.text === 'conflict') return conflictEdits(tokens, index)
    if (token.text === 'union')
      return next?.text === 'all'
        ? [{ operator: 'sql-union', start: next.start, end: next.end, replacement: '' }]
        : [{ operator: 'sql-union', start: token.end, end: token.end, replacement: ' all' }]
    if (token.text === 'coalesce' && next?.text === '(') return coalesceEdits(sql, tokens, index)
    return []
  })
}

/** Without its order: a statement that may answer, lock or write its rows in any. */
function orderEdits(tokens: readonly SqlToken[], index: number): Edit[] {
  const [order, by, ...rest] = tokens.slice(index)
  if (order === undefined || by === undefined) return []
  const length = rest.findIndex(
    ({ text, depth }) => depth < order.depth || (depth === order.depth && AFTER_ORDER.has(text)),
  )
  const keys = length === -1 ? rest : rest.slice(0, length)
  const last = keys.at(-1)
  // A parameter stays in the text, because PostgreSQL refuses a statement that lacks one of its parameters.
  if (last === undefined || keys.some(({ kind }) => kind === 'parameter')) return []
  return [{ operator: 'sql-order', start: order.start, end: last.end, replacement: '' }]
}

/** A row that is there already is refused, where it had been left as it is. */
function conflictEdits(tokens: readonly SqlToken[], index: number): Edit[] {
  const start = tokens[index]
  if (start === undefined) return []
  const at = tokens.findIndex(({ text, depth }, place) => place > index && depth === start.depth && text === 'do')
  const nothing = tokens[at + 1]
  if (at === -1 || nothing?.text !== 'nothing') return []
  return [{ operator: 'sql-conflict', start: start.start, end: nothing.end, replacement: '' }]
}

/** Its first value, whether or not that is null. */
function coalesceEdits(sql: string, tokens: readonly SqlToken[], index: number): Edit[] {
  const open = tokens[index + 1]
  if (open === undefined) return []
  const inside = tokens.slice(index + 2)
  const close = inside.findIndex(({ text, depth }) => text === ')' && depth === open.depth)
  const comma = inside.findIndex(({ text, depth }) => text === ',' && depth === open.depth + 1)
  const first = inside[0]
  const [last, end] = [inside[comma - 1], inside[close]]
  if (comma < 1 || comma > close || !first || !last || !end) return []
  if (inside.slice(comma, close).some(({ kind }) => kind === 'parameter')) return []
  const start = tokens[index]?.start ?? open.start
  return [{ operator: 'sql-coalesce', start, end: end.end, replacement: `(${sql.slice(first.start, last.end)})` }]
}
