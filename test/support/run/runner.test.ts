/** The runner fails on every kind of bad file. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../temp.ts'
import { HEAVY, selectSuites, unmatchedParts } from './select.ts'

const RUN = path.join(import.meta.dirname, '../../run.ts')
const STAGES = path.join(import.meta.dirname, 'stages.ts')
const HEAD = `import assert from 'node:assert/strict'\nimport { createServer } from 'node:http'\nimport { describe, test } from 'node:test'\n`

type Run = { tally: { passed: number; failed: number; skipped: { name: string; reason: string }[] }; output: string }

/** Runs the runner on one planted test file. */
function runPlanted(code: string, env: NodeJS.ProcessEnv = {}): Run {
  const root = temporaryFolder('runner')
  mkdirSync(path.join(root, 'test'))
  const file = path.join(root, 'test/planted.test.ts')
  writeFileSync(file, code === '' ? '' : HEAD + code)
  const program = `import { runSuites } from ${JSON.stringify(STAGES)}
    console.log('TALLY ' + JSON.stringify(await runSuites(${JSON.stringify(root)}, 'planted', [${JSON.stringify(file)}])))`
  writeFileSync(path.join(root, 'program.mjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'program.mjs')], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, TEST_END_GRACE_MS: '300', ...env },
  })
  const tally = /^TALLY (.*)$/m.exec(stdout)?.[1]
  assert.ok(tally !== undefined, stdout + stderr)
  return { tally: JSON.parse(tally) as Run['tally'], output: stdout }
}

function runWhole(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  })
  return { status, output: stdout + stderr }
}

test('a file that passes passes', () => {
  assert.deepEqual(runPlanted(`test('fine', () => {})`).tally, { passed: 1, failed: 0, skipped: [] })
})

test('a test that fails is counted and shown', () => {
  const { tally, output } = runPlanted(`test('bad', () => assert.equal(1, 2, 'planted'))\ntest('fine', () => {})`)
  assert.deepEqual([tally.passed, tally.failed], [1, 1])
  assert.match(output, /bad[\s\S]*planted/)
})

test('a test or suite that is skipped or marked todo has not passed, and its reason is shown', () => {
  const { tally } = runPlanted(`test('fine', () => {})
    test('one', { skip: 'no server' }, () => {})
    describe('two', { skip: 'no suite' }, () => { test('inside', () => {}) })
    test('three', { todo: 'later' }, () => {})
    test('four', (t) => t.skip())`)
  assert.equal(tally.passed, 1)
  assert.deepEqual(
    tally.skipped.map(({ name, reason }) => `${name}: ${reason}`),
    ['one: no server', 'two: no suite', 'three: later', 'four: no reason given'],
  )
})

test('a test marked todo fails like any other', () => {
  assert.equal(runPlanted(`test('bad', { todo: 'later' }, () => assert.fail('unheard'))`).tally.failed, 1)
})

test('a failure that nobody awaits in the last test of a file fails the file', () => {
  const code = `test('bad', () => { void new Promise((r) => setTimeout(r, 200)).then(() => assert.fail('planted')) })`
  const { tally, output } = runPlanted(code)
  assert.ok(tally.failed > 0)
  assert.match(output, /planted/)
})

test('a sub-test that nobody awaits is waited for', () => {
  const code = `test('bad', async (t) => {
    void t.test('inside', async () => { await new Promise((r) => setTimeout(r, 50)); assert.fail('planted') })
  })`
  assert.ok(runPlanted(code).tally.failed > 0)
})

test('a file without a test fails', () => {
  const { tally, output } = runPlanted('')
  assert.deepEqual([tally.passed, tally.failed], [0, 1])
  assert.match(output, /no test ran/)
})

test('a file that does not end fails, and says what keeps it open', () => {
  const { tally, output } = runPlanted(`createServer().listen(0, '127.0.0.1')\ntest('fine', () => {})`)
  assert.ok(tally.failed > 0)
  assert.match(output, /Still open 300 ms after the last test: server on .*127\.0\.0\.1/)
  assert.match(runPlanted(`setInterval(() => {}, 100)\ntest('fine', () => {})`).output, /Still open .*Timeout/)
})

test('a file that ends its process early fails', () => {
  assert.ok(runPlanted(`test('bad', () => process.exit(0))\ntest('never', () => {})`).tally.failed > 0)
})

test('every requested part has to match something', () => {
  const { status, output } = runWhole(['--only', 'typo,test/support/run/select.ts,types'])
  assert.equal(status, 2)
  assert.match(output, /Nothing matches "typo", "test\/support\/run\/select.ts"/)
})

test('what each file costs is named when asked for', () => {
  const { status, output } = runWhole(['test/errors.test.ts', '--costs'])
  assert.equal(status, 0, output)
  assert.match(
    output,
    /\d s of processor time, \d+ s of it in 1 runs of test files\n +\d+\.\d s {2}pglite test\/errors\.test\.ts/,
  )
})

test('a mark ties a suite to an engine; the long run asks both where the mark says so', () => {
  const root = temporaryFolder('marks')
  mkdirSync(path.join(root, 'test'))
  const planted = {
    a: '// engine: postgres\n',
    b: '// engine: postgres; both in test:long\n',
    c: '// engine: pglite\n',
    d: '',
    e: '// engine: pglite; only in test:long\n',
  }
  for (const [name, mark] of Object.entries(planted)) writeFileSync(path.join(root, `test/${name}.test.ts`), mark)
  const enginesOf = (long: boolean) => selectSuites(root, [], { long }).map(({ engines }) => engines.join())
  assert.deepEqual(enginesOf(false), ['postgres', 'postgres', 'pglite', 'pglite', ''])
  assert.deepEqual(enginesOf(true), ['postgres', 'pglite,postgres', 'pglite', 'pglite', 'pglite'])
  for (const part of ['test/e.test.ts', 'test/e', 'test', 'test/']) assert.deepEqual(unmatchedParts(root, [part]), [])
  assert.deepEqual(unmatchedParts(root, ['e', 'test/e.ts', 'test/none']), ['e', 'test/e.ts', 'test/none'])
  const named = selectSuites(root, ['test/e.test.ts'])
  assert.deepEqual(
    named.map(({ engines }) => engines.join()),
    ['pglite'],
  )
  const left = selectSuites(root, [], { left: true }).filter(({ engines }) => engines.length > 0)
  assert.deepEqual(
    left.map(({ file, engines }) => [path.basename(file), engines.join()]),
    [
      ['b.test.ts', 'pglite'],
      ['e.test.ts', 'pglite'],
    ],
  )
})

test('every suite is run by npm test or by npm run test:long, on each engine of its mark', () => {
  const root = path.join(import.meta.dirname, '../../..')
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const runs = (scripts['test:long'] ?? '').split('&&').flatMap((command) => {
    const args = /^ node test\/run\.ts((?: --[a-z-]+(?: pglite| postgres)?)+) $/.exec(command)?.[1]
    return args === undefined ? [] : [args]
  })
  assert.equal(runs.length, 2)
  const named = (options: object, engine?: string) =>
    selectSuites(root, [], options).flatMap(({ file, engines }) =>
      engines.filter((each) => engine === undefined || each === engine).map((each) => `${each} ${file}`),
    )
  const run = new Set([
    ...named({}),
    ...runs.flatMap((args) =>
      named({ long: args.includes(' --long'), left: args.includes(' --left') }, /--engine (\w+)/.exec(args)?.[1]),
    ),
  ])
  assert.deepEqual(
    named({ long: true }).filter((each) => !run.has(each)),
    [],
  )
})

test('the suites that take several slots are there', () => {
  for (const file of Object.keys(HEAVY)) assert.ok(existsSync(path.join(import.meta.dirname, '../../..', file)), file)
})

test('in CI only what fails is told, and at once why', () => {
  const fine = runPlanted(`test('fine', () => {})`, { CI: 'true' })
  assert.doesNotMatch(fine.output, /^ok /m)
  const bad = runPlanted(`test('bad', () => assert.equal(1, 2, 'planted'))`, { CI: 'true' })
  assert.match(bad.output, /^FAIL {2}planted test\/planted.test.ts \(0 passed, [\d.]+ s\)\n +bad\n.*planted/m)
})
