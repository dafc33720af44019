import assert from 'node:assert/strict'
import path from 'node:path/posix'
import { test } from 'node:test'
import { baseOf, readAssets } from './assets.ts'

test('a file that says something else has another address, and so has everything beside it', () => {
  const base = (htm: string) =>
    baseOf(new Map(['htm.js', 'main.ts'].map((name) => [name, { type: 'x', body: name === 'htm.js' ? htm : 'main' }])))
  assert.match(base('one'), /^\/console\/assets\/[0-9a-f]{16}\/$/)
  assert.equal(base('one'), base('one'))
  assert.notEqual(base('one'), base('other'))
})

test('every module imports files of the console alone, libraries too', () => {
  const { files } = readAssets()
  const imported = [...files].flatMap(([name, { type, body }]) =>
    type.startsWith('text/javascript')
      ? [...body.matchAll(/\bfrom\s*["']([\w@./-]+)["']/g)].map(([, to = '']) => path.join(path.dirname(name), to))
      : [],
  )
  assert.deepEqual(
    [...new Set(imported)].filter((name) => !files.has(name)),
    [],
  )
  for (const library of ['preact.js', 'preact-hooks.js', 'htm.js']) assert.ok(imported.includes(library), library)
})
