/** No way to load a module escapes the rules about who may import what. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importsOf, UNKNOWN_MODULE } from './imports.ts'

test('every way to name a module is seen', () => {
  const planted = [
    "import x from 'm'",
    "import 'm'",
    "import { type X } from 'm'",
    "import type { X } from 'm'",
    "import\n  * as x\n  from 'm'",
    "import x, { y } from 'm' with { type: 'json' }",
    "export { x } from 'm'",
    "export type { X } from 'm'",
    "export * from 'm'",
    "export * as x from 'm'",
    "const x = await import('m')",
    'const x = await import(`m`)',
    "const x = import(/* why */ 'm')",
    "type X = import('m').X",
    "type X = typeof import('m')",
    "import x = require('m')",
    "const x = require('m')",
    "require.resolve('m')",
    "module.require('m')",
    "import.meta.resolve('m')",
    "process.getBuiltinModule('m')",
  ]
  for (const source of planted) assert.deepEqual(importsOf(source), ['m'], source)
})

test('a module whose name is not in the text is reported', () => {
  const planted = [
    'await import(name)',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the source under test
    'await import(`../${name}.ts`)',
    "await import('../' + name)",
    'require(name)',
    'import.meta.resolve(name)',
    'const load = require',
    'createRequire(import.meta.url)',
    "createRequire(import.meta.url)('m')",
    'const load = module.createRequire(here)',
    'process.getBuiltinModule(name)',
  ]
  for (const source of planted) assert.ok(importsOf(source).includes(UNKNOWN_MODULE), source)
  assert.deepEqual(importsOf("import { createRequire as make } from 'node:module'"), ['node:module', UNKNOWN_MODULE])
})

test('words in strings, comments and other names do not count', () => {
  const planted = [
    "// import x from 'm'",
    "const a = `import x from 'm'`",
    'path.resolve(a)',
    "Promise.resolve('m')",
    'export const a = 1',
  ]
  for (const source of planted) assert.deepEqual(importsOf(source), [], source)
})
