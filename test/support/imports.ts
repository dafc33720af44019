import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Matches `import … from 'x'`, `export … from 'x'`, `import 'x'` and `import('x')`. */
const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]|\bimport\s*\(?\s*['"]([^'"]+)['"]/g

/** The module specifiers that a source text imports, type imports included. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '')
}

/** Every file below `folder` whose name ends in `.ts`, in a stable order; an absent folder has none. */
export function typeScriptFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name))
    .sort()
}

/** True when `file` imports `target`, directly or through other relative imports. Both are absolute paths. */
export function reaches(file: string, target: string, seen: Set<string> = new Set()): boolean {
  if (file === target) return true
  if (seen.has(file) || !existsSync(file)) return false
  seen.add(file)
  return importsOf(readFileSync(file, 'utf8'))
    .filter((specifier) => specifier.startsWith('.'))
    .some((specifier) => reaches(path.resolve(path.dirname(file), specifier), target, seen))
}
