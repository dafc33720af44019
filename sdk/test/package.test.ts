// engine: postgres; both in test:long
/** The package as partners get it: packed, installed without a network, imported, type-checked; the README's examples run on it. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { createSender } from '../../src/webhooks/send.ts'
import { generateWebhookSecret } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { startTestApi, type TestApi } from '../../test/support/api.ts'
import { startGuarded } from '../../test/support/guarded-process.ts'
import { freePort } from '../../test/support/ports.ts'
import { temporaryFolder } from '../../test/support/temp.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { GENERATED_FILE, generateTypes } from '../tools/generate.ts'
import { runSamples, SAMPLES } from './readme.ts'

const SDK = path.join(import.meta.dirname, '..')
const ROOT = path.join(SDK, '..')
const TSC = path.join(ROOT, 'node_modules/.bin/tsc')
const run = promisify(execFile)
const consumer = temporaryFolder('sdk-consumer')
let api: TestApi

before(async () => {
  api = await startTestApi()
  // Built and packed from a copy: other runs may do the same at the same time.
  const copy = path.join(temporaryFolder('sdk-copy'), 'sdk')
  const isSource = (file: string) => !/\/(dist|node_modules)(\/|$)/.test(path.relative(ROOT, file))
  cpSync(SDK, copy, { recursive: true, filter: isSource })
  const env = { ...process.env, PATH: `${path.dirname(TSC)}:${process.env.PATH}`, npm_config_update_notifier: 'false' }
  await run('npm', ['pack', '--offline', '--pack-destination', consumer], { cwd: copy, env })
  const archive = readdirSync(consumer).find((file) => file.endsWith('.tgz')) ?? ''
  writeFileSync(path.join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${archive}`], { cwd: consumer, env })
})
after(() => api.close())

test('the generated types are current', () => {
  assert.ok(readFileSync(GENERATED_FILE, 'utf8') === generateTypes(), 'run `npm run generate` in sdk/')
})

test('the package holds what it should, and nothing else', () => {
  const installed = path.join(consumer, 'node_modules/stablecoin-partner-sdk')
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  for (const wanted of [
    'LICENSE',
    'README.md',
    'package.json',
    'CHANGELOG.md',
    'dist/esm/index.js',
    'dist/esm/index.d.ts',
    'dist/cjs/index.js',
    'dist/cjs/index.d.ts',
  ]) {
    assert.ok(files.includes(wanted), wanted)
  }
  const code = files.filter((file) => /^dist\/.*\./.test(file))
  assert.deepEqual(
    code.filter((file) => !/\.(js|d\.ts)$|^dist\/(esm|cjs)\/package\.json$/.test(file)),
    [],
  )
  for (const file of code.filter((name) => name.endsWith('.d.ts'))) {
    assert.doesNotMatch(readFileSync(path.join(installed, file), 'utf8'), /from '[^']*\.ts'/, file)
  }
  assert.ok(!files.some((file) => file.includes('.test.')))
  assert.deepEqual(
    readdirSync(path.join(consumer, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['stablecoin-partner-sdk'],
  )
  assert.equal(readFileSync(path.join(installed, 'LICENSE'), 'utf8'), readFileSync(path.join(ROOT, 'LICENSE'), 'utf8'))
})

test('the README installs this version, and the changelog begins with it', () => {
  const { version } = JSON.parse(readFileSync(path.join(SDK, 'package.json'), 'utf8')) as { version: string }
  const archives = readFileSync(path.join(SDK, 'README.md'), 'utf8').match(/stablecoin-partner-sdk-[\d.]+\.tgz/g)
  assert.deepEqual(new Set(archives), new Set([`stablecoin-partner-sdk-${version}.tgz`]))
  assert.equal(/^## (.+)$/m.exec(readFileSync(path.join(SDK, 'CHANGELOG.md'), 'utf8'))?.[1], version)
})

test("both builds run side by side, and know each other's errors", async () => {
  const script = [
    'import * as esm from "stablecoin-partner-sdk"',
    'import { createRequire } from "node:module"',
    'const cjs = createRequire(import.meta.url)("stablecoin-partner-sdk")',
    'const options = { baseUrl: process.env.COIN_API, apiKey: process.env.COIN_KEY, maxRetries: 0 }',
    'const error = await cjs.createClient(options).mints.get("never-posted").catch((thrown) => thrown)',
    'const lost = await cjs.createClient({ ...options, fetch: () => Promise.reject(new Error()) }).mints.cancel("never-posted").catch((thrown) => thrown)',
    'for (const one of [error, lost]) console.log(one instanceof esm.CoinError, one.undecided)',
    'console.log(esm.createClient !== cjs.createClient, esm.isCoinApiError(error, "NOT_FOUND"), Object.keys(esm).sort().join() === Object.keys(cjs).sort().join())',
  ].join('\n')
  writeFileSync(path.join(consumer, 'both.mjs'), script)
  const env = { PATH: process.env.PATH, COIN_API: api.baseUrl, COIN_KEY: api.fullKey }
  const { stdout } = await run(process.execPath, ['both.mjs'], { cwd: consumer, env })
  assert.equal(stdout, 'true false\ntrue true\ntrue true true\n')
})

test('its types hold in strict projects, with the DOM library or with Node types', async () => {
  const misuse = [
    'import { createClient } from "stablecoin-partner-sdk"',
    'const coin = createClient({ baseUrl: "https://api.example", apiKey: "x" })',
    '// @ts-expect-error an amount is a string',
    'coin.mints.create({ referenceId: "order-0001", amountMyr: 1, walletAddress: "", customerId: "" })',
    '// @ts-expect-error there is no such status',
    'coin.waitForOrder("order-0001", { until: ["done"] })',
  ].join('\n')
  writeFileSync(path.join(consumer, 'misuse.ts'), misuse)
  for (const [index, code] of SAMPLES.entries()) writeFileSync(path.join(consumer, `example-${index}.ts`), code)
  mkdirSync(path.join(consumer, 'node_modules/@types'), { recursive: true })
  for (const name of ['@types/node', 'undici-types']) {
    cpSync(path.join(ROOT, 'node_modules', name), path.join(consumer, 'node_modules', name), { recursive: true })
  }
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext']
  await run(TSC, [...strict, '--lib', 'es2022,dom', '--types', '', 'misuse.ts'], { cwd: consumer })
  const files = [...SAMPLES.keys()].map((index) => `example-${index}.ts`)
  await run(TSC, [...strict, '--lib', 'es2022', '--types', 'node', 'misuse.ts', ...files], { cwd: consumer })
})

test('the examples of the README run', async () => {
  await runSamples(api, async (index, env) => {
    const options = { cwd: consumer, env: { PATH: process.env.PATH, ...env } }
    return (await run(process.execPath, [`example-${index}.ts`], options)).stdout
  })
})

test('the receiver of the README runs', async () => {
  const secret = generateWebhookSecret()
  const port = await freePort()
  const env = { PATH: process.env.PATH, WEBHOOK_SECRET: secret, PORT: String(port) }
  const receiver = await startGuarded(process.execPath, ['example-5.ts'], { cwd: consumer, env })
  after(() => receiver.end('SIGKILL'))
  const send = createSender({ allowLoopback: true })
  const url = `http://127.0.0.1:${port}/`
  await waitFor('a genuine event', async () => {
    return (await send(testRequest(url, secret, new Date()).request)).httpStatus === 204
  })
  const forged = testRequest(url, generateWebhookSecret(), new Date())
  assert.equal((await send(forged.request)).httpStatus, 400)
  await waitFor('what it prints', () => receiver.output().includes('refused: signature_mismatch'))
  assert.match(receiver.output(), /webhook\.test webhook-test/)
  const tooLong = await fetch(url, { method: 'POST', body: 'x'.repeat(64 * 1024 + 1) })
  assert.equal(tooLong.status, 400)
  await waitFor('that it read no further', () => receiver.output().includes('the body is too long'))
})
