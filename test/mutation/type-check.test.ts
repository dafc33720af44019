/** What the compiler says about faults in a project of two files. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '../support/temp.ts'
import { startTypeCheck, type TypeCheck } from './type-check.ts'

const PROJECT = path.join(import.meta.dirname, '../..')
const SOURCE = `export function half(n: number) {\n  if (n % 2 === 1) throw new Error('odd')\n  return n / 2\n}\n`
const IMPORTER = `import { half } from './half.ts'\nexport const two: number = half(4)\n`

let check: TypeCheck
before(async () => {
  const root = temporaryFolder('types')
  mkdirSync(path.join(root, 'src'))
  for (const file of ['tsconfig.json', 'package.json']) copyFileSync(path.join(PROJECT, file), path.join(root, file))
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'))
  writeFileSync(path.join(root, 'src/half.ts'), SOURCE)
  writeFileSync(path.join(root, 'src/importer.ts'), IMPORTER)
  check = await startTypeCheck(root)
})
after(() => check.stop())

const accepts = (from: string, to: string) => check.accepts('src/half.ts', SOURCE.replace(from, to))

test('a fault that compiles is accepted, also when it leaves a name unused', async () => {
  assert.equal(await accepts('n / 2', 'n * 2'), true)
  assert.equal(await accepts('n / 2', '7'), true)
  assert.equal(await accepts('if (n % 2 === 1)', 'const unused = 1; if (n > 1)'), true)
})

test('a fault is refused for an error in its file, and for one in a file that imports it', async () => {
  assert.equal(await accepts('return n / 2', 'return n.length'), false)
  assert.equal(await accepts('return n / 2', `return 'half'`), false)
  assert.equal(await accepts('', ''), true)
})
