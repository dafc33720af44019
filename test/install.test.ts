// engine: pglite; only in test:long
/** `npm ci` by the npm of older Nodes: its link to the Node that comes with the installation. Needs the package registry. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/temp.ts'

const ROOT = path.join(import.meta.dirname, '..')
/** Of Node 18, 20, 22 and the first 24; each of them once left the machine's own Node to `npm start` (npm/cli#4362). */
const NPM_VERSIONS = ['9.9.4', '10.8.2', '10.9.4', '11.4.2']

type Named = Record<string, unknown>
type Root = { type: string; engines: Named; scripts: { postinstall: string }; optionalDependencies: Named }

/** What package.json and the lockfile say of the Nodes for each platform, without all else. */
function onlyNodes(folder: string): void {
  const read = (name: string) => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8')) as unknown
  const { type, engines, scripts, optionalDependencies } = read('package.json') as Root
  const isNode = ([name]: [string, unknown]) => /^(node_modules\/)?node-/.test(name)
  const nodes = Object.fromEntries(Object.entries(optionalDependencies).filter(isNode))
  const root = { name: 'nodes', version: '1.0.0', engines, optionalDependencies: nodes }
  const { packages } = read('package-lock.json') as { packages: Named }
  const locked = Object.fromEntries(Object.entries(packages).filter(isNode))
  const write = (name: string, value: Named) => writeFileSync(path.join(folder, name), JSON.stringify(value))
  write('package.json', { ...root, type, scripts: { postinstall: scripts.postinstall } })
  write('package-lock.json', { ...root, lockfileVersion: 3, packages: { '': root, ...locked } })
}

for (const version of NPM_VERSIONS) {
  test(`npm ${version} leaves the Node that it has installed to the commands`, () => {
    const folder = temporaryFolder()
    onlyNodes(folder)
    for (const name of ['scripts/after-install.js', 'scripts/link-node.js'])
      cpSync(path.join(ROOT, name), path.join(folder, name))
    const npm = ['exec', '--yes', `--package=npm@${version}`, '--', 'npm', 'ci', '--no-audit', '--no-fund']
    execFileSync('npm', npm, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
    const says = execFileSync(path.join(folder, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' })
    assert.equal(says, `${process.version}\n`)
  })
}

/** Both are what `apt` has on machines of 2024; npm leaves Anvil and the parser's program out for such a Node. */
test('Node 18 with its npm installs everything', { timeout: 400_000 }, () => {
  const folder = temporaryFolder()
  for (const name of ['package.json', 'package-lock.json', 'scripts/after-install.js', 'scripts/link-node.js'])
    cpSync(path.join(ROOT, name), path.join(folder, name))
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Root
  const node = Object.keys(optionalDependencies).find((name) => name.endsWith(`-${process.platform}-${process.arch}`))
  const packages = [`--package=${node}@18.19.1`, '--package=npm@9.2.0']
  const run = (...command: string[]) =>
    execFileSync('npm', ['exec', '--yes', ...packages, '--', ...command], {
      cwd: folder,
      encoding: 'utf8',
      stdio: 'pipe',
      // What the npm of this run has told its scripts is for this folder, not for that one.
      env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'))),
    }).trim()
  assert.equal(run('node', '--version'), 'v18.19.1')
  run('npm', 'ci', '--no-audit', '--no-fund')
  // That npm also brings what is for other C libraries.
  for (const place of ['node_modules', 'node_modules/@oxc-parser']) {
    const lacks = new Set(readdirSync(path.join(ROOT, place))).difference(
      new Set(readdirSync(path.join(folder, place))),
    )
    assert.deepEqual(
      [...lacks].filter((name) => !name.startsWith('.')),
      [],
    )
  }
  const says = execFileSync(path.join(folder, 'node_modules/.bin/node'), ['--version'], { encoding: 'utf8' })
  assert.equal(says, `${process.version}\n`)
})
