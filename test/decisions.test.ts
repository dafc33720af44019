/** docs/DECISIONS.md can be cited: each decision has one number, and they come in order. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const DOCS = path.join(import.meta.dirname, '../docs')
const text = readFileSync(path.join(DOCS, 'DECISIONS.md'), 'utf8')

test('decisions are numbered from 1 on, in the order of the page', () => {
  const numbers = [...text.matchAll(/^(\d+)\. \*\*/gm)].map(([, number]) => Number(number))
  assert.ok(numbers.length > 60)
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index + 1),
  )
})

test('a decision that cites a measurement names the results in which it stands', () => {
  const measured =
    /\bmeasured\b|\d (ms|bytes of (log|WAL))\b.*(→|less|instead)|→ [\d.,]+ (ms|bytes)|[\d,]{4,} (commits )?a second/i
  const items = text.split(/^(?=\d+\. \*\*)/m).map((item) => item.replaceAll(/\s+/g, ' '))
  const citing = items.filter((item) => measured.test(item))
  assert.ok(citing.length >= 6)
  for (const item of citing) {
    const results = [...item.matchAll(/\]\((\.\.\/bench\/results\/[a-z]+\.md)\)/g)].map(([, file]) => file ?? '')
    assert.ok(results.length > 0, item.slice(0, 100))
    for (const file of results) assert.ok(existsSync(path.join(DOCS, file)), file)
  }
})

test('each package stands there with what it is for, and none that is gone', () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    readFileSync(path.join(DOCS, '../package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>
  const section = text.split('## Dependencies')[1]?.split('\n## ')[0] ?? ''
  const said = new Set(
    [...section.matchAll(/^\| (?!package \||ours \||`)([^|]+) \|/gm)].flatMap(
      ([, names = '']) => names.match(/@?[a-z][\w./-]*/g) ?? [],
    ),
  )
  const needed = new Set(Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !isTypes(name)))
  assert.deepEqual(
    [...needed].filter((name) => !said.has(name)),
    [],
  )
  const gone = (name: string) => !needed.has(name) && optionalDependencies?.[name] === undefined
  assert.deepEqual([...said].filter(gone), [])
})

/** Types alone, which need no reason beside that of what they describe. */
function isTypes(name: string): boolean {
  return name.startsWith('@types/')
}
