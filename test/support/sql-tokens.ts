/** Splits SQL into words, numbers, strings and operators: enough to find clauses and targets, without knowing the grammar. */

export type SqlToken = {
  /** `hole`: an expression that a template literal puts here. */
  kind: 'word' | 'quoted' | 'string' | 'number' | 'parameter' | 'operator' | 'hole'
  /** Words in lower case; quoted names without their quotes. */
  text: string
  start: number
  end: number
  /** How many parentheses, brackets and `case`s are open around it. */
  depth: number
}

const PATTERNS: readonly (readonly [SqlToken['kind'] | 'space', RegExp])[] = [
  ['space', /\s+|--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['parameter', /\$\d+/y],
  ['string', /[eE]?'(?:[^']|'')*'|\$([a-z_]*)\$[\s\S]*?\$\1\$/y],
  ['quoted', /"(?:[^"]|"")*"/y],
  ['word', /[a-z_][a-z_0-9$]*/iy],
  ['number', /\d[\d_]*(?:\.\d+)?/y],
  ['operator', /::|[<>]=|<>|!=|\|\||[-=]>>?|@>|<@|[!~@#%^&|`?]+|[-+*/<>=.,;:()[\]]|./sy],
]

/** @param holes places that are not SQL, such as `${…}` in a template literal: from `start` up to `end`, in order */
export function tokenizeSql(sql: string, holes: readonly { start: number; end: number }[] = []): SqlToken[] {
  const tokens: SqlToken[] = []
  let at = 0
  let depth = 0
  const push = (kind: SqlToken['kind'], text: string, end: number): void => {
    if (text === ')' || text === ']' || (kind === 'word' && text === 'end')) depth = Math.max(0, depth - 1)
    tokens.push({ kind, text, start: at, end, depth })
    if (text === '(' || text === '[' || (kind === 'word' && text === 'case')) depth += 1
    at = end
  }
  while (at < sql.length) {
    const hole = holes.find(({ start }) => start === at)
    if (hole !== undefined) {
      push('hole', '', hole.end)
      continue
    }
    for (const [kind, pattern] of PATTERNS) {
      pattern.lastIndex = at
      const text = pattern.exec(sql)?.[0]
      if (text === undefined) continue
      if (kind === 'space') at += text.length
      else if (kind === 'word') push(kind, text.toLowerCase(), at + text.length)
      else if (kind === 'quoted') push(kind, text.slice(1, -1).replaceAll('""', '"'), at + text.length)
      else push(kind, text, at + text.length)
      break
    }
  }
  return tokens
}
