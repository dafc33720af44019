/** What a source does, for the tests that say who may do it. Everything is read from the syntax tree, never guessed from the text. */
import { tablesWritten, touchesTable } from './sql-tables.ts'
import { tokenizeSql } from './sql-tokens.ts'
import { type Node, parseTypeScript, textsOf, walk } from './typescript-source.ts'

const STREAMS = new Set(['stdout', 'stderr', '_rawDebug'])
const DESCRIPTORS = new Set(['writeSync', 'writevSync', 'write'])
const PROCESS = new Set(['process', 'node:process'])

/** How a source writes to the terminal: through console, process.stdout, a descriptor, or a device. */
export function printsOf(source: string): string[] {
  const found: string[] = []
  walk(parseTypeScript(source), (node, ancestors) => {
    if (printsAt(node, ancestors.at(-1))) found.push(source.slice(node.start, node.end).split('\n')[0] ?? '')
    return undefined
  })
  return [...new Set(found)]
}

/** The functions of a source that have more lines than `most`, as `name: lines`. Those inside of others count by themselves, too. */
export function longFunctionsOf(source: string, most: number): string[] {
  const found: string[] = []
  walk(parseTypeScript(source), (node, ancestors) => {
    const isFunction = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
    const lines = isFunction ? source.slice(node.start, node.end).split('\n').length : 0
    if (lines > most) found.push(`${nameOfFunction(node, ancestors.at(-1))}: ${lines} lines`)
    return undefined
  })
  return found
}

function nameOfFunction(node: Node, parent: Node | undefined): string {
  return node.id?.name ?? parent?.id?.name ?? parent?.key?.name ?? 'a function without a name'
}

function printsAt(node: Node, parent: Node | undefined): boolean {
  switch (node.type) {
    case 'Identifier':
      return node.name === 'console' && !isName(node, parent)
    case 'MemberExpression':
      return memberName(node) === 'console' || (STREAMS.has(memberName(node)) && isProcess(node.object))
    case 'VariableDeclarator':
      return isProcess(node.init) && node.id.type === 'ObjectPattern' && node.id.properties.some(isStream)
    case 'ImportDeclaration':
      if (/^(node:)?console$/.test(node.source.value)) return true
      return PROCESS.has(node.source.value) && node.specifiers.some((one: Node) => STREAMS.has(one.imported?.name))
    case 'CallExpression':
      return DESCRIPTORS.has(calledName(node)) && ['1', '2'].includes(String(node.arguments[0]?.value))
    case 'Literal':
      return /^\/dev\/(stdout|stderr|tty)$/.test(String(node.value))
    default:
      return false
  }
}

/** Whether an identifier is only a name (of a property, in a type and so on) and no use of the global. */
function isName(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed
  return parent?.key === node && !parent.shorthand && !parent.computed
}

function isStream({ key }: Node): boolean {
  return STREAMS.has(key?.name ?? key?.value)
}

function isProcess(node: Node | null | undefined): boolean {
  if (node?.type === 'MemberExpression') return memberName(node) === 'process'
  return node?.type === 'Identifier' && node.name === 'process'
}

function memberName({ property }: Node): string {
  return property.name ?? property.value ?? ''
}

function calledName({ callee }: Node): string {
  return callee.type === 'MemberExpression' ? memberName(callee) : (callee.name ?? '')
}

/** The beginning of each string that reads or writes a table. */
export function sqlOf(source: string): string[] {
  return textsOf(source)
    .filter(({ text, holes }) => touchesTable(tokenizeSql(text, holes)))
    .map(({ text }) => text.trim().slice(0, 60))
}

/** The tables that a source inserts into, updates, deletes from, merges into or truncates, each once, sorted. */
export function tablesWrittenBy(source: string): string[] {
  return [...new Set(textsOf(source).flatMap(({ text, holes }) => tablesWritten(tokenizeSql(text, holes))))].sort()
}
