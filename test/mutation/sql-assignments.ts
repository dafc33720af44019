/** An `update … set` that leaves one column as it was. */
import type { SqlToken } from '../support/sql-tokens.ts'
import type { Edit } from './mutant.ts'

const CLOSES = new Set(['where', 'from', 'returning', ';'])

export function assignmentEdits(sql: string, tokens: readonly SqlToken[]): Edit[] {
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || token.text !== 'set') return []
    const target = targetOf(tokens, index)
    if (target === undefined) return []
    return assignmentsAfter(tokens, index).flatMap((assignment) => {
      const [column, equals, ...expression] = assignment
      const first = expression[0]
      const last = expression.at(-1)
      if (column?.kind !== 'word' || equals?.text !== '=' || first === undefined || last === undefined) return []
      const kept = `${target}.${column.text}`
      const original = sql.slice(first.start, last.end)
      // Parameters stay in the text, because PostgreSQL refuses a statement that lacks one of its parameters.
      const hasParameter = expression.some(({ kind }) => kind === 'parameter' || kind === 'hole')
      const replacement = hasParameter ? `case when true then ${kept} else ${original} end` : kept
      return [{ operator: 'sql-set', start: first.start, end: last.end, replacement }]
    })
  })
}

/** The name that the old values go by: the alias or table of an update, the table of an insert. */
function targetOf(tokens: readonly SqlToken[], setIndex: number): string | undefined {
  const before = tokens.slice(0, setIndex)
  if (before.at(-1)?.text === 'update' && before.at(-2)?.text === 'do') {
    const into = before.findLastIndex(({ text }) => text === 'into')
    return into === -1 ? undefined : before[into + 1]?.text
  }
  const update = before.findLastIndex(({ text, kind }) => kind === 'word' && text === 'update')
  if (update === -1 || setIndex - update > 5) return undefined
  return before.at(-1)?.text
}

function assignmentsAfter(tokens: readonly SqlToken[], setIndex: number): SqlToken[][] {
  const depth = tokens[setIndex]?.depth ?? 0
  const parts: SqlToken[][] = [[]]
  for (const [at, token] of tokens.slice(setIndex + 1).entries()) {
    if (token.depth < depth) break
    const isDistinctFrom = token.text === 'from' && tokens[setIndex + at]?.text === 'distinct'
    if (token.depth === depth && token.kind !== 'string' && CLOSES.has(token.text) && !isDistinctFrom) break
    if (token.depth === depth && token.text === ',') parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}
