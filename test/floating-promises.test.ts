/** The linter refuses a promise that nobody awaits, everywhere: planted ones are found, each on its line. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/temp.ts'

const PROJECT = path.join(import.meta.dirname, '..')
const FOLDERS = ['src/orders', 'test', 'bench', 'sdk/src', 'examples', 'scripts', 'contracts/tools']
const RECORD = 'export const pay = async (): Promise<void> => {}\n'
/** Lines with `// red` must be found, and no others. */
const PLANTED = `import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import * as store from './record.ts'
async function work(): Promise<void> {}
type Deps = { save: (n: number) => Promise<void>; nested: { run(): Promise<number> } }
export async function act(deps: Deps, maybe?: () => Promise<void>): Promise<void> {
  work() // red
  deps.save(1) // red
  deps.nested.run() // red
  store.pay() // red
  maybe?.() // red
  work().then(() => 1) // red
  deps.save(2).finally(() => {}) // red
  Promise.all([work(), work()]) // red
  ;[1].forEach(async () => work()) // red
  ;[1].map(async () => work()) // red
  setTimeout(async () => work(), 1) // red
  if (work()) await work() // red
  const callback = (): void => {
    work() // red
  }
  callback()
  ;(async () => work())() // red
  maybe && maybe() // red
  await work()
  void work()
  work().catch(() => {})
}
before(async () => {
  work() // red
})
test('a test', async () => {
  assert.rejects(work()) // red
  await work()
})
describe('a suite', () => {
  test('inside', () => {
    work() // red
  })
})
`

test('every kind of floating promise is found in every folder', () => {
  const root = temporaryFolder('floating')
  for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json'])
    copyFileSync(path.join(PROJECT, file), path.join(root, file))
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'))
  for (const folder of FOLDERS) {
    mkdirSync(path.join(root, folder), { recursive: true })
    writeFileSync(path.join(root, folder, 'record.ts'), RECORD)
    writeFileSync(path.join(root, folder, 'planted.ts'), PLANTED)
  }
  const linter = path.join(PROJECT, 'node_modules/oxlint/bin/oxlint')
  const { stdout, stderr } = spawnSync(process.execPath, [linter, '--format=json'], { cwd: root, encoding: 'utf8' })
  const { diagnostics } = JSON.parse(stdout) as {
    diagnostics: { filename: string; labels: { span: { line: number } }[] }[]
  }
  const found = diagnostics.map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`).sort()
  const expected = FOLDERS.flatMap((folder) =>
    PLANTED.split('\n').flatMap((line, index) =>
      line.endsWith('// red') ? [`${folder}/planted.ts:${index + 1}`] : [],
    ),
  )
  assert.deepEqual(found, expected.sort(), stderr)
})
