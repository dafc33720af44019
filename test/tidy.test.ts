/** What a reader can rely on in every file. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { typeScriptFiles } from './support/imports.ts'

const SRC = path.join(import.meta.dirname, '../src')
const MAX_LINES = 220
const MAX_TEST_LINES = 450

const GENERATED = /^chain\/generated\//
/** Programs that talk to a terminal. */
const MAY_PRINT = /^(operator\/cli(\/|\.ts$)|sandbox\/|main\.ts$)/
/** SQL lives where the tables belong; tests may look into them. */
const MAY_HOLD_SQL = /(^db\/|(^|\/)([a-z-]+\.sql|store|facts|[a-z-]+-store)\.ts$|\.test\.ts$)/
/** The beginning of a statement over a table inside of a string or a template; `select now()` is none. */
const SQL =
  /[`'"]\s*(select\b[^`'"]*\sfrom\s|insert into |update [a-z_]+ set |delete from |with [a-z_]+( \([^)]*\))? as )/

const files = typeScriptFiles(SRC).map((file) => ({
  name: path.relative(SRC, file),
  text: readFileSync(file, 'utf8'),
}))

function offenders(pattern: RegExp, exempt: RegExp): string[] {
  return files.filter(({ name, text }) => !exempt.test(name) && pattern.test(text)).map(({ name }) => name)
}

test('files are short', () => {
  const long = files
    .filter(({ name }) => !GENERATED.test(name))
    .map(({ name, text }) => ({ name, lines: text.trimEnd().split('\n').length }))
    .filter(({ name, lines }) => lines > (name.endsWith('.test.ts') ? MAX_TEST_LINES : MAX_LINES))
    .map(({ name, lines }) => `${name} has ${lines} lines`)
  assert.deepEqual(long, [])
})

test('only programs for a terminal print', () => {
  assert.deepEqual(offenders(/\bconsole\.\w+\(/, new RegExp(`${MAY_PRINT.source}|\\.test\\.ts$`)), [])
})

test('SQL stands only in the stores', () => {
  assert.deepEqual(offenders(SQL, MAY_HOLD_SQL), [])
})

test('nothing is left for later', () => {
  assert.deepEqual(offenders(/\b(TODO|FIXME|XXX|HACK)\b/, GENERATED), [])
})
