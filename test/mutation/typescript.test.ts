import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyEdit, describeChange, nameMutants } from './mutant.ts'
import { typeScriptEdits } from './typescript.ts'

/** What the operators make from a piece of code. */
function faultsOf(source: string, operator?: string): string[] {
  return typeScriptEdits(source)
    .filter((edit) => operator === undefined || edit.operator === operator)
    .map((edit) => applyEdit(source, edit))
}

test('a guard is left out; a condition is turned round where nothing else does it', () => {
  assert.deepEqual(faultsOf('function f() { if (ok()) return }').sort(), [
    'function f() { ; }',
    'function f() { if (!(ok())) return }',
  ])
  assert.deepEqual(faultsOf('if (a === b) x(); else y()', 'ts-comparison'), ['if (a !== b) x(); else y()'])
  assert.deepEqual(faultsOf('if (!a) x(); else y()', 'ts-unary'), ['if (a) x(); else y()'])
})

test('comparisons at their boundary, operands, arithmetic', () => {
  assert.deepEqual(faultsOf('const a = b < c'), ['const a = b <= c', 'const a = b >= c'])
  assert.deepEqual(faultsOf('const a = b && c()'), ['const a = b', 'const a = c()'])
  assert.deepEqual(faultsOf('const a = b ?? null'), [])
  assert.deepEqual(faultsOf('const a = b - c'), ['const a = b + c'])
  assert.deepEqual(faultsOf("const a = 'x' + c"), [])
  assert.deepEqual(faultsOf('const a = c ? 5n : d', 'ts-swap-branches'), ['const a = c ? d : 5n'])
})

test('statements that do something are left out', () => {
  assert.deepEqual(faultsOf('await release(tx)\nlogger.info(`a < b`, 1)\nvoid work()\na = b', 'ts-drop-statement'), [
    ';\nlogger.info(`a < b`, 1)\nvoid work()\na = b',
    'await release(tx)\nlogger.info(`a < b`, 1)\n;\na = b',
    'await release(tx)\nlogger.info(`a < b`, 1)\nvoid work()\n;',
  ])
})

test('constants, but not those of tuning, and nothing in texts for people', () => {
  assert.deepEqual(faultsOf('const a = f(1, 10_000n, true)'), [
    'const a = f(2, 10_000n, true)',
    'const a = f(1, 10001n, true)',
    'const a = f(1, 10_000n, false)',
  ])
  assert.deepEqual(faultsOf('const POLL_MS = 5 * 10\ntype A = 1\nconst x = rows[0]\nconst y = 86_400'), [
    'const POLL_MS = 5 / 10\ntype A = 1\nconst x = rows[0]\nconst y = 86_400',
  ])
  assert.deepEqual(faultsOf('const e = new Error(a ? `b` : String(1))\nlog.warn({ a: 1 > 2 })', 'ts-comparison'), [])
})

test('methods and options', () => {
  assert.deepEqual(faultsOf('const a = b.filter(c)'), ['const a = b'])
  assert.deepEqual(faultsOf("const a = sen.padStart(d, '0')"), ['const a = sen'])
  assert.deepEqual(faultsOf('const a = b.every(c)'), ['const a = b.some(c)'])
  assert.deepEqual(faultsOf("const a = fetch(u, { redirect: 'error', signal })"), [
    'const a = fetch(u, { signal })',
    "const a = fetch(u, { redirect: 'error',  })",
  ])
})

test('a function that answers yes or no answers the opposite', () => {
  assert.deepEqual(faultsOf('async function f(): Promise<boolean> { return await g() }'), [
    'async function f(): Promise<boolean> { return !(await g()) }',
  ])
  assert.deepEqual(faultsOf('function f(): string { return g() }'), [])
})

test('methods that every object has are nobody’s counterpart', () => {
  assert.deepEqual(
    faultsOf('a.toString()\nb.hasOwnProperty(c)').filter((fault) => /native code|undefined/.test(fault)),
    [],
  )
})

test('SQL in it is changed too', () => {
  assert.deepEqual(faultsOf('const a = `delete from t where b`'), ['const a = `delete from t where true`'])
})

test('a mutant keeps its name when other lines change, and equal ones are told apart', () => {
  const source = 'if (a < 1) f()\nif (a < 1) f()\n'
  const mutants = nameMutants('room', 'file.ts', source, typeScriptEdits(source))
  assert.equal(new Set(mutants.map(({ id }) => id)).size, mutants.length)
  const moved = nameMutants('room', 'file.ts', `\n// more\n${source}`, typeScriptEdits(`\n// more\n${source}`))
  assert.deepEqual(
    moved.map(({ id }) => id),
    mutants.map(({ id }) => id),
  )
  const boundary = mutants.find(({ replacement }) => replacement === '<=')
  assert.ok(boundary)
  assert.equal(describeChange(source, boundary), '- if (a < 1) f()\n+ if (a <= 1) f()')
})
