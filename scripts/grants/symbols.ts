/**
 * Which declarations of src a declaration reaches, through every name that it mentions: what it could ever run, and never less.
 * Functions that are handed over as values are mentioned where they are handed over.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { typeScriptFiles } from '../../test/support/imports.ts'
import { type Node, parseTypeScript, type Text, textsOf, walk } from '../../test/support/typescript-source.ts'

export const SRC = path.join(import.meta.dirname, '../../src')

/** A declaration at the top of a file, as `file#name` with the file's path below src. */
export type Declared = `${string}#${string}`
/** What a module does by being loaded. */
const LOADING = '(loading)'

type Declaration = { names: Set<string>; texts: Text[] }
type Module = {
  declarations: Map<string, Declaration>
  imports: Map<string, Declared>
  /** What `import * as` names → its file. */
  namespaces: Map<string, string>
}

export type Graph = {
  /** Everything that `roots` reach; what is in `cuts`, by symbol or by folder, is neither reached nor followed. */
  reach(roots: readonly Declared[], cuts?: readonly string[]): Declared[]
  /** What a declaration mentions itself. */
  mentionedBy(symbol: Declared): Declared[]
  textsOf(symbol: Declared): readonly Text[]
}

/** Reads all of src but its tests. */
export function readGraph(): Graph {
  const modules = new Map<string, Module>()
  for (const file of typeScriptFiles(SRC)) {
    const name = path.relative(SRC, file).split(path.sep).join('/')
    if (!name.endsWith('.test.ts')) modules.set(name, readModule(name, readFileSync(file, 'utf8')))
  }
  const targetsOf = (symbol: Declared): Declared[] => {
    const [file, name] = split(symbol)
    const module = modules.get(file)
    const declaration = module?.declarations.get(name)
    const imported = module?.imports.get(name)
    if (imported !== undefined) return [imported]
    if (module === undefined || declaration === undefined) throw new Error(`${symbol} is not declared`)
    return [LOADING, ...declaration.names].flatMap((mentioned): Declared[] => {
      const [space = '', member] = mentioned.split('.')
      const whole = module.namespaces.get(space)
      if (whole !== undefined) return member === undefined ? [] : [`${whole}#${member}`]
      const isLocal = module.declarations.has(mentioned) || module.imports.has(mentioned)
      return isLocal ? [`${file}#${mentioned}`] : []
    })
  }
  return {
    reach(roots, cuts = []) {
      const isCut = (symbol: Declared) =>
        cuts.some((cut) => (cut.endsWith('/') ? symbol.startsWith(cut) : symbol === cut))
      const seen = new Set<Declared>()
      const waiting = [...roots]
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        if (seen.has(next) || isCut(next)) continue
        seen.add(next)
        waiting.push(...targetsOf(next))
      }
      return [...seen].sort()
    },
    mentionedBy: targetsOf,
    textsOf(symbol) {
      const [file, name] = split(symbol)
      return modules.get(file)?.declarations.get(name)?.texts ?? []
    },
  }
}

function split(symbol: Declared): [string, string] {
  const at = symbol.indexOf('#')
  return [symbol.slice(0, at), symbol.slice(at + 1)]
}

function readModule(file: string, source: string): Module {
  const module: Module = { declarations: new Map(), imports: new Map(), namespaces: new Map() }
  const add = (name: string, node: Node) => {
    const known = module.declarations.get(name) ?? { names: new Set(), texts: [] }
    for (const mentioned of namesIn(node)) if (mentioned !== name) known.names.add(mentioned)
    known.texts.push(...textsOf(source, node))
    module.declarations.set(name, known)
  }
  for (const statement of parseTypeScript(source).body as Node[]) {
    const from = statement.source == null ? undefined : String(statement.source.value)
    if (from !== undefined) {
      const [only] = (statement.specifiers ?? []) as Node[]
      if (only?.type === 'ImportNamespaceSpecifier' && from.startsWith('.')) {
        module.namespaces.set(only.local.name, path.posix.join(path.posix.dirname(file), from))
        continue
      }
      for (const [local, symbol] of namesFrom(statement, file, from)) module.imports.set(local, symbol)
      continue
    }
    const node = (statement.declaration ?? statement) as Node
    for (const name of declaredBy(node)) add(name, node)
  }
  return module
}

/** The names that an import or a re-export makes known, and what they stand for. Types and packages are left out. */
function namesFrom(statement: Node, file: string, from: string): [string, Declared][] {
  if (!from.startsWith('.') || statement.importKind === 'type' || statement.exportKind === 'type') return []
  const target = path.posix.join(path.posix.dirname(file), from)
  if (statement.type === 'ExportAllDeclaration') {
    const { declarations, imports } = readModule(target, readFileSync(path.join(SRC, target), 'utf8'))
    return [...declarations.keys(), ...imports.keys()].map((name) => [name, `${target}#${name}`])
  }
  const specifiers = (statement.specifiers as Node[]).filter(
    (one) => one.importKind !== 'type' && one.exportKind !== 'type',
  )
  return specifiers.map((one) => {
    if (one.type === 'ImportSpecifier') return [one.local.name, `${target}#${one.imported.name}`]
    if (one.type === 'ExportSpecifier') return [one.exported.name, `${target}#${one.local.name}`]
    throw new Error(`${file} imports ${from} whole: import its names`)
  })
}

function declaredBy(node: Node): string[] {
  if (/^TS(TypeAlias|Interface)Declaration$/.test(node.type)) return []
  if (/^(Function|Class)Declaration$/.test(node.type)) return [node.id.name]
  if (node.type === 'VariableDeclaration') return (node.declarations as Node[]).flatMap(({ id }) => boundBy(id))
  if (node.type === 'ExportNamedDeclaration') return []
  return [LOADING]
}

function boundBy(pattern: Node): string[] {
  const names: string[] = []
  walk(pattern, (node, ancestors) => {
    if (node.type.startsWith('TS')) return false
    const parent = ancestors.at(-1)
    if (node.type === 'Identifier' && !(parent?.key === node && parent.value !== node)) names.push(node.name)
    return undefined
  })
  return names
}

/** Every name that is mentioned as a value. */
function namesIn(root: Node): string[] {
  const names: string[] = []
  walk(root, (node, ancestors) => {
    if (
      /^TS(Type|Interface|Function|Union|Array|Literal|Tuple|Indexed|Mapped|Conditional|Intersection)/.test(node.type)
    ) {
      return false
    }
    if (node.type !== 'Identifier') return undefined
    const parent = ancestors.at(-1)
    if (parent?.type !== 'MemberExpression' || parent.computed === true) names.push(node.name)
    else if (parent.object === node) names.push(node.name, `${node.name}.${parent.property.name}`)
    return undefined
  })
  return names
}
