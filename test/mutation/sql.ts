/** Faults of SQL: a condition that is missing, a lock that is not taken, a column that is not set, a limit off by one. */
import { type SqlToken, tokenizeSql } from '../support/sql-tokens.ts'
import { isSql, type Text } from '../support/typescript-source.ts'
import type { Edit } from './mutant.ts'
import { assignmentEdits } from './sql-assignments.ts'
import { clauseEdits } from './sql-clauses.ts'
import { conditionEdits, regionEdits } from './sql-conditions.ts'

/** What comes before the first word of a part of a statement: parentheses, other parts, and what joins it to them. */
const BEFORE = /^(\s|[(,]|\$\{[^}]*\}|(with|union|all)\b)*/i
/** A table and what is asked of it; a condition alone, which is put behind a `where`. */
const TABLE = /^[a-z_]+ (join [a-z_]+ using \([a-z_]+\) )?where\s/
const CONDITION = /^(not )?[a-z_.]+(\(| (\|\| '' )?(=|<>|<=?|>=?|is|in|not in) )[\s\S]*\b(and|or)\b/

/** All edits of one string or template, as offsets into the file. */
export function sqlEdits({ text, start, holes }: Text): Edit[] {
  const part = text.replace(BEFORE, '')
  const isCondition = CONDITION.test(part)
  if (!isSql(text) && !isSql(part) && !TABLE.test(part) && !isCondition) return []
  const tokens = tokenizeSql(text, holes)
  const edits = [
    ...(isCondition ? regionEdits(text, tokens) : []),
    ...conditionEdits(text, tokens),
    ...assignmentEdits(text, tokens),
    ...clauseEdits(text, tokens),
    ...wordEdits(tokens),
  ]
  return edits.map((edit) => ({ ...edit, start: edit.start + start, end: edit.end + start }))
}

const COMPARISONS: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const ARITHMETIC: Readonly<Record<string, string>> = { '+': '-', '-': '+' }
const FUNCTIONS: Readonly<Record<string, string>> = { greatest: 'least', least: 'greatest', min: 'max', max: 'min' }
const TRUTH: Readonly<Record<string, string>> = { true: 'false', false: 'true' }

/** Phrases to leave out, each under the name of its operator. The longest match wins. */
const DROPPED: readonly (readonly [operator: string, phrase: readonly string[]])[] = [
  ['sql-lock', ['for', 'no', 'key', 'update']],
  ['sql-lock', ['for', 'key', 'share']],
  ['sql-lock', ['for', 'update']],
  ['sql-lock', ['for', 'share']],
  ['sql-lock', ['skip', 'locked']],
  ['sql-distinct', ['distinct']],
  ['sql-order', ['desc']],
]

function wordEdits(tokens: readonly SqlToken[]): Edit[] {
  return tokens.flatMap((token, index) => {
    const { start, end, text } = token
    const replace = (operator: string, replacement: string): Edit[] => [{ operator, start, end, replacement }]
    if (token.kind === 'operator' && text in COMPARISONS) return replace('sql-boundary', COMPARISONS[text] ?? '')
    if (token.kind === 'operator' && text in ARITHMETIC && isBinary(tokens, index))
      return replace('sql-arithmetic', ARITHMETIC[text] ?? '')
    if (token.kind === 'number')
      return isMeaningful(tokens, index) ? replace('sql-constant', `${Number(text) + 1}`) : []
    if (token.kind !== 'word') return []
    if (text in FUNCTIONS && tokens[index + 1]?.text === '(') return replace('sql-function', FUNCTIONS[text] ?? '')
    if (text in TRUTH) return replace('sql-truth', TRUTH[text] ?? '')
    if (text === 'left' && tokens[index + 1]?.text === 'join') return replace('sql-join', 'inner')
    if (text === 'is' && tokens[index + 1]?.text === 'null') return replace('sql-null', 'is not')
    if (text === 'not' && ['null', 'exists'].includes(tokens[index + 1]?.text ?? '')) return replace('sql-not', '')
    return droppedPhrase(tokens, index)
  })
}

function droppedPhrase(tokens: readonly SqlToken[], index: number): Edit[] {
  for (const [operator, phrase] of DROPPED) {
    const found = tokens.slice(index, index + phrase.length)
    if (found.length < phrase.length || found.some(({ text }, at) => text !== phrase[at])) continue
    if (text(tokens, index - 1) === 'is' || text(tokens, index - 1) === 'not') continue // is distinct from
    const end =
      operator === 'sql-lock' && text(tokens, index + phrase.length) === 'skip' ? index + phrase.length + 2 : 0
    const last = tokens[Math.max(end, index + phrase.length) - 1]
    const first = tokens[index]
    if (first !== undefined && last !== undefined)
      return [{ operator, start: first.start, end: last.end, replacement: '' }]
  }
  return []
}

/** `a - b`, not `-1` after an operator or an opening parenthesis. */
function isBinary(tokens: readonly SqlToken[], index: number): boolean {
  const before = tokens[index - 1]
  return before !== undefined && (before.kind !== 'operator' || before.text === ')' || before.text === ']')
}

/**
 * Excludes `select 1`, the scale of a type, and the length in `left(…, 10)`, whose change shows only in printed text.
 */
function isMeaningful(tokens: readonly SqlToken[], index: number): boolean {
  return text(tokens, index - 1) !== 'select' && text(tokens, index - 1) !== '['
}

function text(tokens: readonly SqlToken[], index: number): string {
  return tokens[index]?.text ?? ''
}
