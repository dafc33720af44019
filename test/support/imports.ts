/** What sources load, and which files there are. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Node, parseTypeScript, walk } from './typescript-source.ts'

/** A module loaded under a name that is not in the text. */
export const UNKNOWN_MODULE = '(not in the text)'

/**
 * The module specifiers that a source loads, in whatever way: `import`, `export … from`, types, `import('x')`,
 * `require('x')`, `import x = require('x')`, `import.meta.resolve('x')`. `createRequire`, and a specifier that is not a
 * plain string, count as UNKNOWN_MODULE.
 */
export function importsOf(source: string): string[] {
  const found: string[] = []
  walk(parseTypeScript(source), (node) => {
    found.push(...specifiersAt(node))
    return undefined
  })
  return found
}

function specifiersAt(node: Node): string[] {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return node.source == null ? [] : [textOf(node.source)]
    case 'TSExternalModuleReference':
      return [textOf(node.expression)]
    case 'CallExpression':
      return isLoader(node.callee) ? [textOf(node.arguments[0])] : []
    // Code that holds a loader under another name may load anything.
    case 'ImportSpecifier':
      return /^(createRequire|register|registerHooks)$/.test(node.imported.name ?? '') ? [UNKNOWN_MODULE] : []
    case 'VariableDeclarator':
      return node.init !== null && isLoader(node.init) ? [UNKNOWN_MODULE] : []
    default:
      return []
  }
}

/** `require`, `require.resolve`, `module.require`, `module.createRequire`, `import.meta.resolve`, `process.getBuiltinModule`. */
function isLoader(callee: Node): boolean {
  if (callee.type === 'Identifier') return callee.name === 'require' || callee.name === 'createRequire'
  if (callee.type !== 'MemberExpression') return false
  const name = callee.property.name ?? callee.property.value ?? ''
  if (/^(require|createRequire|getBuiltinModule)$/.test(name)) return true
  const { object } = callee
  if (name !== 'resolve') return false
  return object.type === 'MetaProperty' || (object.type === 'Identifier' && object.name === 'require')
}

/** The text of a string, or of a template without a hole. */
function textOf(node: Node | undefined): string {
  if (node?.type === 'TSLiteralType') return textOf(node.literal)
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0].value.cooked
  return UNKNOWN_MODULE
}

/** Every file below `folder` whose name ends in `.ts`, in a stable order; an absent folder has none. */
export function typeScriptFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name))
    .sort()
}

const knownImports = new Map<string, string[]>()

function importsOfFile(file: string): string[] {
  const imports = knownImports.get(file) ?? importsOf(readFileSync(file, 'utf8'))
  knownImports.set(file, imports)
  return imports
}

/** True when `file` imports `target`, directly or through other relative imports. Both are absolute paths. */
export function reaches(file: string, target: string, seen: Set<string> = new Set()): boolean {
  if (file === target) return true
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  return importsOfFile(file)
    .filter((specifier) => specifier.startsWith('.'))
    .some((specifier) => reaches(path.resolve(path.dirname(file), specifier), target, seen))
}
