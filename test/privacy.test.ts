/** Every table says what personal data it holds, for how long, and who drops it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const read = (name: string) => readFileSync(path.join(import.meta.dirname, '..', name), 'utf8')

test('every table of the schema has its line in docs/PRIVACY.md, and nothing else has', () => {
  const [, tables = ''] = /^-- Tables\n([\s\S]*?)\n\n-- /m.exec(read('migrations/schema.sql')) ?? []
  const names = tables
    .split('\n')
    .filter((line) => line !== '' && !line.includes(' partition of '))
    .map((line) => line.split(' ')[0] ?? '')
  assert.ok(names.length > 50 && names.includes('bank_details'))
  const lines = [...read('docs/PRIVACY.md').matchAll(/^\| (`.*?`) \| (.+) \| (.+) \| (.+) \|$/gm)]
  const described = lines.flatMap(([, first = '']) => [...first.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name))
  assert.deepEqual(described.toSorted(), names.toSorted())
})
