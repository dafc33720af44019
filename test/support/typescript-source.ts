/** TypeScript as a tree, and the strings in it that hold SQL. */
import { parseSync } from 'oxc-parser'

/** A node of the ESTree-like tree; `start` and `end` are offsets into the source. */
// biome-ignore lint/suspicious/noExplicitAny: a tree that is walked by the names of its node types
export type Node = { type: string; start: number; end: number; [key: string]: any }

/** @throws Error when the source has a syntax error */
export function parseTypeScript(source: string): Node {
  const { program, errors } = parseSync('source.ts', source)
  const [error] = errors
  if (error !== undefined) throw new Error(error.message)
  return program as unknown as Node
}

/** Calls `visit` for every node, parents first; returning `false` leaves out what is below the node. */
export function walk(root: Node, visit: (node: Node, ancestors: readonly Node[]) => boolean | undefined): void {
  const ancestors: Node[] = []
  const go = (node: Node): void => {
    if (visit(node, ancestors) === false) return
    ancestors.push(node)
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) go(child)
    }
    ancestors.pop()
  }
  go(root)
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** The inside of a string or template: `holes` are relative to `start`. */
export type Text = { text: string; start: number; holes: { start: number; end: number }[]; ancestors: readonly Node[] }

/** Every string and template literal except import specifiers. */
export function textsOf(source: string, root: Node = parseTypeScript(source)): Text[] {
  const texts: Text[] = []
  walk(root, (node, ancestors) => {
    if (/^(Import|Export(All|Named))/.test(node.type) && node.source != null) return false
    const isString = node.type === 'Literal' && typeof node.value === 'string'
    if (!isString && node.type !== 'TemplateLiteral') return undefined
    const start = node.start + 1
    const holes = ((node.expressions ?? []) as Node[]).map((expression) => ({
      start: source.lastIndexOf('${', expression.start) - start,
      end: source.indexOf('}', expression.end) + 1 - start,
    }))
    texts.push({ text: source.slice(start, node.end - 1), start, holes, ancestors: [...ancestors] })
    return undefined
  })
  return texts
}

const STATEMENT =
  /^\s*(select\s[\s\S]*(\bfrom\b|\(|\$\d)|insert\s+into\s|update\s[\s\S]+\bset\b|delete\s+from\s|merge\s+into\s|truncate\s|lock\s+table\s|with\s+(recursive\s+)?[a-z_"]+\s*(\([^)]*\)\s*)?as\s+((not\s+)?materialized\s+)?\()/i
const FRAGMENT =
  /^\s*(where|and|or|from|(left |inner |cross )?join|case|(not )?exists|returning|order by|on conflict)\s/i
/** One or more subqueries for a `with` that stands elsewhere. */
const SUBQUERY = /^\s*[a-z_]+\s+as\s+((not\s+)?materialized\s+)?\(\s*(select|insert|update|delete)\s/i
const FRAGMENT_SIGN = /[=<>]|\$\d|\bis (not )?null\b|\b(in|any|exists) ?\(|^\s*(order by|returning) [a-z_., ]+$/i

/** True when the text is SQL: a statement, or a part of one that begins with an SQL keyword and compares something. */
export function isSql(text: string): boolean {
  return STATEMENT.test(text) || SUBQUERY.test(text) || (FRAGMENT.test(text) && FRAGMENT_SIGN.test(text))
}
