/**
 * The packed package where its users run it: Node 20, 22, 24 and 26, by `import`, by `require` and under Jest, with every sample of the
 * README; and its types under every `moduleResolution` of old and new compilers. These come from sdk/matrix/package-lock.json,
 * so it is part of the long tests: `npm run sdk:matrix`.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { currentLoad, publish } from '../../bench/support/report.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { generateWebhookSecret } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { startTestApi } from '../../test/support/api.ts'
import { startGuarded } from '../../test/support/guarded-process.ts'
import { temporaryFolder } from '../../test/support/temp.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { runSamples, SAMPLES } from '../test/readme.ts'
import { TORN_ANSWERS } from './torn-answers.ts'

const SDK = path.join(import.meta.dirname, '..')
const ROOT = path.join(SDK, '..')
const NODES = [20, 22, 24, 26]
const COMPILERS: Readonly<Record<string, string>> = {
  '5.0': 'node_modules/typescript-5.0/bin/tsc',
  '5.9': 'node_modules/typescript-5.9/bin/tsc',
  '6.0': 'node_modules/typescript-6.0/bin/tsc',
  '7.0': path.join(ROOT, 'node_modules/typescript/bin/tsc'),
}
/** `use.ts` is an ES module where the compiler tells modules apart by the package, because the project is one. */
const RESOLUTIONS = [
  { name: 'node10', compilers: ['5.0', '5.9'], module: 'commonjs', files: ['use.ts'] },
  { name: 'bundler', compilers: ['5.0', '5.9', '6.0', '7.0'], module: 'esnext', files: ['use.ts'] },
  {
    name: 'node16',
    compilers: ['5.0', '5.9', '6.0', '7.0'],
    module: 'node16',
    files: ['use.cts', 'use.mts', 'use.ts'],
  },
  {
    name: 'nodenext',
    compilers: ['5.0', '5.9', '6.0', '7.0'],
    module: 'nodenext',
    files: ['use.cts', 'use.mts', 'use.ts'],
  },
]
const USE = `import { answerOf, createClient, isCoinApiError, toMicro, type Order } from 'stablecoin-partner-sdk'
const coin = createClient({ baseUrl: 'https://api.example', apiKey: 'x' })
export const read = (id: string): Promise<Order> => coin.mints.get(id)
export const id = (order: Order): string | undefined => answerOf(order)?.correlationId
export const known = (error: unknown): bigint => (isCoinApiError(error, 'NOT_FOUND') ? 0n : toMicro('1'))
// @ts-expect-error were the types not found, an amount could be anything
coin.mints.create({ referenceId: 'order-0001', amountMyr: 1, walletAddress: '', customerId: '' })
`
const NAMES = 'typeof sdk.createClient + typeof sdk.verifyWebhook + sdk.toMicro("1.5")'
const EXPECTED = 'functionfunction1500000'
const IN_JEST = `test('it', () => { expect(${NAMES}).toBe('${EXPECTED}') })\n`
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"name":"matrix","private":true,"type":"module"}',
  'import.js': `import * as sdk from 'stablecoin-partner-sdk'; console.log(${NAMES})`,
  'require.cjs': `const sdk = require('stablecoin-partner-sdk'); console.log(${NAMES})`,
  'required.test.cjs': `const sdk = require('stablecoin-partner-sdk')\n${IN_JEST}`,
  'torn-answers.js': TORN_ANSWERS,
  'imported.test.js': `import * as sdk from 'stablecoin-partner-sdk'\n${IN_JEST}`,
  ...Object.fromEntries(['use.cts', 'use.mts', 'use.ts'].map((file) => [file, USE])),
  ...Object.fromEntries(SAMPLES.map((code, index) => [`sample-${index}.ts`, code])),
}

const run = promisify(execFile)
const NPM_ENV = { ...process.env, npm_config_loglevel: 'error', npm_config_audit: 'false', npm_config_fund: 'false' }
const loadBefore = currentLoad()
/** Tools above, the partner's project below: it has nothing but the package. */
const tools = temporaryFolder('sdk-matrix')
const project = path.join(tools, 'project')
const results: { what: string; passed: boolean }[] = []

await install()
const api = await startTestApi()
try {
  await check('samples of the README compile, TypeScript 5.9', compileSamples)
  for (const version of NODES) await runsOn(version)
} finally {
  await api.close()
}
for (const { name, compilers, module, files } of RESOLUTIONS)
  for (const compiler of compilers)
    for (const file of files)
      await check(`types: ${name}, ${file}, TypeScript ${compiler}`, () =>
        compile(compiler, ['--noEmit', '--strict', '--moduleResolution', name, '--module', module, file]),
      )
record()

async function install(): Promise<void> {
  cpSync(path.join(SDK, 'matrix'), tools, {
    recursive: true,
    filter: (file) => !/node_modules/.test(path.relative(SDK, file)),
  })
  await run('npm', ['ci', '--ignore-scripts'], { cwd: tools, env: NPM_ENV })
  // From a copy, because others may build at the same time; elsewhere, because an older Node is first on the path below `tools`.
  const copy = path.join(temporaryFolder('sdk-copy'), 'sdk')
  cpSync(SDK, copy, {
    recursive: true,
    filter: (file) => !/\/(dist|node_modules|matrix)(\/|$)/.test(path.relative(ROOT, file)),
  })
  const env = { ...NPM_ENV, PATH: `${path.join(ROOT, 'node_modules/.bin')}${path.delimiter}${process.env.PATH}` }
  await run('npm', ['pack', '--pack-destination', tools], { cwd: copy, env })
  const archive = readdirSync(tools).find((file) => file.endsWith('.tgz')) ?? ''
  mkdirSync(project)
  for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(project, name), text)
  await run('npm', ['install', '--offline', `../${archive}`], { cwd: project, env: NPM_ENV })
}

async function runsOn(version: number): Promise<void> {
  const node = path.join(tools, `node_modules/node${version}-linux-${process.arch}/bin/node`)
  const output = async (args: readonly string[], env: Record<string, string> = {}) =>
    (await run(node, args, { cwd: project, env: { PATH: process.env.PATH, ...env } })).stdout
  const jest = path.join(tools, 'node_modules/jest/bin/jest.js')
  await check(`Node ${version} is what runs`, async () =>
    assert.match(await output(['--version']), new RegExp(`^v${version}\\.`)),
  )
  for (const file of ['import.js', 'require.cjs'])
    await check(`Node ${version}: ${file}`, async () => assert.equal((await output([file])).trim(), EXPECTED))
  await check(`Node ${version}: Jest 30, require`, () => output([jest, '--ci', 'required.test.cjs']))
  await check(`Node ${version}: Jest 30, import`, () =>
    output(['--experimental-vm-modules', jest, '--ci', 'imported.test.js']),
  )
  await check(`Node ${version}: answers that break off`, async () =>
    assert.equal((await output(['torn-answers.js'])).trim(), '[]'),
  )
  await check(`Node ${version}: samples of the README`, () =>
    runSamples(api, (index, env) => output([`sample-${index}.js`], env)),
  )
  await check(`Node ${version}: the example of a webhook receiver`, () => receives(node))
}

async function receives(node: string): Promise<void> {
  const secret = generateWebhookSecret()
  const env = {
    PATH: process.env.PATH,
    WEBHOOK_SECRET: secret,
    PORT: '0',
    STORE: path.join(tools, path.basename(node)),
  }
  const receiver = await startGuarded(node, [path.join(ROOT, 'examples/webhook-receiver/receiver.js')], { env })
  try {
    const url = await waitFor('the receiver', () => /http:\S+/.exec(receiver.output())?.[0])
    const { httpStatus } = await createSender({ allowLoopback: true })(testRequest(url, secret, new Date()).request)
    assert.equal(httpStatus, 204)
  } finally {
    await receiver.end('SIGKILL')
  }
}

async function compileSamples(): Promise<void> {
  const node = ['--types', 'node', '--typeRoots', path.join(tools, 'node_modules/@types')]
  const files = [...SAMPLES.keys()].map((index) => `sample-${index}.ts`)
  await compile('5.9', ['--strict', '--module', 'nodenext', ...node, ...files], 'es2022')
}

async function compile(compiler: string, options: readonly string[], lib = 'es2022,dom'): Promise<void> {
  const tsc = path.resolve(tools, COMPILERS[compiler] ?? '')
  const quiet = options.includes('--typeRoots') ? [] : ['--typeRoots', 'none']
  await run(process.execPath, [tsc, '--target', 'es2022', '--lib', lib, ...quiet, ...options], { cwd: project })
}

async function check(what: string, body: () => Promise<unknown>): Promise<void> {
  try {
    await body()
    results.push({ what, passed: true })
  } catch (error) {
    results.push({ what, passed: false })
    const { stdout = '', message } = error as Error & { stdout?: string }
    console.error(`FAIL  ${what}\n${message}\n${stdout}`)
  }
}

function record(): void {
  const { version } = JSON.parse(readFileSync(path.join(SDK, 'package.json'), 'utf8')) as { version: string }
  publish({
    name: 'sdk',
    command: 'npm run sdk:matrix',
    title: 'The SDK where partners run it',
    method: `Version ${version}, packed from the repository and installed into an empty project. Nodes, compilers and Jest are those of sdk/matrix/package-lock.json.`,
    rows: [['what', ''], ...results.map(({ what, passed }) => [what, passed ? 'passed' : '**failed**'])],
    goal: {
      what: `of ${results.length} checks fail`,
      measured: results.filter(({ passed }) => !passed).length,
      bound: 0,
      atLeast: false,
    },
    loadBefore,
  })
}
