/** Each runbook (docs/RUNBOOKS.md, and those in docs/OPERATIONS.md) is tried by a test that names it, and no test names one that is not there. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const ROOT = path.join(import.meta.dirname, '../../..')
const NAMES_ONE = /\brunbook: (?<named>.{4,90})/gi

/** The headings of the runbooks, and the sections of docs/OPERATIONS.md that are runbooks themselves. */
function runbooks(): string[] {
  const document = readFileSync(path.join(ROOT, 'docs/RUNBOOKS.md'), 'utf8')
  return [...document.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title).concat('Backup and restore')
}

/** What stands in tests after the word, up to the end of the line. */
function namedByTests(): string[] {
  const files = ['test', 'src', 'contracts/tools'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => path.join(ROOT, folder, name)),
  )
  return files
    .filter((file) => file !== import.meta.filename)
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(NAMES_ONE)].map(({ groups }) => groups?.named ?? ''))
}

test('every runbook is tried by a test that names it, and no test names another', () => {
  const titles = runbooks()
  const named = namedByTests()
  assert.ok(titles.length > 25)
  assert.deepEqual(
    titles.filter((title) => !named.some((text) => text.startsWith(title))),
    [],
    'nothing tries these',
  )
  assert.deepEqual(
    named.filter((text) => !titles.some((title) => text.startsWith(title))),
    [],
    'there are no such runbooks',
  )
})

test('the list at the top has every runbook of the page', () => {
  const document = readFileSync(path.join(ROOT, 'docs/RUNBOOKS.md'), 'utf8')
  const [list = '', ...sections] = document.split(/^## /m)
  const listed = [...list.matchAll(/\[([^\]]+)\]\(#/g)].map(([, title]) => title)
  assert.deepEqual(listed.sort(), sections.map((section) => section.split('\n', 1)[0]).sort())
})
