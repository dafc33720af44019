/** The commands of package.json under a Node that is too old for them. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/temp.ts'

const ROOT = path.join(import.meta.dirname, '..')
const CHECK = 'scripts/require-node.js'

/** Loads the check, with `version` in place of this Node's own, and then a program that says that it runs. */
function tryWith(version: string, cwd: string) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const imports = [`data:text/javascript,${encodeURIComponent(pretend)}`, `./${CHECK}`].flatMap((one) => [
    '--import',
    one,
  ])
  const { status, stdout, stderr } = spawnSync(process.execPath, [...imports, '-e', 'console.log("runs")'], {
    cwd,
    encoding: 'utf8',
  })
  return { status, text: stdout + stderr }
}

test('an older Node is told what to do, in one sentence', () => {
  const { status, text } = tryWith('24.21.0', ROOT)
  assert.equal(status, 1)
  assert.match(text, /^This needs Node 26; the one here is 24\.21\.0, .+ Install Node 26 from .+\n$/)
  assert.deepEqual(tryWith('26.0.0', ROOT), { status: 0, text: 'runs\n' })
})

test('before the installation it says to install', () => {
  const folder = temporaryFolder()
  cpSync(path.join(ROOT, CHECK), path.join(folder, CHECK))
  cpSync(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'))
  assert.equal(tryWith('20.19.4', folder).text, 'Nothing is installed yet. Run `npm ci`, then the command again.\n')
})

test('every command asks first', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const ours = Object.entries(scripts).filter(([, command]) => /\.ts\b/.test(command))
  assert.ok(ours.length > 10)
  assert.deepEqual(
    ours.filter(([, command]) => !command.startsWith(`node --import ./${CHECK} `)),
    [],
  )
})

test('what was compiled is kept in the installation, where nobody else may write', () => {
  const program = 'console.log(require("node:module").getCompileCacheDir())'
  const { NODE_COMPILE_CACHE: _own, ...env } = process.env
  const output = execFileSync(process.execPath, ['--import', `./${CHECK}`, '-e', program], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  })
  assert.equal(path.dirname(output.trim()), path.join(ROOT, 'node_modules/.cache/compiled'))
})
