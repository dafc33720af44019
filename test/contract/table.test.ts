/**
 * docs/CONTRACT.md says which test shows each row of the contract: every test it names exists, and nothing is left out.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ERRORS } from '../../src/errors.ts'
import { EVENT_TYPES } from '../../src/events/event.ts'
import { ROUTES } from '../../src/http/routes/index.ts'
import { SCOPES } from '../../src/integrations/api-key.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const table = readFileSync(path.join(ROOT, 'docs/CONTRACT.md'), 'utf8')
const named = [...table.matchAll(/`([\w/.-]+\.test\.ts): ([^`]+)`/g)].map(([, file = '', name = '']) => ({
  file,
  name,
}))

const TITLE =
  /\b(?:test|testConnections|it|describe)\(\s*(?:(['"])((?:\\.|(?!\1).)*)\1|`((?:\\.|[^`])*)`|([\w.]+)\s*,)/gs

/** Whether the file has a test or group of that name; a computed name matches whatever it can become. */
function hasTest(file: string, name: string): boolean {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  return [...text.matchAll(TITLE)].some(([, , plain, template, variable]) => {
    if (plain !== undefined) return plain.replaceAll('\\', '') === name
    if (template !== undefined) return saysSomething(template) && patternOf(template).test(name)
    return variable !== undefined && new RegExp(`['"\\s]${escaped(name)}['":,]`).test(text)
  })
}

/** Whether a title has words of its own: one of variables alone could become anything. */
function saysSomething(template: string): boolean {
  return /[a-z]{4}/i.test(template.replace(/\$\{[^}]*\}/g, ''))
}

function patternOf(template: string): RegExp {
  return new RegExp(
    `^${template
      .split(/\$\{[^}]*\}/)
      .map(escaped)
      .join('.+')}$`,
    's',
  )
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

test('every test that the table names exists', () => {
  assert.ok(named.length > 150)
  const missing = named.filter(({ file, name }) => !existsSync(path.join(ROOT, file)) || !hasTest(file, name))
  assert.deepEqual(missing, [])
})

test('every row names a test', () => {
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && line !== '| row | shown by |')
  assert.deepEqual(
    rows.filter((row) => !/\.test\.ts: /.test(row)),
    [],
  )
})

test('no error code, scope, event or operation is left out', () => {
  const rows = table.split('\n').map((line) => line.split(' | ')[0] ?? '')
  const mentions = (text: string) => rows.some((row) => row.includes(text))
  const wanted = [...Object.keys(ERRORS), ...SCOPES, ...EVENT_TYPES].map((name) => `\`${name}\``)
  assert.deepEqual(
    wanted.filter((name) => !mentions(name)),
    [],
  )
  assert.deepEqual(
    ROUTES.map(operationOf).filter((operation) => !new RegExp(`${operation}(?![\\w/])`).test(table)),
    [],
  )
})

/** An operation as rows and tests name it, as a pattern: `GET /v1/health`, `POST /mints cancel`. */
function operationOf({ method, path }: (typeof ROUTES)[number]): string {
  const [resource = '', action = ''] = path.split(/\/\{\w+\}/)
  return `${method} (?:/v1)?${escaped(resource)}${action.replace('/', ' ')}`
}

test('what is computed is not taken for what it cannot become', () => {
  assert.equal(hasTest('test/contract/table.test.ts', 'a test that nobody wrote'), false)
  assert.equal(hasTest('test/api/errors.test.ts', 'NO_SUCH_CODE'), false)
  assert.equal(hasTest('test/api/envelope.test.ts', 'two words'), false)
  assert.equal(hasTest('test/api/errors.test.ts', 'RATE_LIMITED'), true)
})
