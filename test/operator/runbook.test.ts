/** The runbooks: one for every kind of difference, and each says when it is over. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const read = (file: string) => readFileSync(path.join(import.meta.dirname, '../..', file), 'utf8')

test('every kind of difference has its runbook', () => {
  const files = [
    'src/operator/reconcile/difference.ts',
    'src/operator/reconcile/findings.sql.ts',
    'src/statements/compare.ts',
  ]
  const kinds = files.flatMap((file) => {
    const [, union = ''] = /\n {2}kind:([\s\S]*?)\n {2}(?:\/\*\*|subject)/.exec(read(file)) ?? []
    assert.notEqual(union, '', file)
    return [...union.matchAll(/(?<!\[)'([a-z_]+)'/g)].map(([, kind = '']) => kind)
  })
  assert.ok(kinds.length > 18)
  const section =
    read('docs/BOOKS.md')
      .split('\n## ')
      .find((each) => each.startsWith('When reconcile finds')) ?? ''
  const told = section
    .split('\n')
    .flatMap((line) => [...(/^\| (`[^|]*)\|/.exec(line)?.[1] ?? '').matchAll(/`([a-z_]+)`/g)])
  assert.deepEqual(new Set(told.map(([, kind]) => kind)), new Set(kinds))
})

test('every runbook says when it is over', () => {
  const [, ...runbooks] = read('docs/RUNBOOKS.md').split('\n## ')
  assert.ok(runbooks.length > 30)
  const endless = runbooks.filter((each) => !/\b(?:It is (?:over|done) when|last column)\b/.test(each))
  assert.deepEqual(
    endless.map((each) => each.split('\n', 1)[0]),
    [],
  )
})
