/** docs/CHANGING.md sends nobody to a missing file. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')
const document = readFileSync(path.join(ROOT, 'docs/CHANGING.md'), 'utf8')
/** A migration that somebody will write, as an example of its name. */
const NOT_YET = ['migrations/000002.sql']

test('every path that the guide names exists', () => {
  const paths = [...document.matchAll(/`((?:src|test|docs|sdk|migrations|contracts)\/[\w./-]*)`/g)].map(
    ([, named]) => named ?? '',
  )
  assert.ok(paths.length > 40)
  assert.deepEqual(
    paths.filter((named) => !NOT_YET.includes(named) && !existsSync(path.join(ROOT, named))),
    [],
  )
})
