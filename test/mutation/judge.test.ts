// engine: pglite; only in test:long
/** The verdicts, on a small project with planted faults: one that its test notices, one that it does not. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '../support/temp.ts'
import { type MeasuredTest, measureTests } from './baseline.ts'
import { judge } from './judge.ts'
import { nameMutants } from './mutant.ts'
import type { RoomTest } from './tests.ts'
import { typeScriptEdits } from './typescript.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const PROJECT = path.join(import.meta.dirname, '../..')
const SOURCE = `export function larger(a: number, b: number): number {
  if (a < 0) throw new Error('negative')
  return a >= b ? a : b
}

export async function turn(times: number): Promise<number> {
  let count = 0
  while (count !== times) count += 1
  return count
}

export function unused(a: number): boolean {
  return a > 0
}

export function shaky(): number {
  return 4
}

export function pause(): void {
  const timer = setTimeout(() => {}, 60_000)
  clearTimeout(timer)
}
`
const TEST = `import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { larger, pause, shaky, turn } from './source.ts'
test('fails once', () => {
  const mark = tmpdir() + '/failed'
  const isFirst = !existsSync(mark)
  if (shaky() !== 4) writeFileSync(mark, '')
  assert.ok(shaky() === 4 || !isFirst)
})
test('pause', () => pause())
test('larger', () => assert.equal(larger(1, 2), 2))
test('turn', async () => assert.equal(await turn(3), 3))
`
const failing = `import { test } from 'node:test'\ntest('fails', () => { throw new Error('planted') })\n`
const FILE = 'src/source.ts'
/** What the tests of the little project are started with. */
const HELPERS = [
  'test/mutation/first-failure.ts',
  ...['ends-by-itself.ts', 'at-the-end.ts', 'costs.ts', 'processor-time.ts'].map((name) => `test/support/run/${name}`),
]
const TESTS: readonly RoomTest[] = [{ file: 'src/source.test.ts', engine: 'pglite' }]

let ws: Workspace
let measured: MeasuredTest[]

before(async () => {
  process.env.TEST_END_GRACE_MS = '1000'
  const root = temporaryFolder('planted')
  for (const folder of ['src', 'test/mutation', 'test/support/run'])
    mkdirSync(path.join(root, folder), { recursive: true })
  for (const file of ['tsconfig.json', 'package.json', ...HELPERS])
    copyFileSync(path.join(PROJECT, file), path.join(root, file))
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'))
  writeFileSync(path.join(root, FILE), SOURCE)
  writeFileSync(path.join(root, 'src/source.test.ts'), TEST)
  writeFileSync(path.join(root, 'src/failing.test.ts'), failing)
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  ws = createWorkspace(root)
  measured = await measureTests(ws, TESTS, undefined, () => {})
})
after(() => ws.remove())

async function verdictOn(line: number, replacement: string) {
  const mutants = nameMutants('planted', FILE, SOURCE, typeScriptEdits(SOURCE))
  const mutant = mutants.find((candidate) => candidate.line === line && candidate.replacement === replacement)
  assert.ok(mutant, `no ${replacement} on line ${line}`)
  return await judge(ws, mutant, measured, undefined)
}

test('a fault that a test notices is killed by it', async () => {
  assert.deepEqual(await verdictOn(3, '<'), { kind: 'killed', by: 'src/source.test.ts' })
})

test('a fault at a boundary that no test tries survives', async () => {
  assert.deepEqual(await verdictOn(3, '>'), { kind: 'survived', reached: true })
})

test('a fault in code that no test runs survives, and is reported as out of reach', async () => {
  assert.deepEqual(await verdictOn(13, '>='), { kind: 'survived', reached: false })
})

test('a fault is noticed only by a test that fails twice: on a busy machine one fails for its timing', async () => {
  assert.deepEqual(await verdictOn(17, '5'), { kind: 'survived', reached: true })
})

test('a fault that keeps the process open is noticed, as in npm test', async () => {
  assert.deepEqual(await verdictOn(22, ';'), { kind: 'killed', by: 'src/source.test.ts' })
})

test('a fault that the compiler refuses is not counted', async () => {
  const mutant = { ...nameMutants('planted', FILE, SOURCE, typeScriptEdits(SOURCE))[0], replacement: "'x'" }
  assert.ok(mutant.start !== undefined)
  const start = SOURCE.indexOf('0)')
  assert.deepEqual(await judge(ws, { ...mutant, start, end: start + 1 } as never, measured, undefined), {
    kind: 'invalid',
  })
})

test('the source is as it was afterwards', () => {
  assert.equal(readFileSync(path.join(ws.root, FILE), 'utf8'), SOURCE)
})

test('a test that fails without a fault stops the run, with its words', async () => {
  const tests: RoomTest[] = [{ file: 'src/failing.test.ts', engine: 'pglite' }]
  await assert.rejects(
    measureTests(ws, tests, undefined, () => {}),
    /fails without a fault[\s\S]*fails/,
  )
})
