/**
 * The packed package where its users run it: Node 20, 22 and 24, by `import`, by `require` and under Jest; and its
 * types under every `moduleResolution` of an older and a newer compiler. Installs these from the package registry, so
 * it is part of the long tests.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const SDK = path.join(import.meta.dirname, '..')
const NODES = [20, 22, 24]
const COMPILERS = { ts58: '5.8', ts59: '5.9' }
const RESOLUTIONS = [
  ['--moduleResolution', 'node10', '--module', 'commonjs'],
  ['--moduleResolution', 'bundler', '--module', 'esnext'],
  ['--moduleResolution', 'node16', '--module', 'node16'],
  ['--moduleResolution', 'nodenext', '--module', 'nodenext'],
]
const USE = `import { createClient, isCoinApiError, toMicro, type Order } from 'stablecoin-partner-sdk'
const coin = createClient({ baseUrl: 'https://api.example', apiKey: 'x' })
export const read = (id: string): Promise<Order> => coin.mints.get(id)
export const known = (error: unknown): bigint => (isCoinApiError(error, 'NOT_FOUND') ? 0n : toMicro('1'))
`
const NAMES = 'typeof sdk.createClient + typeof sdk.verifyWebhook + sdk.toMicro("1.5")'
const EXPECTED = 'functionfunction1500000'

const folder = mkdtempSync(path.join(tmpdir(), 'sdk-matrix-'))
let failed = 0
let passed = 0

try {
  install()
  for (const version of NODES) runsOn(version)
  for (const compiler of Object.keys(COMPILERS)) for (const options of RESOLUTIONS) compiles(compiler, options)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function install(): void {
  execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: SDK, stdio: 'pipe' })
  writeFileSync(path.join(folder, 'package.json'), '{"name":"matrix","private":true}')
  const platform = `node-linux-${process.arch}`
  const nodes = NODES.map((version) => `node${version}@npm:${platform}@${version}`)
  const compilers = Object.entries(COMPILERS).map(([name, version]) => `${name}@npm:typescript@${version}`)
  const archive = './stablecoin-partner-sdk-0.2.0.tgz'
  const packages = [archive, 'jest@30', ...nodes, ...compilers]
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: folder,
    stdio: 'pipe',
  })
}

function runsOn(version: number): void {
  const node = path.join(folder, `node_modules/node${version}/bin/node`)
  write('import.mjs', `import * as sdk from 'stablecoin-partner-sdk'; console.log(${NAMES})`)
  write('require.cjs', `const sdk = require('stablecoin-partner-sdk'); console.log(${NAMES})`)
  write(
    'in-jest.test.js',
    `const sdk = require('stablecoin-partner-sdk'); test('it', () => { expect(${NAMES}).toBe('${EXPECTED}') })`,
  )
  const program = (file: string) => () => assert.equal(execute(node, [file]).trim(), EXPECTED)
  check(`Node ${version}: the version it says`, () =>
    assert.match(execute(node, ['--version']), new RegExp(`^v${version}\\.`)),
  )
  check(`Node ${version}: import`, program('import.mjs'))
  check(`Node ${version}: require`, program('require.cjs'))
  check(`Node ${version}: Jest`, () => void execute(node, ['node_modules/jest/bin/jest.js', '--ci', 'in-jest.test.js']))
}

function compiles(compiler: string, options: readonly string[]): void {
  for (const [file, text] of [
    ['use.cts', USE],
    ['use.mts', USE],
    ['use.ts', USE],
  ] as const) {
    // Only the newer resolutions tell .cts and .mts apart.
    if (file !== 'use.ts' && !/node16|nodenext/.test(options.join())) continue
    write(file, text)
    const strict = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022,dom']
    const tsc = path.join(folder, 'node_modules', compiler, 'bin/tsc')
    check(`${compiler} ${options[1]} ${file}`, () => void execute(process.execPath, [tsc, ...strict, ...options, file]))
  }
}

function write(file: string, text: string): void {
  writeFileSync(path.join(folder, file), text)
}

function execute(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
}

function check(name: string, body: () => void): void {
  try {
    body()
    passed += 1
    console.log(`ok    ${name}`)
  } catch (error) {
    failed += 1
    const { stdout = '', message } = error as Error & { stdout?: string }
    console.log(`FAIL  ${name}\n${message}\n${stdout}`)
  }
}
