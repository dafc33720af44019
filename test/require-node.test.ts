/** The commands of package.json under a Node that is too old for them. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/temp.ts'

const ROOT = path.join(import.meta.dirname, '..')
const CHECK = 'scripts/require-node.js'

/** A folder as npm leaves it when it has unlinked the Node that it installed: that program says which arguments it was given. */
function unlinkedInstallation() {
  const folder = temporaryFolder()
  for (const name of ['scripts/require-node.js', 'scripts/link-node.js', 'scripts/after-install.js', 'package.json'])
    cpSync(path.join(ROOT, name), path.join(folder, name))
  const bin = path.join(folder, 'node_modules/.bin')
  mkdirSync(bin, { recursive: true })
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    optionalDependencies: Record<string, string>
  }
  const name =
    Object.keys(optionalDependencies).find((one) => one.endsWith(`-${process.platform}-${process.arch}`)) ?? ''
  const program = path.join(folder, 'node_modules', name, 'bin/node')
  mkdirSync(path.dirname(program), { recursive: true })
  writeFileSync(program, '#!/bin/sh\necho "$@"\n')
  chmodSync(program, 0o755)
  return { folder, program, link: path.join(bin, 'node'), runs: () => realpathSync(path.join(bin, 'node')) }
}

/** Runs a program of `scripts` under a Node that says that it is `version`. */
function runAs(version: string, cwd: string, script: string, env: Record<string, string> = {}) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, `scripts/${script}`]
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })
  return { status, stderr }
}

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
  const { folder, program } = unlinkedInstallation()
  rmSync(program)
  const { status, text } = tryWith('24.21.0', folder)
  assert.equal(status, 1)
  assert.match(text, /^This needs Node 26; the one here is 24\.21\.0, and no newer .+ Install Node 26 from .+\n$/)
  assert.deepEqual(tryWith('26.0.0', ROOT), { status: 0, text: 'runs\n' })
})

test('before the installation it says to install', () => {
  const folder = temporaryFolder()
  cpSync(path.join(ROOT, CHECK), path.join(folder, CHECK))
  cpSync(path.join(ROOT, 'package.json'), path.join(folder, 'package.json'))
  assert.equal(tryWith('20.19.4', folder).text, 'Nothing is installed yet. Run `npm ci`, then the command again.\n')
})

test('what npm has unlinked again, or linked to another platform, is linked when it has installed', () => {
  const { folder, program, link, runs } = unlinkedInstallation()
  const install = () => runAs('20.19.0', folder, 'after-install.js')
  assert.deepEqual(install(), { status: 0, stderr: '' })
  assert.equal(runs(), program)
  assert.deepEqual(install(), { status: 0, stderr: '' })
  rmSync(link)
  symlinkSync('/bin/true', link)
  assert.deepEqual(install(), { status: 0, stderr: '' })
  assert.equal(runs(), program)
  rmSync(program)
  symlinkSync('gone', program)
  assert.deepEqual(install(), { status: 0, stderr: '' })
})

test('where npm runs no scripts when it installs, the first command links, and says to run it again', () => {
  const { folder, program, runs } = unlinkedInstallation()
  const { status, text } = tryWith('22.12.0', folder)
  assert.equal(status, 1)
  assert.match(
    text,
    /^This needs Node 26; the one here is 22\.12\.0\. .+ is linked now: run the command again, by npm\.\n$/,
  )
  assert.equal(runs(), program)
})

/** Too old for some packages, though some are newer than the oldest that is not. */
const LEAVES_OUT = ['18.19.1', '20.18.3', '21.7.3', '22.5.1', '22.11.0']

test('where npm leaves packages out for an older Node, the one that came with the others installs all of them, and runs from elsewhere meanwhile', () => {
  for (const version of LEAVES_OUT) {
    const { folder, program, runs } = unlinkedInstallation()
    writeFileSync(program, '#!/bin/sh\necho "$0" "$@" > said\npwd >> said\n')
    const { status, stderr } = runAs(version, folder, 'after-install.js', { npm_execpath: '/npm-cli.js' })
    assert.equal(status, 0, version)
    assert.match(stderr, /^Installing with the newer Node that came with the packages, .+\n$/)
    const [command = '', cwd] = readFileSync(path.join(folder, 'said'), 'utf8').split('\n')
    const [copy = '', ...args] = command.split(' ')
    assert.deepEqual(args.slice(0, 3), ['/npm-cli.js', 'ci', '--ignore-scripts'])
    assert.equal(cwd, realpathSync(folder))
    assert.ok(!copy.includes('node_modules') && !existsSync(path.dirname(copy)), copy)
    assert.equal(runs(), program)
  }
})

test('an installation by such a Node fails, and says so, where no newer one came with it, or that one cannot install', () => {
  const { folder, program } = unlinkedInstallation()
  writeFileSync(program, '#!/bin/sh\nexit 1\n')
  for (const remains of ['fails', 'nothing']) {
    if (remains === 'nothing') rmSync(program)
    for (const version of LEAVES_OUT) {
      const { status, stderr } = runAs(version, folder, 'after-install.js', { npm_execpath: '/npm-cli.js' })
      assert.equal(status, 1)
      assert.match(
        stderr,
        new RegExp(
          `^(Installing .+\n)?npm left packages out, .+ by Node ${version}\\. Install Node 20\\.19, or 22\\.12 or newer, .+\n$`,
        ),
      )
    }
  }
  for (const version of ['20.19.0', '20.20.1', '22.12.0', '23.0.0', '24.1.0'])
    assert.equal(runAs(version, folder, 'after-install.js').status, 0, version)
  const { engines, scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    engines: { node: string }
    scripts: { postinstall: string }
  }
  assert.equal(engines.node, '^20.19.0 || >=22.12.0')
  assert.equal(scripts.postinstall, 'node scripts/after-install.js')
})

test('where the packages for tests are left out, the tests say so', () => {
  const { folder } = unlinkedInstallation()
  cpSync(path.join(ROOT, 'scripts/require-dev.js'), path.join(folder, 'scripts/require-dev.js'))
  const { status, stderr } = runAs('26.0.0', folder, 'require-dev.js')
  assert.equal(status, 1)
  assert.match(stderr, /^Not installed: .*typescript.*\. Run `npm ci --include=dev`, then the command again\.\n$/)
  assert.deepEqual(runAs('26.0.0', ROOT, 'require-dev.js'), { status: 0, stderr: '' })
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
