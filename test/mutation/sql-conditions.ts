/** Leaves out one condition of a `where`, `on`, `having` or `when`, or one value of an `in (…)`. */
import type { SqlToken } from '../support/sql-tokens.ts'
import type { Edit } from './mutant.ts'

type Region = readonly SqlToken[]

const OPENS = new Set(['where', 'on', 'having', 'when'])
const CLOSES = new Set(
  [
    'group',
    'order',
    'limit',
    'offset',
    'having',
    'returning',
    'for',
    'union',
    'except',
    'intersect',
    'window',
    'on',
  ].concat([
    'join',
    'left',
    'right',
    'inner',
    'cross',
    'full',
    'where',
    'then',
    'do',
    'set',
    'when',
    'else',
    'window',
    ';',
  ]),
)

export function conditionEdits(sql: string, tokens: readonly SqlToken[]): Edit[] {
  return [...clauses(tokens), ...groups(tokens)].flatMap((region) => regionEdits(sql, region)).concat(listEdits(tokens))
}

/** The tokens between `where` and the end of its clause. `on conflict` opens no clause. */
function clauses(tokens: readonly SqlToken[]): Region[] {
  return tokens.flatMap((token, index) => {
    const isFirst = tokens.slice(0, index).every(({ kind }) => kind === 'hole')
    const isFragment = isFirst && (token.text === 'and' || token.text === 'or')
    if (token.kind !== 'word' || !(OPENS.has(token.text) || isFragment)) return []
    if (token.text === 'on' && tokens[index + 1]?.text === 'conflict') return []
    if (token.text === 'when' && isValueOfCase(tokens, index)) return []
    const rest = tokens.slice(index + 1)
    const length = rest.findIndex(
      ({ text, kind, depth }, at) =>
        depth < token.depth || (depth === token.depth && kind !== 'string' && CLOSES.has(text) && !isCall(rest, at)),
    )
    return [length === -1 ? rest : rest.slice(0, length)]
  })
}

/** In `case status when 'x'` a value follows `when`, not a condition. */
function isValueOfCase(tokens: readonly SqlToken[], index: number): boolean {
  const depth = tokens[index]?.depth ?? 0
  const opening = tokens.slice(0, index).findLastIndex((token) => token.text === 'case' && token.depth === depth - 1)
  return tokens[opening + 1]?.text !== 'when'
}

/** `left(…)` is a function, `left join` is not. */
function isCall(tokens: readonly SqlToken[], index: number): boolean {
  return ['left', 'right'].includes(tokens[index]?.text ?? '') && tokens[index + 1]?.text === '('
}

/** The tokens between parentheses that are joined by `and` or `or`. */
function groups(tokens: readonly SqlToken[]): Region[] {
  return tokens.flatMap((token, index) => {
    if (token.text !== '(' || token.kind !== 'operator') return []
    const rest = tokens.slice(index + 1)
    const length = rest.findIndex(({ depth }) => depth === token.depth)
    const inside = length === -1 ? rest : rest.slice(0, length)
    if (['select', 'with', 'insert', 'update', 'delete'].includes(inside[0]?.text ?? '')) return []
    if (inside.some(({ text, depth }) => depth === token.depth + 1 && OPENS.has(text))) return []
    return splitAt(inside, 'or').length + splitAt(inside, 'and').length > 2 ? [inside] : []
  })
}

/** What is joined by `and` or `or`, each left out once. */
export function regionEdits(sql: string, region: Region): Edit[] {
  const either = splitAt(region, 'or')
  const parts = either.length > 1 ? either : splitAt(region, 'and')
  const neutral = either.length > 1 ? 'false' : 'true'
  return parts.flatMap((part) => {
    const first = part[0]
    const last = part.at(-1)
    if (first === undefined || last === undefined) return []
    if (part.every(({ kind }) => kind === 'hole') || ['true', 'false'].includes(first.text)) return []
    const original = sql.slice(first.start, last.end)
    // Parameters stay in the text, because PostgreSQL refuses a statement that lacks one of its parameters.
    const keeps = part.some(({ kind }) => kind === 'hole' || kind === 'parameter')
    const replacement = keeps ? `(${original} ${neutral === 'true' ? 'or true' : 'and false'})` : neutral
    return [{ operator: 'sql-condition', start: first.start, end: last.end, replacement }]
  })
}

function splitAt(region: Region, word: 'and' | 'or'): Region[] {
  const depth = region[0] === undefined ? 0 : Math.min(...region.map((token) => token.depth))
  const parts: SqlToken[][] = [[]]
  let betweens = 0
  for (const token of region) {
    const isHere = token.kind === 'word' && token.depth === depth
    if (isHere && token.text === 'between') betweens += 1
    if (isHere && token.text === word && !(word === 'and' && betweens > 0)) parts.push([])
    else {
      if (isHere && token.text === 'and') betweens -= 1
      parts.at(-1)?.push(token)
    }
  }
  return parts
}

/** `in ('a', 'b')` without one of its values. */
function listEdits(tokens: readonly SqlToken[]): Edit[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || token.text !== 'in' || tokens[index + 1]?.text !== '(') return []
    const rest = tokens.slice(index + 2)
    const items = rest.slice(
      0,
      rest.findIndex(({ text }) => text === ')'),
    )
    if (items.length < 3 || items.some(({ kind, text }, at) => (at % 2 === 0 ? kind !== 'string' : text !== ',')))
      return []
    return items
      .filter((_, at) => at % 2 === 0)
      .map(({ start, end }, at, values) => ({
        operator: 'sql-list',
        start: at === 0 ? start : (values[at - 1]?.end ?? start),
        end: at === 0 ? (values[1]?.start ?? end) : end,
        replacement: '',
      }))
  })
}
