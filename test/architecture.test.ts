/** docs/ARCHITECTURE.md names every room and every file that lies beside them, and none that is gone. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')
const document = readFileSync(path.join(ROOT, 'docs/ARCHITECTURE.md'), 'utf8')
const [, map = ''] = /^src\/\n([\s\S]*?)^\S/m.exec(document) ?? []
/** What stands before the explanation: `config.ts, config/`. */
const named = map.split('\n').flatMap((line) => /^ {2}(\S.*?)(?: {2,}|$)/.exec(line)?.[1]?.split(', ') ?? [])

test('every room and every file at the top of src stands on the map', () => {
  const there = readdirSync(path.join(ROOT, 'src'), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith('.test.ts'))
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  assert.ok(there.length > 30)
  const covered = new Set([...named, ...named.map((name) => `${name.split('/')[0]}/`)])
  assert.deepEqual(
    there.filter((name) => !covered.has(name)),
    [],
  )
})

test('the map shows nothing that is not there', () => {
  assert.deepEqual(
    named.filter((name) => !existsSync(path.join(ROOT, 'src', name))),
    [],
  )
})

test('what it says to open is there', () => {
  const steps = [...document.matchAll(/\]\(\.\.\/(src\/\S+?)\) `(\w+)`/g)]
  assert.ok(steps.length > 5)
  const gone = steps.filter(([, file = '', name]) => {
    const code = readFileSync(path.join(ROOT, file), 'utf8')
    return !new RegExp(`^(export )?(async )?(function|const) ${name}\\b`, 'm').test(code)
  })
  assert.deepEqual(gone, [])
})
