/** Files that share a process are told apart, and none of them can hide what happens in another. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../temp.ts'
import { groupsOf } from './groups.ts'

const STAGES = path.join(import.meta.dirname, 'stages.ts')
const HEAD = `import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, beforeEach, test } from 'node:test'
const load = createRequire(import.meta.url)
`

function plant(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder('groups')
  for (const [name, code] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), code)
  }
  return root
}

/** Runs planted files of one folder, which share a process. */
function runTogether(codes: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv = {}) {
  const files = Object.keys(codes).map((name) => `test/room/${name}.test.ts`)
  const root = plant(
    Object.fromEntries(Object.values(codes).map((code, at) => [files[at] ?? '', code === '' ? '' : HEAD + code])),
  )
  const program = `import { runSuites } from ${JSON.stringify(STAGES)}
    const files = ${JSON.stringify(files.map((file) => path.join(root, file)))}
    console.log('TALLY ' + JSON.stringify(await runSuites(${JSON.stringify(root)}, 'planted', files)))`
  writeFileSync(path.join(root, 'program.mjs'), program)
  const { stdout, stderr } = spawnSync(process.execPath, [path.join(root, 'program.mjs')], {
    encoding: 'utf8',
    env: { ...process.env, CI: undefined, NODE_TEST_CONTEXT: undefined, TEST_END_GRACE_MS: '300', NOTES: root, ...env },
  })
  const tally = /^TALLY (.*)$/m.exec(stdout)?.[1]
  assert.ok(tally !== undefined, stdout + stderr)
  const { passed, failed, skipped } = JSON.parse(tally) as { passed: number; failed: number; skipped: unknown[] }
  return { tally: [passed, failed, skipped.length], output: stdout, root }
}

const CHAINS = Array.from({ length: 16 }, (_, at) => at)
const PAGES = CHAINS.slice(0, 6)

const note = (text: string) =>
  `;load('node:fs').appendFileSync(load('node:' + 'process').env.NOTES + '/notes', \`${text} \`)`

test('they share a process, one after the other, and hooks are their own', () => {
  const pid = `\${load('node:' + 'process').pid}`
  const { tally, output, root } = runTogether({
    a: `${note(`a ${pid}`)}
      before(async () => { ${note('before')} }); beforeEach(async () => { ${note('each')} }); after(async () => { ${note('after')} })
      test('one', () => {}); test('two', () => {})`,
    b: `${note(`b ${pid}`)}
      test('one', () => {})
      test('two', { skip: 'why' }, () => {})`,
  })
  assert.deepEqual(tally, [3, 0, 1], output)
  const notes = readFileSync(path.join(root, 'notes'), 'utf8').trim()
  assert.match(notes, /^a (\d+) before each each after b \1$/)
  assert.match(output, /^ok {4}planted test\/room\/a\.test\.ts \(2 passed, [\d.]+ s\)$/m)
  assert.match(output, /^ok {4}planted test\/room\/b\.test\.ts \(1 passed, 1 skipped, [\d.]+ s\)$/m)
})

test('a failure is that of its file, and the others go on', () => {
  const { tally, output } = runTogether({
    a: `test('bad', () => assert.equal(1, 2, 'planted'))`,
    b: `test('fine', () => {})`,
  })
  assert.deepEqual(tally, [1, 1, 0], output)
  assert.match(output, /^FAIL {2}planted test\/room\/a\.test\.ts \(0 passed, [\d.]+ s\)\n +bad\n.*planted/m)
  assert.match(output, /^ok {4}planted test\/room\/b/m)
})

test('a file that cannot be loaded fails, and so does one without a test', () => {
  const { tally, output } = runTogether({
    a: `throw new Error('planted')`,
    b: '',
    c: `test('fine', () => {})`,
  })
  assert.deepEqual(tally, [1, 2, 0], output)
  assert.match(output, /^FAIL {2}planted test\/room\/a\.test\.ts\n[\s\S]*planted/m)
  assert.match(output, /^FAIL {2}planted test\/room\/b\.test\.ts\n +no test ran/m)
})

test('a file that waits while it is loaded, which only a process of its own allows, fails and says so', () => {
  const { tally, output } = runTogether({
    a: `await Promise.resolve()\ntest('fine', () => {})`,
    b: `test('fine', () => {})`,
  })
  assert.deepEqual(tally, [1, 1, 0], output)
  assert.match(output, /^FAIL {2}planted test\/room\/a\.test\.ts\n[\s\S]*top-level await/m)
})

test('when the process ends early, whatever has not run has failed', () => {
  const { tally, output } = runTogether({
    a: `test('fine', () => {})`,
    b: `test('ends', () => { load('node:' + 'process').exit(0) })`,
    c: `test('fine', () => {})`,
  })
  const [, failed = 0] = tally
  assert.ok(failed >= 1, output)
  assert.match(output, /^FAIL {2}planted test\/room\/c\.test\.ts\n +no test ran/m)
})

test('a failure that nobody awaits fails the run, also when its file has ended', () => {
  const { tally, output } = runTogether({
    a: `test('bad', () => { void new Promise((r) => setTimeout(r, 100)).then(() => assert.fail('planted')) })`,
    b: `test('fine', async () => { await new Promise((r) => setTimeout(r, 300)) })`,
  })
  const [, failed = 0] = tally
  assert.ok(failed > 0, output)
  assert.match(output, /planted/)
})

test('a promise that is rejected unheard fails the run', () => {
  const { tally, output } = runTogether({
    a: `test('bad', async () => { await 1; void Promise.reject(new Error('planted')) })`,
    b: `test('fine', async () => { await new Promise((r) => setTimeout(r, 100)) })`,
  })
  const [, failed = 0] = tally
  assert.ok(failed > 0, output)
  assert.match(output, /planted/)
})

test('a file that hangs is ended, and the others go on', () => {
  const { tally, output } = runTogether(
    {
      a: `test('hangs', () => new Promise((resolve) => setTimeout(resolve, 60_000)))`,
      b: `test('fine', () => {})`,
    },
    { TEST_FILE_TIMEOUT_MS: '500' },
  )
  const [passed, failed = 0] = tally
  assert.equal(passed, 1, output)
  assert.ok(failed > 0, output)
  assert.match(output, /^ok {4}planted test\/room\/b/m)
})

test('a file that leaves something open fails the run, and says what', () => {
  const { tally, output } = runTogether({
    a: `import { createServer } from 'node:http'\ncreateServer().listen(0, '127.0.0.1')\ntest('fine', () => {})`,
    b: `test('fine', () => {})`,
  })
  const [, failed = 0] = tally
  assert.ok(failed > 0, output)
  assert.match(output, /Still open 300 ms after the last test: server on/)
})

test('a file that leaves a chain running fails, and no other does', () => {
  const { tally, output } = runTogether({
    a: `import { startAnvil } from ${JSON.stringify(path.join(import.meta.dirname, '../anvil.ts'))}
      test('fine', async () => { await startAnvil({ blockTimeSeconds: 1 }) })`,
    b: `test('fine', () => {})`,
  })
  assert.deepEqual(tally, [2, 1, 0], output)
  assert.match(output, /^FAIL {2}planted test\/room\/a\.test\.ts [^\n]*\n[\s\S]*a chain is left running/m)
  assert.match(output, /^ok {4}planted test\/room\/b/m)
})

test('files of one room, or of small ones, are together, at most thirty, fifteen with a chain, or five with a browser; what changes the process is alone', () => {
  const many = Object.fromEntries(Array.from({ length: 31 }, (_, at) => [`test/orders/${at}.test.ts`, '']))
  const planted = {
    ...many,
    'src/a.test.ts': '',
    'src/deep/b.test.ts': '',
    'test/payouts/a.test.ts': '',
    'test/books/a.test.ts': '',
    ...Object.fromEntries(CHAINS.map((at) => [`test/chains/${at}.test.ts`, `import '../support/chain.ts'`])),
    'test/torture/torture.test.ts': '',
    'test/support/chain.ts': `import './anvil.ts'`,
    'test/support/anvil.ts': '',
    'test/orders/environment.test.ts': `process.env.TZ = 'UTC'`,
    'test/orders/named.test.ts': `import { env } from 'node:process'`,
    'test/orders/mock.test.ts': `mock.timers.enable()`,
    'test/orders/child.test.ts': `import { spawn } from 'node:child_process'`,
    ...Object.fromEntries(PAGES.map((at) => [`test/pages/${at}.test.ts`, `import '../support/page.ts'`])),
    'test/support/page.ts': `import './browser.ts'`,
    'test/support/browser.ts': '',
  }
  const root = plant(planted)
  const files = Object.keys(planted).filter((name) => name.endsWith('.test.ts'))
  const groups = groupsOf(
    root,
    files.map((file) => path.join(root, file)),
  ).map((group) => group.map((file) => path.relative(root, file)))
  assert.deepEqual(groups, [
    Object.keys(many).slice(0, 30),
    ['test/orders/30.test.ts'],
    ['src/a.test.ts', 'src/deep/b.test.ts'],
    ['test/payouts/a.test.ts', 'test/books/a.test.ts'],
    CHAINS.slice(0, 15).map((at) => `test/chains/${at}.test.ts`),
    ['test/chains/15.test.ts'],
    ['test/torture/torture.test.ts'],
    ['test/orders/environment.test.ts'],
    ['test/orders/named.test.ts'],
    ['test/orders/mock.test.ts'],
    ['test/orders/child.test.ts'],
    PAGES.slice(0, 5).map((at) => `test/pages/${at}.test.ts`),
    ['test/pages/5.test.ts'],
  ])
})
